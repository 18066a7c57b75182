"""A result says only what was seen: swallowed failures, help texts, files that no program made, values that are not in it."""

from pathlib import Path

import pytest

from ml_agent.delivery.expectation import CreatedFile
from ml_agent.delivery.judge import RunOutputs
from ml_agent.draft import CHOSEN, Dispute, Draft, LedgerEntry
from ml_agent.endings import Ending, bounded
from ml_agent.reached import ERROR, HELP, NOTHING, shortfall
from ml_agent.sandbox.contract import Response, Seen
from ml_agent.tools.index import RepoIndex

LOST = LedgerEntry(value="2", text="2", status="not found", named=True)
LOOSE = LedgerEntry(value="100", text="100", status="not found")
USED = LedgerEntry(value="a.txt", text="a.txt", status="honoured", where="--input a.txt")


def draft(*ledger: LedgerEntry, source: str = "llm", disputes: tuple[Dispute, ...] = ()) -> Draft:
    return Draft(kind="bash", text="python a.py", ledger=ledger, source=source, disputes=disputes)


def test_an_ending_is_bounded_by_the_account() -> None:
    said = "ran to the end in 0.1 s"
    assert bounded(Ending.DELIVERED, said, draft(USED)) == (Ending.DELIVERED, said)
    told = f"{said}; 1 value of your request is not in it: 2"
    assert bounded(Ending.DELIVERED, said, draft(USED, LOST)) == (Ending.NOT_DELIVERED, told)
    assert bounded(Ending.COMPLETED, said, draft(LOST)) == (Ending.NOT_DELIVERED, told)
    assert bounded(Ending.CHECKED, said, draft(LOST)) == (Ending.CHECKED, told)


def test_a_number_that_may_describe_something_is_only_told() -> None:
    told = "x; 1 value of your request is not in it: 100"
    assert bounded(Ending.DELIVERED, "x", draft(USED, LOOSE)) == (Ending.DELIVERED, told)
    both = "x; 2 values of your request are not in it: 100, 2"
    assert bounded(Ending.DELIVERED, "x", draft(LOOSE, LOST)) == (Ending.NOT_DELIVERED, both)


def test_who_chose_or_disputed_keeps_the_ending_and_is_told() -> None:
    told = "x; 1 value of your request is not in it: 2"
    dispute = Dispute(finding="value-not-used: the instruction asks for '2'", why="a version")
    assert bounded(Ending.DELIVERED, "x", draft(LOST, disputes=(dispute,))) == (Ending.DELIVERED, told)
    assert bounded(Ending.DELIVERED, "x", draft(LOST, source=CHOSEN)) == (Ending.DELIVERED, told)


@pytest.fixture
def index(tmp_path: Path) -> RepoIndex:
    (tmp_path / "repository" / "pack").mkdir(parents=True)
    for name in ("score.py", "pack/__init__.py", "plot.R", "Makefile"):
        (tmp_path / "repository" / name).write_text("")
    return RepoIndex.open(tmp_path / "repository", "", None)


def lacks(index: RepoIndex, seen: Seen, stdout: str = "done\n", instruction: str = "score it") -> str:
    response = Response(ended="exited", exit_code=0, stdout=stdout, seen=seen)
    return shortfall(draft(), instruction, response, RunOutputs(made=(), read=lambda _path, _most: b""), index)


def test_a_run_without_code_of_the_repository_is_none_of_the_task(index: RepoIndex) -> None:
    assert lacks(index, Seen(commands=("echo '[1,2]' > best.json",))) == NOTHING
    assert lacks(index, Seen(programs=("mine.py",), commands=("python mine.py",))) == NOTHING
    for seen in (
        Seen(programs=("score.py",)),
        Seen(loaded=("pack/__init__.py",)),
        Seen(packages=("numpy", "pack")),
        Seen(commands=("Rscript plot.R",)),
        Seen(commands=("make all",)),
        Seen(commands=("conda run python score.py",), blind=True),
    ):
        assert lacks(index, seen) == ""


SCORER = "import csv\n" + "".join(f"score_{number} = table[{number}] / {number + 1}\n" for number in range(9))


@pytest.mark.parametrize(
    ("ran", "text", "is_it"),
    [
        (SCORER.replace("score_3", "scored_3"), "cp score.py mine.py", True),
        (SCORER + "print(score_1)\n" * 5, "patch -o mine.py score.py", True),
        (SCORER.replace("score_3", "scored_3"), "python mine.py", False),
        ("import csv\nprint('0.5, 0.7')\nprint('1, 1')\n" * 5, "cp score.py mine.py", False),
    ],
)
def test_a_changed_copy_of_a_file_of_the_repository_is_its_code(
    ran: str, text: str, is_it: bool, tmp_path: Path
) -> None:
    (tmp_path / "score.py").write_text(SCORER)
    made = (CreatedFile(path="mine.py", size=len(ran)),)
    scene = RunOutputs(made=made, read=lambda path, most: {"mine.py": ran.encode()[:most]}[path])
    response = Response(ended="exited", exit_code=0, stdout="", seen=Seen(programs=("../x.py", "mine.py")))
    answer = Draft(kind="bash", text=f"{text}\npython mine.py", source="llm")
    found = shortfall(answer, "score it", response, scene, RepoIndex.open(tmp_path, "", None))
    assert found == ("" if is_it else NOTHING)


def test_a_help_text_is_no_result_where_none_was_asked_for(index: RepoIndex) -> None:
    said = "usage: score.py [-h]\n\noptions:\n  -h, --help  show this help message and exit\n"
    seen = Seen(programs=("score.py",))
    assert lacks(index, seen, said) == HELP
    assert lacks(index, seen, said, "which options does score.py take?") == ""


def test_errors_alone_are_no_result(index: RepoIndex) -> None:
    seen = Seen(programs=("score.py",))
    for said in ("ERROR: Unable to find tile directory 'tiles'\n", "[ERROR] - file missing\nfatal: cannot go on\n"):
        assert lacks(index, seen, said) == ERROR
    for said in (
        "Error: 0.31\n",
        "error: 3 words not found in 100\n100 scored\n",
        "ERROR rate 0.5, required 0.4\n",
        "",
    ):
        assert lacks(index, seen, said) == ""
