"""Answers in Python: documented examples with the user's values in them, in the order in which they deserve to be tried."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath

import msgspec

from ml_agent.account import used_or_required, whole_account
from ml_agent.draft import Draft, LedgerEntry, Provenance
from ml_agent.navigator import Workspace
from ml_agent.offline.adaptation import ExampleSources, adapt
from ml_agent.offline.commands import code_acts_unasked
from ml_agent.offline.entries import RepositoryFacts
from ml_agent.offline.ranking import is_side
from ml_agent.offline.reading import ParsedRequest
from ml_agent.offline.weights import Weights
from ml_agent.offline.words import canonical, words
from ml_agent.request import Request, Value
from ml_agent.tools.check.python import check_python
from ml_agent.tools.own_cache import remembered
from ml_agent.tools.retrieval import Bm25Index, tokenize
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.usage.entry import Example

_LETTERS = re.compile(r"[a-z]+")
_GLUED = re.compile(r"([a-z]{3,})-?v?(\d[\d.]*)")
_LONGEST, _LONGEST_EXAMPLE, _MOST = 80, 4_000, 8
"""Lines of a program that may be an answer: a whole notebook is a lesson; characters of an example that are searched; programs that are made."""
_BY_VALUES, _BY_HEADING, _LONG_HEADING = 1.5, 0.1, 4
_BY_MATCH, _MOST_BY_MATCH = 0.05, 0.4
_FOREIGN, _FAULTY = 0.5, 1.0
"""What it costs an example that nothing of the repository's own is used in it; an error."""


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """A program, and how much speaks for it."""

    draft: Draft
    score: float
    fit: float
    """How well its example fits the wording, against the one that fits best."""


class ExampleIndex:
    """What the documents below a folder of a repository show, searchable; of the whole repository where there is nothing.

    Args:
        facts: of the repository.
        folder: where the task lives; "." for all.
    """

    def __init__(self, facts: RepositoryFacts, folder: str) -> None:
        self._facts = facts
        self._folder = folder
        self.every = tuple(one for one in facts.index.examples if one.kind == "python")

    @cached_property
    def _shown(self) -> Sequence[tuple[Example | None, str]]:
        """Each Python example, and with None for it each command and each entry point, with its text."""
        index = self._facts.index
        inside = [one for one in index.examples if self._holds(one.entry or one.path) or self._holds(one.workdir)]
        found = [
            (one if one.kind == "python" else None, _text(one)) for one in inside if one.kind == "python" or one.entry
        ]
        bare = (one for path, several in index.signatures.items() if self._holds(path) for one in several)
        return [*found, *((None, _bare_text(one)) for one in bare if not is_side(one.path))]

    def _holds(self, path: str) -> bool:
        return self._folder == "." or PurePosixPath(path or ".").is_relative_to(self._folder)

    @cached_property
    def _bm25(self) -> Bm25Index:
        return Bm25Index.of([search_words(text) for _, text in self._shown])

    @cached_property
    def namesakes(self) -> Mapping[str, Option]:
        """By name: an option of any script; one with choices, else one with a help text."""
        found: dict[str, Option] = {}
        for signatures in self._facts.index.signatures.values():
            for option in (option for signature in signatures for option in signature.options):
                known = found.get(option.dest)
                if known is None or (bool(option.choices), bool(option.help)) > (bool(known.choices), bool(known.help)):
                    found[option.dest] = option
        return found

    def ranked(self, request: Request) -> tuple[list[tuple[Example, float]], float]:
        """The Python examples by how well they fit a request, 1 for what fits best; and how well the best command fits."""
        names = [value.value for value in request.values if _is_name(value)]
        query = search_words(request.instruction) + 2 * [canonical(w.lower()) for name in names for w in name.split()]
        hits = self._bm25.top(query, len(self._shown))
        python: list[tuple[Example, float]] = []
        command = 0.0
        for hit in hits:
            (example, _), fit = self._shown[hit.position], hit.score / hits[0].score
            if example is None:
                command = max(command, fit)
            else:
                python.append((example, fit + _by_heading(example, request.instruction)))
        return sorted(python, key=lambda pair: -pair[1]), command


def _bare_text(signature: Signature) -> str:
    options = (f"{one.dest} {' '.join(one.choices)} {one.help}" for one in signature.options)
    names = [signature.path.replace("/", " "), signature.name, *signature.subcommand, signature.doc]
    return "\n".join([*names, *options])


