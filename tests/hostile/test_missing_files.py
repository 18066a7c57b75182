"""A repository that is looked through for a file that a program missed, and notes of what ran, made to end the run or to keep us busy."""

import os
from pathlib import Path

import pytest

from ml_agent.delivery.judge import RunOutputs
from ml_agent.draft import Draft
from ml_agent.reached import NOTHING, shortfall
from ml_agent.sandbox.contract import Response, Seen
from ml_agent.sandbox.repository_search import files, same_file_elsewhere
from ml_agent.sandbox.setup.imports import scan_imports
from ml_agent.sandbox.witness.notes import judge
from ml_agent.tools.entries import entries_of
from ml_agent.tools.index import RepoIndex
from tests.processor_time import within

HELD_BY = "regular files only, lines of a length that people write, limits on what notes say"
LONG = "a" * 300


def test_links_that_lead_nowhere_and_pipes_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "make_data.py").symlink_to("not_there.py")
    (tmp_path / "make_other.py").symlink_to("make_other.py")
    os.mkfifo(tmp_path / "README.md")
    (tmp_path / "prepare.py").write_text("")
    assert [path.name for path in files(tmp_path)] == ["prepare.py"]


def test_names_that_are_too_long_for_the_system_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(f"import {LONG}\nfrom {LONG}.b import c\n")
    for path in (LONG, f"{LONG}/x.csv"):
        assert same_file_elsewhere(tmp_path, path, tmp_path / "main.py", ".") is None
    assert scan_imports(tmp_path, [tmp_path / "main.py"])
    assert entries_of(f"python {LONG}.py && bash {LONG}.sh && python -m {LONG}", tmp_path, ".") == []


_ENDED = 'P\t%d\t{"inside": true, "words": ["p", "/w/x.py"]}\nX\t%d\t{"error": "Ea%db"}\n'
NOTES = {
    "one step of a million levels": "S\t1\t" + "a/" * 900_000 + "\t/w\tx.py\n",
    "many steps of a thousand levels": "".join(f"S\t{n}\t{'a/' * 1_000}\t/w\tx.py\n" for n in range(900)),
    "many errors": "".join(_ENDED % (n, n, n) for n in range(25_000)),
    "many programs of one step": "D\t9\t100.5\t0 0 0\tc\n" * 200
    + "".join(f"S\t{n}\t100.5\t/w\tx.py\n" for n in range(60_000)),
}


@pytest.mark.parametrize("name", NOTES)
def test_notes_of_two_megabytes_are_judged_at_once(name: str) -> None:
    within(2.0, lambda: judge(NOTES[name], "/w", "Ea" * 200_000))


@pytest.fixture
def index(tmp_path: Path) -> RepoIndex:
    for number in range(100):
        (tmp_path / f"d{number}").mkdir()
        (tmp_path / f"d{number}" / f"m{number}.py").write_text("")
    (tmp_path / "d7" / "plot.R").write_text("")
    return RepoIndex.open(tmp_path, "", None)


def lacks(index: RepoIndex, **seen: tuple[str, ...]) -> str:
    response = Response(ended="exited", exit_code=0, stdout="done\n", seen=Seen(**seen))  # type: ignore[arg-type]
    return shortfall(
        Draft(kind="bash", text="python a.py"),
        "score it",
        response,
        RunOutputs(made=(), read=lambda _path, _most: b""),
        index,
    )


def test_noted_names_of_any_shape_end_no_run(index: RepoIndex) -> None:
    odd = (f"{LONG}.py", "x\0.py", "a/..", "/", "")
    assert lacks(index, programs=odd, loaded=odd) == NOTHING
    assert lacks(index, commands=(*(f"./{name}" for name in odd), f"{LONG}.sh", "bash x\0.sh", "[*].sh")) == NOTHING


def test_noted_commands_of_two_megabytes_are_judged_at_once(index: RepoIndex) -> None:
    for commands in (("z.sh " * 390_000,), tuple("z.sh " * 1_900 for _ in range(200))):
        assert within(3.0, lambda commands=commands: lacks(index, commands=commands)) == NOTHING  # type: ignore[misc]
    assert lacks(index, commands=("z.sh " * 390_000 + "scripts/plot.R",)) == ""
