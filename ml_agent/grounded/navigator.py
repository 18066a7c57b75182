"""The navigator that needs no model."""

import itertools
import posixpath
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec

from ml_agent.account import account
from ml_agent.draft import Attempt, Draft
from ml_agent.grounded.choices import Choice, ChoiceIndex
from ml_agent.grounded.commands import CommandDraft, command_drafts, statement_of
from ml_agent.grounded.examples import AdaptationTask, adapted_programs, ranked_by_wording
from ml_agent.grounded.feedback import repair_draft
from ml_agent.grounded.kind import wanted_kind
from ml_agent.grounded.order import ProgramDrafts, ordered_drafts, unused_value_count
from ml_agent.grounded.outlook import confidence_input, with_outlook
from ml_agent.grounded.python_drafts import Author, named_objects
from ml_agent.grounded.readmes import assess
from ml_agent.grounded.typed_command import typed_command
from ml_agent.matching import about
from ml_agent.matching.confidence import confidence_vector
from ml_agent.matching.entries import RepositoryFacts
from ml_agent.matching.mentions import ParsedRequest, read_request
from ml_agent.matching.model import Model, shipped
from ml_agent.matching.python_library import Library
from ml_agent.matching.python_retrieval import LibraryIndex
from ml_agent.matching.python_solver import PythonModel, shipped_tables
from ml_agent.matching.retrieval import EntryIndex as Entries
from ml_agent.matching.sense import encoder_in_use
from ml_agent.matching.stated import stated_values
from ml_agent.navigator import Assessment, Given, Workspace
from ml_agent.request import Request, Value
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from ml_agent.understanding import rank, understood, without_repeated

REMEMBERED = 4
"""Repositories and requests of which what was read stays in memory: rows come by repository, and one may take 40 MB."""
_SHOWN, _LONGEST = 5, 40
"""Words that are told, and letters of each."""


