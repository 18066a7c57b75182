"""The one interface behind which thinking happens."""

from collections.abc import Iterator, Sequence
from typing import Protocol

import msgspec

from ml_agent.draft import Attempt, Draft
from ml_agent.request import Request
from ml_agent.tools.candidates import Candidate, Source
from ml_agent.tools.index import RepoIndex


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What the user gave beside the instruction."""

    repository: str = ""
    path: str = ""
    arguments: tuple[tuple[str, str], ...] = ()
    """Name and value of each `--arg NAME=VALUE`."""
    prefix_code: str = ""
    expect: tuple[str, ...] = ()
    """Each `--expect PATH[:KIND]`."""
    expect_before: tuple[str, ...] = ()
    """Those of the run that this one goes on from."""


class Workspace(msgspec.Struct, frozen=True, kw_only=True):
    """A repository at one commit, indexed, and the folder in it where the task lives."""

    index: RepoIndex
    candidate: Candidate
    path: str = "."
    """Folder of the task, relative to the root; the answer runs from here."""
    path_given: bool = False
    """Whether the user named that folder: the answer then runs from it and from nowhere else."""


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a repository can do the task, and why, in a line."""

    possible: bool
    reason: str = ""


class Navigator(Protocol):
    """Makes the decisions; everything else carries them out.

    An implementation asks models, and may have things run or installed in the sandbox; it changes nothing else. One whose author can be
    shown a result is a `Reviewer` as well (`conversation/outcome.py`).
    """

    name: str

    def understand(self, instruction: str, given: Given) -> Request:
        """Read the instruction: keywords, and every value that must be honoured."""

    def search(self, request: Request, source: Source) -> list[Candidate]:
        """Repositories that may do it. Raises SearchError."""

    def rank(self, request: Request, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates in descending relevance."""

    def assess(self, request: Request, workspace: Workspace) -> Assessment:
        """Whether this repository can do the task."""

    def drafts(self, request: Request, workspace: Workspace) -> Iterator[Draft]:
        """Distinct answers, best first, each with its provenance and its confidence; made as they are asked for. May raise Rejected.

        Called anew for each next answer; the caller leaves out what was tried before.
        """

    def revise(self, request: Request, workspace: Workspace, attempt: Attempt) -> Draft | None:
        """The draft that was tried, mended where its problem points; None where that leads nowhere new."""
