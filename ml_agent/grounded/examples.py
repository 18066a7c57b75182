"""Programs adapted from the repository's Python examples, in the order in which they deserve to be tried."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from ml_agent.account import used_or_required, whole_account
from ml_agent.draft import Draft, LedgerEntry, Provenance
from ml_agent.grounded.choices import Choice, ChoiceIndex, query_of
from ml_agent.grounded.commands import statement_of
from ml_agent.grounded.completion import NameSources, blocks_before
from ml_agent.grounded.python import adapt
from ml_agent.grounded.scope import syntax_tree
from ml_agent.matching.model import Model
from ml_agent.navigator import Workspace
from ml_agent.request import Request, Value
from ml_agent.tools.check.python import check_python
from ml_agent.tools.examples import Example

_MOST_CHOICES = 400
_MOST = 8
_BY_VALUES = 1.5
_BY_HEADING, _LONG_HEADING = 0.1, 4
_LETTERS = re.compile(r"[a-z]+")
_BY_MATCH, _MOST_BY_MATCH = 0.05, 0.4
_FOREIGN = 0.5
"""What it costs an example that nothing of the repository's own is used in it."""
_UNFINISHED = 0.15
_FAULTY = 1.0
"""What an error costs: a sound draft goes before an unsound one unless it is much worse otherwise."""
_ALIKE = 0.25
"""What it costs to be of the same document as a draft that was given already."""


class DraftCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A draft, how much speaks for it, and the document that it was made from."""

    draft: Draft
    score: float
    path: str
    checked: bool = False


class AdaptationTask(msgspec.Struct, frozen=True, kw_only=True):
    """What a candidate is made for."""

    request: Request
    workspace: Workspace
    choice_index: ChoiceIndex
    model: Model
    """The learned tables."""


def adapted_programs(task: AdaptationTask, choices: Sequence[Choice]) -> Iterator[Draft]:
    """Distinct programs, the most promising first; a second one is of another document unless it is much better.

    Args:
        task: what they are for.
        choices: what the repository shows, in the order in which it fits the wording.
    """
    waiting = _candidates(task, choices)
    given: Counter[str] = Counter()
    texts: set[str] = set()
    while waiting:
        place, best = max(enumerate(waiting), key=lambda one: one[1].score - _ALIKE * given[one[1].path])
        if not best.checked:
            # What is found lowers a score and never raises one: only the best is looked at.
            waiting[place] = _with_findings(best, task)
            continue
        del waiting[place]
        if best.draft.text not in texts:
            texts.add(best.draft.text)
            given[best.path] += 1
            yield best.draft


def _with_findings(candidate: DraftCandidate, task: AdaptationTask) -> DraftCandidate:
    draft = candidate.draft
    findings = tuple(check_python(draft.text, task.workspace.index, draft.workdir))
    draft = msgspec.structs.replace(draft, findings=findings)
    score = candidate.score - _FAULTY * (not draft.sound)
    return msgspec.structs.replace(candidate, draft=draft, score=score, checked=True)


def ranked_by_wording(task: AdaptationTask) -> list[Choice]:
    """Commands and programs by how well they fit the wording, the best first."""
    values, instruction = task.request.values, task.request.instruction
    query = query_of(instruction, [value.value for value in values if _is_name(value)])
    ranked = task.choice_index.ranked(query, _MOST_CHOICES)
    return sorted((_with_heading(one, instruction) for one in ranked), key=lambda one: -one.fit)


def _candidates(task: AdaptationTask, choices: Sequence[Choice]) -> list[DraftCandidate]:
    """The examples that fit best, each with the user's values in it, in no order."""
    every = [one.example for one in task.choice_index.choices if one.kind == "python" and one.example is not None]
    best = [(one.example, one.fit) for one in choices if one.kind == "python" and one.example is not None][:_MOST]
    return [_candidate(example, fit, every, task) for example, fit in best if not _is_data(example.text)]


def _is_name(value: Value) -> bool:
    """Whether a value is a name that is spelled or introduced as one."""
    return value.kind in {"name", "path", "text"} and (value.required or not value.text.islower())


def _with_heading(choice: Choice, instruction: str) -> Choice:
    """The choice with a better fit where the user says the very heading under which it stands."""
    headings = choice.example.headings[-2:] if choice.example is not None else ()
    said = f" {' '.join(_LETTERS.findall(instruction.lower()))} "
    called = [" ".join(_LETTERS.findall(heading.lower())) for heading in headings]
    longest = max((len(name.split()) for name in called if f" {name} " in said), default=0)
    more = _BY_HEADING * min(longest, _LONG_HEADING) if longest > 1 else 0.0
    return msgspec.structs.replace(choice, fit=choice.fit + more)


def _candidate(example: Example, fit: float, every: Sequence[Example], task: AdaptationTask) -> DraftCandidate:
    """An example with the user's values in it."""
    values, workdir = task.request.values, task.workspace.path or "."
    index = task.workspace.index
    sources = NameSources(
        earlier=blocks_before(example, every), others=tuple(every), index=index, workdir=workdir, values=values,
        namesakes=task.choice_index.namesakes, seen=task.choice_index.texts,
    )  # fmt: skip
    text, placed = adapt(example.text, values, statement_of(task.request), sources, task.model)
    draft = Draft(
        kind="python", text=text, workdir=workdir,
        because=f"adapted from {example.path}:{example.line}",
        provenance=Provenance(kind="example", path=example.path, line=example.line),
    )  # fmt: skip
    ledger = whole_account(draft, task.request, task.workspace)
    draft = msgspec.structs.replace(draft, ledger=used_or_required(ledger))
    score = fit + _BY_VALUES * _share(ledger) - _FOREIGN * (not example.api) - _UNFINISHED * (not _acts(text))
    score += min(_BY_MATCH * placed, _MOST_BY_MATCH)
    return DraftCandidate(draft=draft, score=score, path=example.path)


def _is_data(code: str) -> bool:
    """Whether a block shows values alone, as a list of names or of settings does, and is no program."""
    tree = syntax_tree(code)
    shows = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom)
    return tree is not None and all(
        isinstance(node, shows) and not any(isinstance(one, ast.Call | ast.Await) for one in ast.walk(node))
        for node in tree.body
    )


def _acts(code: str) -> bool:
    """Whether the last thing that code does is more than to give something a name."""
    tree = syntax_tree(code)
    naming = (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom)
    return tree is None or not tree.body or not isinstance(tree.body[-1], naming)


def _share(ledger: Sequence[LedgerEntry]) -> float:
    """How much of what the user stated a draft honours; a name counts less than a value, a common word hardly at all."""
    total = honoured = 0.0
    for entry in ledger:
        weight = 1.0 if entry.required else 0.05 if entry.text.islower() else 0.5
        total += weight
        honoured += weight * (entry.status != "not found")
    return honoured / total if total else 0.5
