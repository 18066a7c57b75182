"""A request that is a command is that command, and prose is none."""

from pathlib import Path

import pytest

from ml_agent.navigator import Workspace
from ml_agent.offline.navigator import OfflineNavigator, typed_command
from ml_agent.request import Request
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex

FIT = (
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('-d', '--dims', type=int)\n"
    "p.add_argument('-o', '--output')\np.parse_args()\n"
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "fit.py").write_text(FIT)
    (tmp_path / "go.sh").write_text('echo "$@"\n')
    (tmp_path / "go.sh").chmod(0o755)
    (tmp_path / "Makefile").write_text("all: tool\n\ntool: tool.c\n\tcc tool.c -o tool\n")
    (tmp_path / "tool.c").write_text("int main() { return 0; }\n")
    return Workspace(index=RepoIndex.open(tmp_path, "v1"), candidate=Candidate(full_name="o/fit", url=""))


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("python fit.py -d 2 -o map.tsv", "python fit.py -d 2 -o map.tsv"),
        ("Run: `python fit.py --dims 3`.", "python fit.py --dims 3"),
        ("please run the command python fit.py", "python fit.py"),
        ("make && ./tool -x 1 > out.txt", "make && ./tool -x 1 > out.txt"),
        ("python fit.py with 2 dims", ""),
        ("python fit.py --dimms 2", ""),
        ("python other.py -d 2", ""),
        ("run it like `python fit.py -d 2` but with 3 dims", ""),
        ("make a map with fit.py -d 2", ""),
        ("fit 2 dims", ""),
        ("./go.sh -x 1 on the left one", ""),
        ("run ./go.sh with 4 workers", ""),
        ("run ./go.sh 'on the left' -x 1", "./go.sh 'on the left' -x 1"),
    ],
)
def test_a_command_is_answered_by_itself(said: str, text: str, workspace: Workspace) -> None:
    found = typed_command(Request(instruction=said), workspace)
    assert (found.text if found is not None else "") == text


def test_it_is_the_first_draft(workspace: Workspace) -> None:
    request = Request(instruction="python fit.py -d 2 -o map.tsv")
    first = next(OfflineNavigator().drafts(request, workspace))
    assert (first.text, first.entry, first.level) == (request.instruction, "fit.py", "sure")
