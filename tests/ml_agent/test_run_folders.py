"""Runs whose folders lie in the repository itself: they are no part of it, for the index, the version and the sandbox."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from ml_agent.sandbox.artifacts import RUN_MARKS
from ml_agent.staging import stage
from ml_agent.tools.errors import UnsafePathError
from ml_agent.tools.files import Tree
from ml_agent.tools.versions import local_version
from ml_agent.tools.walk import MARKS
from tests.command import run
from tests.servers.git_folders import commit_files, write_files

LOCAL = ("--sandbox", "local", "--unisolated", "--run", "full", "--network", "none")
COUNT = """
import argparse, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--input", required=True, help="text file to count")
parser.add_argument("--output", default="counts.txt", help="where the counts are written")
args = parser.parse_args()
pathlib.Path(args.output).write_text(str(len(pathlib.Path(args.input).read_text().split())))
"""
FILES = {
    "count.py": COUNT,
    "words.txt": "one two three\n",
    "README.md": "# Count\n\nCount the words:\n\n```bash\npython count.py --input words.txt\n```\n",
}
REQUEST = "count the words of words.txt and save the counts to mine.txt"


@pytest.fixture(params=["git", "plain"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    make = commit_files if request.param == "git" else write_files
    make(tmp_path / "count", FILES)
    return tmp_path / "count"


def made_run(folder: Path) -> None:
    """A run's folder, as it is before its end, with what it left."""
    files = dict.fromkeys(MARKS, "")
    write_files(folder, {**files, "config.json": "{}", "outputs/mine.txt": "3", "answer.py": "import count\n"})
    (folder / "deep").mkdir()


def solve(root: Path, request: str, *more: str) -> dict[str, object]:
    words = ("solve", request, "--repo", ".", *LOCAL, *more, "--json", "--quiet")
    done = run(words, os.environ | {"ML_AGENT_RUNS_DIR": "runs"}, root)
    assert done.stdout, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("root", ["git"], indirect=True)
def test_a_run_inside_the_repository(root: Path) -> None:
    before = local_version(root)
    first, second = solve(root, REQUEST, "--out", "results/first"), solve(root, REQUEST)
    assert (first["ending"], second["ending"]) == ("delivered", "delivered")
    assert local_version(root) == before
    script = next(root.rglob("reproduce.sh"))
    subprocess.run(["bash", str(script)], cwd=root, check=True, timeout=120)
    assert (root / "reproduced/repository/mine.txt").read_text() == "3"
    assert not list((root / "reproduced").rglob("trajectory.jsonl"))


@pytest.mark.parametrize("root", ["plain"], indirect=True)
def test_what_a_run_left_can_be_named_as_an_input(root: Path) -> None:
    write_files(root / "earlier", dict.fromkeys(MARKS, "") | {"outputs/long.txt": "a b c d e"})
    result = solve(root, "count the words of earlier/outputs/long.txt and save the counts to mine.txt")
    assert result["ending"] == "delivered"
    assert next(root.rglob("outputs/mine.txt")).read_text() == "5"


@pytest.mark.parametrize("place", ["runs/20260101-000000-abcdef", "results"])
def test_a_run_is_no_part_of_the_repository(place: str, root: Path, tmp_path: Path) -> None:
    before, tree = local_version(root), Tree(root)
    made_run(root / place)
    (root / "link.txt").symlink_to(f"{place}/outputs/mine.txt")
    assert local_version(root) == before
    assert Tree(root).files() == tuple(sorted(FILES))
    with pytest.raises(UnsafePathError):
        tree.read_text(f"{place}/config.json")
    stage(root, tmp_path / "staged")
    copied = {path.relative_to(tmp_path / "staged").as_posix() for path in (tmp_path / "staged").rglob("*")}
    assert {name for name in copied if not name.startswith(".git")} - {"runs"} == set(FILES)


def test_a_copy_made_below_what_is_copied_ends(root: Path) -> None:
    run = root / "runs/now"
    made_run(run)
    stage(root, run / ".source-x" / root.name)
    assert not os.path.lexists(run / ".source-x" / root.name / "runs/now")


def test_the_sandbox_knows_runs_by_the_same_marks() -> None:
    assert set(RUN_MARKS) == set(MARKS)
