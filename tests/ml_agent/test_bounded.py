"""A result says only what was seen: swallowed failures, help texts, files that no program made, values that are not in it."""

import json
from pathlib import Path
from typing import Any

import pytest

from ml_agent.draft import CHOSEN, Dispute, Draft, LedgerEntry
from ml_agent.endings import Ending, bounded
from ml_agent.reached import ERROR, HELP, NOTHING, shortfall
from ml_agent.sandbox.contract import Response, Seen
from ml_agent.summary import summary
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
    return shortfall(draft(), instruction, response, (), index)


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


def finished(folder: Path) -> dict[str, Any]:
    """A result as the card reads it."""
    ledger = [{"text": "2", "status": "not found", "required": True}]
    return {
        "answer": {"text": "python a.py", "workdir": ".", "ledger": ledger}, "exit_code": 1, "evidence": "delivered", "asked": "delivered",
        "sandbox": {"name": "docker", "isolated": True, "ended": "exited"}, "repository": {"name": "a", "version": "1"}, "expectations": [],
        "unasked": [], "outputs": [], "left_in_sandbox": [], "stand_ins": [], "ending": "not-delivered", "message": "m", "folder": str(folder),
        "budget": {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "seconds": 0.0}, "usd": 0,
    }  # fmt: skip


def test_the_card_of_a_file_without_a_program_claims_nothing(tmp_path: Path) -> None:
    assert "made the requested files, in docker, without 2" in json.dumps(summary(finished(tmp_path)))


def test_the_card_of_a_run_that_failed_says_what_could_not_be_installed(tmp_path: Path) -> None:
    result = finished(tmp_path)
    result["sandbox"]["left_out"] = {f"p{n}==1": "no such version" for n in range(5)}
    shown = [line for line in summary(result) if "not set up" in line or "more requirements" in line]
    assert len(shown) == 4 and shown[0].endswith("p0==1: no such version") and "and 2 more" in shown[-1]
    assert not [line for line in summary({**result, "ending": "delivered"}) if "not set up" in line]
