"""The navigator that needs no model."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, zip_longest
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

from ml_agent.account import account
from ml_agent.draft import Attempt, Draft, Placement, Provenance
from ml_agent.finder import collect
from ml_agent.navigator import Assessment, Given, Workspace
from ml_agent.offline.commands import Command, commands, text_of, workdir_of
from ml_agent.offline.confidence import Level, confidence_vector, level, probability, program_words, words_without_place
from ml_agent.offline.entries import RepositoryFacts
from ml_agent.offline.literals import literals
from ml_agent.offline.programs import ExampleIndex, Program, programs, search_words
from ml_agent.offline.ranking import EntryIndex
from ml_agent.offline.reading import ParsedRequest, read_request
from ml_agent.offline.weights import Weights, shipped
from ml_agent.request import Request
from ml_agent.tools.candidates import Candidate, Source
from ml_agent.tools.documents.read import is_readme
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option
from ml_agent.understanding import rank, understood, wanted_kind
from ml_agent.user_values import is_path

REMEMBERED = 4
"""Repositories and requests of which what was read stays in memory: rows come by repository, and one may take 40 MB."""
_OF_ONE_KIND = 3
"""So many answers of one kind in a row are given before one of the other kind."""
_FITS = 0.9
"""How well the example of a program fits that may be called likely, against the one that fits best."""
_BY_VALUE, _CLEARLY = 0.3, 0.5
"""What a stated value without a place counts against how well an example fits, which is 1 at most; how much better an example must fit
that leaves one."""


class OfflineNavigator:
    """Ranking by BM25, matching of values to options, adaptation of examples; the same input always gives the same answer.

    Args:
        model: fitted weights; None for those that come along.
    """

    name = "offline"

    def __init__(self, model: Weights | None = None) -> None:
        self._model = model
        self._folders: OrderedDict[tuple[object, ...], _Folder] = OrderedDict()
        self._drafts: OrderedDict[tuple[object, ...], list[Draft]] = OrderedDict()

    def understand(self, instruction: str, given: Given) -> Request:
        """Read the instruction: keywords, and every value that must be honoured.

        Raises:
            UsageError: it is too long to be one.
        """
        return understood(instruction, given)

    def search(self, request: Request, source: Source) -> list[Candidate]:
        """What a few short searches bring."""
        return collect(request.instruction, source)

    def rank(self, request: Request, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates in descending relevance."""
        return rank(request.instruction, candidates)

    def assess(self, request: Request, workspace: Workspace) -> Assessment:
        """Whether this repository can do the task."""
        return assess(request, workspace)

    def drafts(self, request: Request, workspace: Workspace) -> Iterator[Draft]:
        """The drafts in the order in which they deserve to be tried."""
        key = (request, str(workspace.index.root), workspace.index.version, workspace.path, workspace.path_given)
        if key not in self._drafts:
            _remember(self._drafts, key, list(self._made(request, workspace)))
        return iter(self._drafts[key])

    def revise(self, request: Request, workspace: Workspace, attempt: Attempt) -> Draft | None:
        """None: the next draft is tried."""
        return None

    def _made(self, request: Request, workspace: Workspace) -> Iterator[Draft]:
        given = tuple((one.name, one.value) for one in request.values if one.name and one.start < 0)
        statement = read_request(request.instruction, given)
        folder, model = self._folder(workspace), self._model or shipped()
        made = list(_command_drafts(statement, request, workspace, folder.entries, model))
        examples, command_fit = folder.examples.ranked(request)
        task = (request, statement, workspace)
        written = [_judged(one, statement, workspace) for one in programs(task, examples, folder.examples, model)]
        order = _ordered(request.instruction, made, written, command_fit)
        texts = dict[str, Draft]()
        for draft in order:
            texts.setdefault(draft.text.strip(), draft)
        yield from texts.values()

    def _folder(self, workspace: Workspace) -> "_Folder":
        key = (str(workspace.index.root), workspace.index.version, workspace.path)
        if key not in self._folders:
            _remember(self._folders, key, _Folder(workspace.index, workspace.path or "."))
        return self._folders[key]


class _Folder:
    """What is read of a repository for tasks in one of its folders, as far as it was wanted."""

    def __init__(self, index: RepoIndex, path: str) -> None:
        self._facts = RepositoryFacts(index)
        self._path = path

    @cached_property
    def entries(self) -> EntryIndex:
        """The entry points."""
        return EntryIndex(self._facts, self._path)

    @cached_property
    def examples(self) -> ExampleIndex:
        """What documents show."""
        return ExampleIndex(self._facts, self._path)


class _CommandDraft(NamedTuple):
    """A command as a draft, and the values that it has because of what the request says of them."""

    draft: Draft
    placed: frozenset[str]
    certain: bool
    """Whether no value of it could as well be elsewhere."""


def _command_drafts(
    statement: ParsedRequest, request: Request, workspace: Workspace, index: EntryIndex, model: Weights
) -> Iterator[_CommandDraft]:
    found = commands(statement, index, model)
    for command in found:
        workdir = workdir_of(command, workspace.path, workspace.path_given)
        text = text_of(command, workdir)
        if text is not None:
            likelihood = probability(confidence_vector(statement, command, text, found), model)
            draft = msgspec.structs.replace(
                _draft(command, text, workdir),
                confidence=round(likelihood, 3),
                level=level(likelihood),
                unplaced=words_without_place(statement, command, text),
            )
            placed = frozenset(value for one in command.assignment.all for value in one.values)
            certain = len(placed) > 1 and all(one.score > 3 for one in command.assignment.placed)
            yield _CommandDraft(_with_account(draft, request, workspace), placed, certain)


