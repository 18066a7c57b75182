"""The navigator that needs no model."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence

import msgspec

from ml_agent import discovery
from ml_agent.draft import Draft, LedgerEntry
from ml_agent.grounded.attempts import ordered_drafts
from ml_agent.grounded.candidates import task_of
from ml_agent.grounded.choices import Shelf
from ml_agent.grounded.facts import RepoFacts
from ml_agent.grounded.feedback import repaired
from ml_agent.grounded.kind import wanted_kind
from ml_agent.grounded.readmes import assess
from ml_agent.ledger import account
from ml_agent.navigator import Assessment, Attempt, Evidence, Given, Problem, Step, Workspace
from ml_agent.request import Request
from ml_agent.values import extract
from tools.candidates import Candidate
from tools.python_api.model import ApiObject

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
            wants=wanted_kind(instruction),
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

    def write(self, request: Request, workspace: Workspace, evidence: Evidence) -> Step:
        """The best draft that has not been tried yet."""
        tried = {attempt.draft.text.strip() for attempt in evidence.attempts}
        last = evidence.attempts[-1] if evidence.attempts else None
        if last is not None and (last.problem or last.error_lines):
            problem = Problem(text=last.problem, error_lines=last.error_lines)
            better = self.revise(request, workspace, last.draft, problem)
            if better is not None and better.text.strip() not in tried:
                return Step(action="draft", draft=better, reason=better.because)
        named = _named(evidence.attempts, workspace)
        for draft in self.drafts(request, workspace):
            if draft.text.strip() not in tried and (
                not named or named <= _honoured(account(draft, request, workspace), workspace, draft.workdir)
            ):
                return Step(action="draft", draft=draft, reason=draft.because)
        return Step(action="reject-repository", reason="nothing in this repository is left to try")

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


def _named(attempts: Sequence[Attempt], workspace: Workspace) -> frozenset[str]:
    """What of the repository the user named, by the first draft that ran: running without it would be no answer."""
    ran = next((one.draft for one in attempts if one.error_lines), None)
    return _honoured(ran.ledger, workspace, ran.workdir) if ran is not None else frozenset()


def _honoured(ledger: Sequence[LedgerEntry], workspace: Workspace, workdir: str) -> frozenset[str]:
    return frozenset(
        entry.value
        for entry in ledger
        if entry.status == "honoured" and isinstance(workspace.index.api.resolve(entry.where, workdir), ApiObject)
    )


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