def _is_name(value: Value) -> bool:
    """Whether a value is a name that is spelled or introduced as one."""
    return value.kind in {"name", "path", "text"} and (value.required or not value.text.islower())


def _text(example: Example) -> str:
    shown = [*example.headings[-3:], *example.headings[-1:], example.introduction, example.path]
    return "\n".join([*shown, example.path.replace("/", " "), example.text[:_LONGEST_EXAMPLE]])


def _by_heading(example: Example, instruction: str) -> float:
    """What it counts that the user says the very heading under which an example stands."""
    said = f" {' '.join(_LETTERS.findall(instruction.lower()))} "
    called = [" ".join(_LETTERS.findall(heading.lower())) for heading in example.headings[-2:]]
    longest = max((len(name.split()) for name in called if f" {name} " in said), default=0)
    return _BY_HEADING * min(longest, _LONG_HEADING) if longest > 1 else 0.0


def search_words(text: str) -> list[str]:
    """The words of a text in their common forms, without those that mean nothing for the choice."""
    return [word for token in tokenize(text) for word in _common_forms(token)]


@remembered(50_000)
def _common_forms(token: str) -> tuple[str, ...]:
    """ "squad2.0" is also "squad" and "2.0"; a hyphenated word is also its parts in one."""
    match = _GLUED.fullmatch(token)
    others = (match[1], match[2]) if match is not None else (token.replace("-", ""),) if "-" in token else ()
    empty = words("stop") | words("politeness")
    return tuple(canonical(word) for word in (token, *others) if word not in empty)


def programs(
    task: tuple[Request, ParsedRequest, Workspace],
    ranked: Sequence[tuple[Example, float]],
    index: ExampleIndex,
    model: Weights,
) -> Iterator[Program]:
    """Distinct programs, the most promising first.

    Args:
        task: what the user wants, the same as it is matched, the repository and the folder of the task.
        ranked: the examples with their fit, best first.
        index: of the examples.
        model: the fitted weights.
    """
    workspace = task[2]
    text = task[0].instruction
    shown = [(one, fit) for one, fit in ranked[:_MOST] if not code_acts_unasked(one.text, text)]
    waiting = [_program(one, fit, task, index, model) for one, fit in shown]
    texts: set[str] = set()
    while waiting:
        waiting.sort(key=lambda one: -one.score)
        first = waiting.pop(0)
        if not first.draft.findings:
            # What is found lowers a score and never raises one: only the best is looked at.
            found = tuple(check_python(first.draft.text, workspace.index, first.draft.workdir))
            if any(one.severity == "error" for one in found):
                draft = msgspec.structs.replace(first.draft, findings=found)
                waiting.append(msgspec.structs.replace(first, draft=draft, score=first.score - _FAULTY))
                continue
        if first.draft.text not in texts and first.draft.text.count("\n") < _LONGEST:
            texts.add(first.draft.text)
            yield first


def _program(
    example: Example, fit: float, task: tuple[Request, ParsedRequest, Workspace], index: ExampleIndex, model: Weights
) -> Program:
    """An example with the user's values in it."""
    request, statement, workspace = task
    workdir = workspace.path or "."
    sources = ExampleSources(workspace.index, workdir, index.namesakes)
    text, placed = adapt(example.text, request.values, statement, sources, model)
    draft = Draft(
        kind="python",
        text=text,
        workdir=workdir,
        because=f"based on {example.path} line {example.line}",
        provenance=Provenance(kind="example", path=example.path, line=example.line),
    )
    ledger = whole_account(draft, request, workspace)
    draft = msgspec.structs.replace(draft, ledger=used_or_required(ledger))
    score = fit + _BY_VALUES * _share(ledger) - _FOREIGN * (not example.imports_own)
    return Program(draft=draft, score=score + min(_BY_MATCH * placed, _MOST_BY_MATCH), fit=fit)


def _share(ledger: Sequence[LedgerEntry]) -> float:
    """How much of what the user stated a draft honours; a name counts less than a value, a common word hardly at all."""
    weights = [1.0 if entry.required else 0.05 if entry.text.islower() else 0.5 for entry in ledger]
    used = sum(weight for weight, entry in zip(weights, ledger, strict=True) if entry.status != "not found")
    return used / sum(weights) if weights else 0.5