def _draft(command: Command, text: str, workdir: str) -> Draft:
    signature, shown, slots = command.entry.signature, command.shown, command.entry.slots
    if shown is not None:
        made_from = Provenance(kind="example", path=shown.example.path, line=shown.example.line)
        because = f"{signature.path}, based on {shown.example.path} line {shown.example.line}"
    else:
        made_from = Provenance(kind="signature", path=signature.path, line=signature.line)
        because = f"{signature.path}, from its options"
    placements = tuple(
        Placement(where=_written(slots[one.slot].option, one.values), starts=one.starts)
        for one in command.assignment.all
    )
    invented = tuple(
        _written(option, [] if option.switch else _listed(command.values[option.dest]))
        for option in signature.options
        if option.dest in command.invented
    )
    return Draft(
        kind="bash",
        text=text,
        workdir=workdir,
        entry=signature.path,
        source="offline",
        because=because,
        provenance=made_from,
        placements=placements,
        invented=invented,
    )


def _listed(value: Any) -> list[str]:
    return list(map(str, value if isinstance(value, list) else [value]))


def _written(option: Option, values: Sequence[str]) -> str:
    """An option with its values as it stands in the command."""
    given = " ".join(values)
    flag = max(option.flags, key=len, default="")
    return given if option.positional else f"{flag} {given}".strip() if flag else f"{option.dest}={given}"


def _judged(program: Program, statement: ParsedRequest, workspace: Workspace) -> Program:
    """A program with the words without a place, and what is said of it.

    Likely only where every value and every word has one, and a file of the user's may stand for a file of the example.
    """
    made_from = program.draft.provenance
    found = (
        one
        for one in workspace.index.examples
        if made_from is not None and (one.path, one.line) == (made_from.path, made_from.line)
    )
    example = next(found, None)
    shown = " ".join([*example.headings, example.introduction, example.text]) if example is not None else ""
    unplaced = program_words(statement, program.draft, shown)
    used = not any(one.required and one.status == "not found" for one in program.draft.ledger)
    names_file = any(one.kind == "path" for one in statement.mentions)
    opens_file = any(
        one.kind == "text" and is_path(one.text) for one in literals(example.text if example is not None else "")
    )
    doubtful = unplaced or program.fit < _FITS or (names_file and not opens_file)
    said: Level = "unsure" if not used else "guess" if doubtful else "likely"
    draft = msgspec.structs.replace(program.draft, unplaced=unplaced, level=said, source="offline")
    return msgspec.structs.replace(program, draft=draft)


def _ordered(
    instruction: str, made: Sequence[_CommandDraft], written: Sequence[Program], command_fit: float
) -> Iterator[Draft]:
    """All drafts: first of the kind that is asked for, or that fits better where the wording leaves it open."""
    wanted = wanted_kind(instruction)
    ordered = sorted(made, key=lambda one: _unused(one.draft, one.placed) > 0)
    bash, python = [one.draft for one in ordered], [one.draft for one in written]
    lead = max((one.fit for one in written), default=0.0) - command_fit
    if wanted == "python" or (
        wanted == "either" and written and (not ordered or _fits_better(written[0].draft, ordered[0], lead))
    ):
        bash, python = python, bash
    if wanted == "python":
        return chain(bash, python)
    return chain(bash[:_OF_ONE_KIND], _alternating(python, bash[_OF_ONE_KIND:]))


def _fits_better(program: Draft, command: _CommandDraft, lead: float) -> bool:
    """Whether a program goes before a command where the wording leaves it open: values without a place speak against either."""
    unused = _unused(command.draft, command.placed)
    if (command.certain and not unused) or lead + _BY_VALUE * unused <= 0 or (_unused(program) and lead < _CLEARLY):
        return False
    without = _unused(program) + sum(value not in program.text for value in command.placed)
    return lead + _BY_VALUE * (unused - without) > 0


def _unused(draft: Draft, placed: frozenset[str] = frozenset()) -> int:
    """How many stated values a draft has no place for, by its account."""
    return sum(entry.required and entry.status == "not found" and entry.value not in placed for entry in draft.ledger)


def _alternating(*several: Iterable[Draft]) -> Iterator[Draft]:
    return (draft for turn in zip_longest(*several) for draft in turn if draft is not None)


def _with_account(draft: Draft, request: Request, workspace: Workspace) -> Draft:
    return msgspec.structs.replace(draft, ledger=account(draft, request, workspace))


def _remember(memory: OrderedDict[Any, Any], key: object, value: object) -> None:
    memory[key] = value
    while len(memory) > REMEMBERED:
        memory.popitem(last=False)


_MAIN_README, _TREE = 4_000, 2
"""Characters of the main README, and levels of folders that are looked at."""


def assess(request: Request, workspace: Workspace) -> Assessment:
    """First judgement by name, directory structure, main README and the paths of all READMEs."""
    index = workspace.index
    structure = {"/".join(PurePosixPath(path).parts[:_TREE]) for path in index.files}
    readmes = [path for path in index.files if is_readme(path)]
    main = "\n".join(one.text for one in index.passages if is_readme(one.path) and "/" not in one.path)[:_MAIN_README]
    first_look = [workspace.candidate.full_name, workspace.candidate.description, *structure, *readmes, main]
    shared = set(search_words(request.instruction)) & set(search_words(" ".join(first_look)))
    shown = sorted(word for word in shared if len(word) > 1)[:6]
    against = ""
    if not index.signatures and not index.examples:
        against = "no entry point and no example of use was found"
    elif not shared and not workspace.path_given:
        against = "neither its README nor its folders mention the task"
    if against:
        return Assessment(possible=False, reason=against)
    reason = f"matching keywords: {', '.join(shown)}" if shown else "the folder was given"
    return Assessment(possible=True, reason=reason)
