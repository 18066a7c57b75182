"""The navigator that needs no model."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence

import msgspec

from ml_agent import discovery
from ml_agent.draft import Draft
from ml_agent.grounded.attempts import ordered_drafts
from ml_agent.grounded.candidates import task_of
from ml_agent.grounded.choices import Shelf
from ml_agent.grounded.facts import RepoFacts
from ml_agent.grounded.feedback import repaired
from ml_agent.grounded.readmes import assess
from ml_agent.ledger import account
from ml_agent.navigator import Assessment, Attempt, Given, Problem, Workspace
from ml_agent.request import Request
from ml_agent.values import extract
from tools.candidates import Candidate

_REMEMBERED = 16


class GroundedNavigator:
    """Retrieval, matching of values to signatures, adaptation of examples; the same input always gives the same answer."""

    name = "grounded"

    def __init__(self) -> None:
        self._facts: OrderedDict[tuple[str, str], RepoFacts] = OrderedDict()
        self._shelves: OrderedDict[tuple[str, str, str], Shelf] = OrderedDict()
        self._drafts: OrderedDict[tuple[object, ...], _Drafts] = OrderedDict()

    def understand(self, instruction: str, given: Given) -> Request:
        """Read the instruction: keywords, and every value that must be honoured."""
        return Request(
            instruction=instruction,
            keywords=discovery.keywords(instruction),
            queries=discovery.queries(instruction),
            values=extract(instruction, given.arguments),
            repository=given.repository,
            path=given.path,
            prefix_code=given.prefix_code,
        )

    def rank(self, request: Request, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates in descending relevance."""
        return discovery.rank(request.instruction, candidates)

    def assess(self, request: Request, workspace: Workspace) -> Assessment:
        """Whether this repository can do the task, and by which READMEs."""
        return assess(request, workspace)

    def drafts(self, request: Request, workspace: Workspace) -> Iterator[Draft]:
        """The drafts in the order in which they deserve to be tried; made once, and kept."""
        return iter(self._ordered(request, workspace))

    def revise(self, request: Request, workspace: Workspace, draft: Draft, problem: Problem) -> Draft | None:
        """The draft without what was refused, or with what was missed."""
        attempt = Attempt(draft=draft, problem=problem.text, error_lines=problem.error_lines)
        better = repaired(attempt, workspace.index.signatures.get(draft.entry, ()))
        if better is None:
            return None
        return msgspec.structs.replace(better, ledger=account(better, request, workspace))

    def _ordered(self, request: Request, workspace: Workspace) -> "_Drafts":
        key = (request, str(workspace.index.root), workspace.index.version, workspace.path, workspace.path_given)
        found = self._drafts.get(key)
        if found is None:
            found = _Drafts(ordered_drafts(task_of(request, workspace, self._shelf(workspace))))
            _remember(self._drafts, key, found)
        return found

    def _shelf(self, workspace: Workspace) -> Shelf:
        """The choices below the task's folder; those of the whole repository where there are none."""
        near = self._remembered(workspace, workspace.path)
        return near if near.choices else self._remembered(workspace, ".")

    def _remembered(self, workspace: Workspace, scope: str) -> Shelf:
        key = (str(workspace.index.root), workspace.index.version, scope)
        if key not in self._shelves:
            _remember(self._shelves, key, Shelf(self._facts_of(workspace), scope))
        return self._shelves[key]

    def _facts_of(self, workspace: Workspace) -> RepoFacts:
        key = (str(workspace.index.root), workspace.index.version)
        if key not in self._facts:
            _remember(self._facts, key, RepoFacts(workspace.index))
        return self._facts[key]


class _Drafts:
    """Drafts that are made as they are asked for, and kept."""

    def __init__(self, source: Iterator[Draft]) -> None:
        self._source = source
        self._made: list[Draft] = []

    def __iter__(self) -> Iterator[Draft]:
        yield from self._made
        for draft in self._source:
            self._made.append(draft)
            yield draft


def _remember(memory: OrderedDict, key: object, value: object) -> None:  # type: ignore[type-arg]
    memory[key] = value
    while len(memory) > _REMEMBERED:
        memory.popitem(last=False)