class GroundedNavigator:
    """Retrieval, matching of values to signatures, adaptation of examples; the same input always gives the same answer.

    Args:
        model: learned tables; None for those that are shipped.
        python: those of Python.
    """

    name = "grounded"

    def __init__(self, model: Model | None = None, python: PythonModel | None = None) -> None:
        self._model = model
        self._python = python
        self._folders: OrderedDict[tuple[object, ...], _Folder] = OrderedDict()
        self._drafts: OrderedDict[tuple[object, ...], _Drafts] = OrderedDict()

    def understand(self, instruction: str, given: Given) -> Request:
        """Read the instruction: keywords, and every value that must be honoured.

        Raises:
            UsageError: it is too long to be one.
        """
        read = understood(instruction, given)
        return msgspec.structs.replace(
            read, values=without_repeated(stated_values(instruction, given.arguments), instruction)
        )

    def rank(self, request: Request, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates in descending relevance."""
        return rank(request.instruction, candidates)

    def assess(self, request: Request, workspace: Workspace) -> Assessment:
        """Whether this repository can do the task, and by which READMEs."""
        strange: tuple[str, ...] = ()
        if not workspace.path_given:
            vocabulary = self._folder(workspace).entries.facts.vocabulary
            strange = about.shipped().foreign_terms(read_request(request.instruction), vocabulary)
        if strange:
            said = ", ".join(repr(word[:_LONGEST]) for word in strange[:_SHOWN])
            reason = f"not about this repository: it says nothing of {said}"
            return Assessment(possible=False, reason=reason, foreign=True)
        return assess(request, workspace)

    def drafts(self, request: Request, workspace: Workspace) -> Iterator[Draft]:
        """The drafts in the order in which they deserve to be tried; made once, and kept."""
        typed = typed_command(request, workspace)
        first = [_with_account(typed, request, workspace)] if typed is not None else []
        return itertools.chain(first, self._ranked_drafts(request, workspace))

    def revise(self, request: Request, workspace: Workspace, attempt: Attempt) -> Draft | None:
        """The draft without what was refused, or with what was missed."""
        better = repair_draft(attempt, workspace.index.signatures.get(attempt.draft.entry, ()))
        if better is None:
            return None
        return _with_account(better, request, workspace)

    def support(self, request: Request, workspace: Workspace, draft: Draft) -> list[float]:
        """What speaks for and against a draft as a whole: its vector of `confidence.CONFIDENCE_FEATURES`."""
        judged = confidence_input(draft, self._ranked_drafts(request, workspace).commands, workspace)
        return confidence_vector(statement_of(request), draft.text, judged)

    @property
    def _tables(self) -> Model:
        return self._model or shipped()

    def _ranked_drafts(self, request: Request, workspace: Workspace) -> "_Drafts":
        key = (request, str(workspace.index.root), workspace.index.version, workspace.path, workspace.path_given)
        found = self._drafts.get(key)
        if found is None:
            choice_index = self._folder(workspace).choice_index
            task = AdaptationTask(request=request, workspace=workspace, choice_index=choice_index, model=self._tables)
            choices, statement = ranked_by_wording(task), statement_of(request)
            programs = self._programs(task, choices)
            found = self._read(statement.without_encoder(), task, programs, choices)
            if encoder_in_use() and not found.says_all(request.values):
                found = self._read(statement, task, programs, choices)
            _remember(self._drafts, key, found)
        return found

    def _read(
        self, statement: ParsedRequest, task: AdaptationTask, programs: ProgramDrafts, choices: Sequence[Choice]
    ) -> "_Drafts":
        """The drafts in their order, of a request as it is read."""
        request, workspace = task.request, task.workspace
        commands = [
            one._replace(draft=_with_account(one.draft, request, workspace))
            for one in command_drafts(statement, task.model, workspace, self._folder(workspace).entries)
        ]
        drafts = ordered_drafts(request.instruction, commands, programs, choices)
        return _Drafts(with_outlook(drafts, commands, request, workspace, self._tables), commands)

    def _programs(self, task: AdaptationTask, choices: Sequence[Choice]) -> ProgramDrafts:
        request, workspace = task.request, task.workspace
        author = self._folder(workspace).author
        written: Iterator[Draft] = iter(())
        if wanted_kind(request.instruction) == "python" or author.is_library:
            written = author.drafts(request, workspace, self._python or shipped_tables(), self._tables)
        accounted = [_with_account(one, request, workspace) for one in written]
        named = named_objects(statement_of(request), workspace.index.api)
        return ProgramDrafts(accounted, _Drafts(adapted_programs(task, choices)), named)

    def _folder(self, workspace: Workspace) -> "_Folder":
        key = (str(workspace.index.root), workspace.index.version, workspace.path)
        if key not in self._folders:
            _remember(self._folders, key, _Folder(workspace.index, workspace.path or "."))
        return self._folders[key]


class _Folder:
    """What is read of a repository for tasks in one of its folders, as far as it was wanted.

    Args:
        index: the repository.
        path: the folder; "." for all.
    """

    def __init__(self, index: RepoIndex, path: str) -> None:
        self._index = index
        self._path = path

    @cached_property
    def entries(self) -> Entries:
        """The entry points."""
        return Entries(RepositoryFacts(self._index), self._path)

    @cached_property
    def author(self) -> Author:
        """Who writes Python."""
        return Author(LibraryIndex(Library(self._index, self._path)))

    @cached_property
    def choice_index(self) -> ChoiceIndex:
        """The choices below the folder; those of the whole repository where there are none."""
        near = ChoiceIndex(self._index, self._path)
        return near if near.choices else ChoiceIndex(self._index)


class _Drafts:
    """Drafts that are made as they are asked for, and kept.

    Args:
        source: of them, in their order.
        commands: those among them that were matched.
    """

    def __init__(self, source: Iterator[Draft], commands: Sequence[CommandDraft] = ()) -> None:
        self.commands = commands
        self._source = source
        self._made: list[Draft] = []

    def __iter__(self) -> Iterator[Draft]:
        yield from self._made
        for draft in self._source:
            self._made.append(draft)
            yield draft

    def says_all(self, values: Sequence[Value]) -> bool:
        """Whether the first one is a documented way with a place for every stated value: words alone read such a request well.

        Who names the program himself need not mean what its examples show.
        """
        first = next(iter(self), None)
        if first is None or first.provenance is None or first.provenance.kind != "example":
            return False
        if any(_names_program(value, first.entry) for value in values):
            return False
        placed = (one.placed_values for one in self.commands if one.draft.text.strip() == first.text.strip())
        return not unused_value_count(first, next(placed, ()))


def _names_program(value: Value, entry: str) -> bool:
    """Whether a value names an entry point, by the end of its path or of its module's name."""
    path = f"/{entry}"
    if value.kind == "path" and path.endswith(f"/{posixpath.normpath(value.value)}"):
        return True
    module = f"/{value.value.replace('.', '/')}"
    return "." in value.value and path.endswith((f"{module}.py", f"{module}/__main__.py"))


def _with_account(draft: Draft, request: Request, workspace: Workspace) -> Draft:
    return msgspec.structs.replace(draft, ledger=account(draft, request, workspace))


def _remember(memory: OrderedDict, key: object, value: object) -> None:  # type: ignore[type-arg]
    memory[key] = value
    while len(memory) > REMEMBERED:
        memory.popitem(last=False)
