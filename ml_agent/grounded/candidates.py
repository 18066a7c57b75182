"""Candidate answers: every promising choice made into a draft, with a score, before anything is checked."""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

import msgspec

from ml_agent.draft import Draft, LedgerEntry, Provenance
from ml_agent.grounded.bash import Plan, compose
from ml_agent.grounded.choices import Choice, Shelf, query_of
from ml_agent.grounded.completion import Sources
from ml_agent.grounded.conflicts import sibling_conflicts
from ml_agent.grounded.kind import wanted_kind
from ml_agent.grounded.ledger import Match, full_account, relevant_entries
from ml_agent.grounded.purpose import opposes
from ml_agent.grounded.python import adapt
from ml_agent.grounded.scope import parsed
from ml_agent.grounded.spoken import said
from ml_agent.grounded.variables import join_folders
from ml_agent.matching.likeness import stands
from ml_agent.matching.terms import canonical, terms
from ml_agent.navigator import Workspace
from ml_agent.request import Request, Value
from tools.documents.read import is_readme
from tools.examples import Example
from tools.signatures.model import Signature

_MOST_CHOICES = 400
_MOST_BASH = 12
_MOST_PER_ENTRY = 5
_MOST_PYTHON = 8

_BY_VALUES = 1.5
_BY_NAMES = 0.5
_BY_HEADING, _LONG_HEADING = 0.1, 4
_LETTERS = re.compile(r"[a-z]+")
_BY_MATCH, _MOST_BY_MATCH = 0.05, 0.4
_BY_SUBCOMMAND = 0.4
_BY_LANGUAGE = 0.5
_UNASKED = 0.006
_CONFLICT = 0.15
_LEAN = 0.1
_BARE = 0.5
"""What it costs to ignore the examples that there are of an entry point."""
_FOREIGN = 0.5
"""What it costs an example that nothing of the repository's own is used in it."""
_UNFINISHED = 0.15
_BY_STEM = 0.25
_USUAL = frozenset(canonical(word) for word in ("main", "run", "script", "cli", "app", "demo", "start", "launch"))


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A draft, how much speaks for it, and what it was made from."""

    draft: Draft
    score: float
    choice: Choice
    plan: Plan | None = None
    """How a command was made; None for Python."""
    matches: tuple[Match, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    """Of all values, with the guesses that nobody honours."""

    @property
    def family(self) -> str:
        """What candidates that hardly differ have in common."""
        return f"{self.draft.kind} {self.choice.path}"


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What a candidate is made for."""

    request: Request
    workspace: Workspace
    shelf: Shelf
    values: tuple[Value, ...]


def task_of(request: Request, workspace: Workspace, shelf: Shelf) -> Task:
    """The task, with names and the folders where they lie made one."""
    return Task(request=request, workspace=workspace, shelf=shelf, values=join_folders(request.values))


def candidates(task: Task) -> list[Candidate]:
    """All candidates, in no order."""
    query = query_of(task.request.instruction, [value.value for value in task.values if _is_name(value)])
    ranked = [
        _with_heading(_with_names(choice, task.values), task.request.instruction)
        for choice in task.shelf.ranked(query, _MOST_CHOICES)
    ]
    choices = _by_entry(ranked, frozenset(query))
    return [*_commands(choices, task), *_blocks(choices, task)]


def _is_name(value: Value) -> bool:
    """Whether a value is a name that is spelled or introduced as one."""
    return value.kind in {"name", "path", "text"} and (value.required or not value.text.islower())


def _with_names(choice: Choice, values: Sequence[Value]) -> Choice:
    """The choice with a better fit where its text has the names that the user gave."""
    text = choice.example.text if choice.example is not None else choice.path
    telling = [(value, 1.0 if _is_name(value) else 0.5) for value in values if _is_name(value) or _is_telling(value)]
    if not telling:
        return choice
    shown_in = choice.example.path if choice.example is not None else choice.path
    stem = PurePosixPath(shown_in).stem if not shown_in.endswith((".md", ".rst", ".ipynb")) else ""
    said = sum(
        weight * (0.7 * stands(value.value, text) + 0.3 * stands(value.value, stem)) for value, weight in telling
    )
    return msgspec.structs.replace(choice, fit=choice.fit + _BY_NAMES * said / sum(weight for _, weight in telling))


