"""Small repositories and what the offline navigator makes of them."""

import textwrap
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from ml_agent.draft import Draft
from ml_agent.navigator import Given, Workspace
from ml_agent.offline.navigator import OfflineNavigator
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex


class Place:
    """A repository in a temporary folder, and one navigator for it."""

    def __init__(self, root: Path) -> None:
        self.navigator = OfflineNavigator()
        self._candidate = Candidate(full_name="someone/something", url=str(root))
        self._index = RepoIndex.open(root, str(root))

    def workspace(self, path: str = "") -> Workspace:
        """The repository, with the task in a folder of it."""
        return Workspace(index=self._index, candidate=self._candidate, path=path or ".", path_given=bool(path))

    def answers(
        self, instruction: str, count: int = 1, path: str = "", arguments: tuple[tuple[str, str], ...] = ()
    ) -> list[Draft]:
        """The first drafts."""
        request = self.navigator.understand(instruction, Given(path=path, arguments=arguments))
        return list(islice(self.navigator.drafts(request, self.workspace(path)), count))

    def answer(self, instruction: str, path: str = "", arguments: tuple[tuple[str, str], ...] = ()) -> Draft:
        """The first draft."""
        return self.answers(instruction, 1, path, arguments)[0]


Make = Callable[[dict[str, str]], Place]


@pytest.fixture
def repository(tmp_path: Path) -> Make:
    """Makes a repository of file names and contents."""

    def make(files: dict[str, str]) -> Place:
        for name, text in files.items():
            file = tmp_path / "repository" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return Place(tmp_path / "repository")

    return make
