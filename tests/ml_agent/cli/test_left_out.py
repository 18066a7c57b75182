"""What an index lacks is said where its knowledge is shown."""

from pathlib import Path

import pytest

from ml_agent.cli.tables import say_left_out
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.repository import Checkout
from ml_agent.workspaces import Workspaces


class NoRepositories:
    """Brings nothing: the folder is there already."""

    def get(self, source: str, commit: str | None = None) -> Checkout:
        raise AssertionError(source)


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of three files for which there is no time."""
    monkeypatch.setattr("ml_agent.tools.index.RepoIndex.__init__.__defaults__", (None, None, "", -1.0))
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_text("import argparse\n")
    return tmp_path


def test_on_stderr(slow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index = RepoIndex.open(slow, "v")
    assert not index.entries
    say_left_out(index)
    said = capsys.readouterr()
    assert (
        said.err == "a.py and 2 more: not read for entries (reading everything would take too long)\n" and not said.out
    )


def test_of_a_workspace(slow: Path) -> None:
    from ml_agent.navigator import Given

    workspaces = Workspaces(NoRepositories(), None)
    workspace = workspaces.open(Candidate(full_name="o/n", url=str(slow)), slow, "v", Given())
    assert workspaces.left_out(slow, "v") == []
    assert not workspace.index.entries
    assert [line.partition(":")[0] for line in workspaces.left_out(slow, "v")] == ["a.py and 2 more"]
    assert workspaces.left_out(slow, "another") == []