def _with_heading(choice: Choice, instruction: str) -> Choice:
    """The choice with a better fit where the user says the very heading under which it stands."""
    headings = choice.example.headings[-2:] if choice.example is not None else ()
    said = f" {' '.join(_LETTERS.findall(instruction.lower()))} "
    called = [" ".join(_LETTERS.findall(heading.lower())) for heading in headings]
    longest = max((len(name.split()) for name in called if f" {name} " in said), default=0)
    return (
        msgspec.structs.replace(choice, fit=choice.fit + _BY_HEADING * min(longest, _LONG_HEADING))
        if longest > 1
        else choice
    )


def _is_telling(value: Value) -> bool:
    """Whether a number is one that examples are told apart by: a resolution, a length."""
    return value.kind == "number" and value.required and value.value.isdigit() and len(value.value) > 2


def _by_entry(choices: Sequence[Choice], said: frozenset[str]) -> list[Choice]:
    """The choices, best first; an entry point is as good as the best that is said of it, bare or in an example."""
    best: dict[str, float] = {}
    shown: set[str] = set()
    for choice in choices:
        best[choice.path] = max(best.get(choice.path, 0.0), choice.fit)
        if choice.example is not None:
            shown.add(choice.path)
    fitted = []
    for choice in choices:
        fit = choice.fit if choice.kind == "python" else 0.6 * best[choice.path] + 0.4 * choice.fit
        undocumented = choice.example is None and choice.path in shown
        contrary = opposes(choice.path, said) - _stem_score(choice.path, said) if choice.signature is not None else 0.0
        fitted.append(msgspec.structs.replace(choice, fit=fit - _BARE * undocumented - contrary))
    return sorted(fitted, key=lambda choice: -choice.fit)


def _stem_score(path: str, said: frozenset[str]) -> float:
    """What speaks for a script whose name the user says: `export.py` for "export it"."""
    telling = [term for term in terms(PurePosixPath(path).stem) if term not in _USUAL]
    return _BY_STEM * sum(term in said for term in telling) / len(telling) if telling else 0.0


def _commands(choices: Sequence[Choice], task: Task) -> Iterator[Candidate]:
    tried: dict[str, int] = {}
    for choice in choices:
        if (
            choice.signature is None
            or tried.get(choice.path, 0) >= _MOST_PER_ENTRY
            or sum(tried.values()) >= _MOST_BASH
        ):
            continue
        tried[choice.path] = tried.get(choice.path, 0) + 1
        plan = Plan(
            signature=choice.signature, workdir=_workdir(choice, task), example=choice.example,
            seen=task.shelf.seen.get(choice.path, {}), variables=task.shelf.facts.variables,
            instruction=task.request.instruction, files=task.workspace.index.files, borrowed=task.shelf.facts.borrowed,
            choice_words=task.shelf.facts.choice_words,
        )  # fmt: skip
        full = command(choice, plan, task.values)
        yield full
        if choice.example is not None and tried[choice.path] == 1:
            lean = command(choice, msgspec.structs.replace(plan, bare=True), task.values)
            yield msgspec.structs.replace(lean, score=min(lean.score, full.score - _LEAN))


def command(choice: Choice, plan: Plan, values: Sequence[Value]) -> Candidate:
    """A bash candidate."""
    composed = compose(plan, values)
    ledger = full_account(composed.text, values, plan.signature)
    source = f"{choice.example.path}:{choice.example.line}" if choice.example is not None else "its signature"
    draft = Draft(
        kind="bash", text=composed.text, workdir=plan.workdir, entry=plan.signature.path,
        ledger=relevant_entries(ledger),
        because=f"{plan.signature.path} after {source}{', only what was asked for' if plan.bare else ''}",
        provenance=_made_from(choice),
    )  # fmt: skip
    score = choice.fit + _BY_VALUES * share(ledger) - _UNASKED * composed.unasked - _CONFLICT * composed.contrary
    score += _match_score(composed.matches) + _BY_SUBCOMMAND * _calls_subcommand(plan.signature, plan.instruction)
    score += _BY_LANGUAGE * (wanted_kind(plan.instruction) == "bash")
    return Candidate(draft=draft, score=score, choice=choice, plan=plan, matches=composed.matches, ledger=ledger)


def _made_from(choice: Choice) -> Provenance:
    if choice.example is not None:
        return Provenance(kind="example", path=choice.example.path, line=choice.example.line)
    return Provenance(kind="signature", path=choice.path, line=choice.signature.line if choice.signature else 0)


def _match_score(matches: Sequence[Match]) -> float:
    """What it is worth that many of the wishes found their place."""
    return min(_BY_MATCH * len({found.option.dest for found in matches}), _MOST_BY_MATCH)


def _calls_subcommand(signature: Signature, instruction: str) -> bool:
    words = said(instruction).words
    return bool(signature.subcommand) and signature.subcommand[-1].lower() in words


def _workdir(choice: Choice, task: Task) -> str:
    """The folder that the user named; else the one from which examples run; else the script's own where it has a README, or the root."""
    workspace = task.workspace
    if workspace.path_given or workspace.path not in {"", "."}:
        return workspace.path
    if choice.signature is not None and choice.signature.kind == "console":
        return "."
    if choice.example is not None and choice.example.workdir:
        return choice.example.workdir
    shown = next(
        (one.example for one in task.shelf.choices if one.path == choice.path and one.example is not None), None
    )
    if shown is not None:
        return shown.workdir or "."
    folder = str(PurePosixPath(choice.path).parent)
    documented = any(is_readme(path) and str(PurePosixPath(path).parent) == folder for path in workspace.index.files)
    return folder if documented else "."


def _blocks(choices: Sequence[Choice], task: Task) -> Iterator[Candidate]:
    every = [one.example for one in task.shelf.choices if one.kind == "python" and one.example is not None]
    best = [choice for choice in choices if choice.kind == "python"][:_MOST_PYTHON]
    for choice in best:
        if choice.example is not None and not _is_data(choice.example.text):
            yield _block(choice, choice.example, every, task)


def _block(choice: Choice, example: Example, every: Sequence[Example], task: Task) -> Candidate:
    """A Python candidate."""
    workdir = task.workspace.path or "."
    sources = Sources(
        earlier=_earlier(example, every),
        others=tuple(every),
        index=task.workspace.index,
        workdir=workdir,
        values=task.values,
        namesakes=task.shelf.facts.namesakes,
        seen=task.shelf.facts.texts,
    )
    adapted = adapt(example.text, task.values, task.request.instruction, sources)
    ledger = full_account(adapted.text, task.values)
    draft = Draft(
        kind="python", text=adapted.text, workdir=workdir, ledger=relevant_entries(ledger),
        because=f"adapted from {example.path}:{example.line}", provenance=_made_from(choice),
    )  # fmt: skip
    score = (
        choice.fit + _BY_VALUES * share(ledger) - _FOREIGN * (not example.api) - _UNFINISHED * (not _acts(adapted.text))
    )
    score += _match_score(adapted.matches) + _BY_LANGUAGE * (wanted_kind(task.request.instruction) == "python")
    score -= _CONFLICT * sibling_conflicts(adapted.text, task.request.instruction, task.workspace.index.api, workdir)
    return Candidate(draft=draft, score=score, choice=choice, matches=adapted.matches, ledger=ledger)


def _is_data(code: str) -> bool:
    """Whether a block shows values alone, as a list of names does, and is no program."""
    tree = parsed(code)
    return tree is not None and all(
        isinstance(node, ast.Expr) and not any(isinstance(one, ast.Call | ast.Await) for one in ast.walk(node))
        for node in tree.body
    )


def _acts(code: str) -> bool:
    """Whether the last thing that code does is more than to give something a name."""
    tree = parsed(code)
    return (
        tree is None
        or not tree.body
        or not isinstance(tree.body[-1], ast.Assign | ast.AnnAssign | ast.Import | ast.ImportFrom)
    )


def _earlier(example: Example, every: Sequence[Example]) -> tuple[Example, ...]:
    before = [one for one in every if one.path == example.path and one.line < example.line]
    return tuple(sorted(before, key=lambda one: -one.line))


def share(ledger: Sequence[LedgerEntry]) -> float:
    """How much of what the user stated a draft honours; a name counts less than a value, a common word hardly at all."""
    total = honoured = 0.0
    for entry in ledger:
        weight = 1.0 if entry.required else 0.05 if entry.text.islower() else 0.5
        total += weight
        honoured += weight * (entry.status != "not found")
    return honoured / total if total else 0.5
