"""From a request to ranked Python programs: callables, skeletons, values in slots, whole programs."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from ml_agent.matching.mentions import Mention, ParsedRequest
from ml_agent.matching.model import LinearModel
from ml_agent.matching.python_fill import FilledProgram, fill_program
from ml_agent.matching.python_library import ApiCallable
from ml_agent.matching.python_programs import read_program
from ml_agent.matching.python_retrieval import CALLABLE_FEATURES, ExampleProgram, LibraryIndex, constants, stands_alone
from ml_agent.matching.python_skeletons import ExampleUsage, ProgramBuilder, Skeleton
from ml_agent.matching.python_tails import is_invented
from ml_agent.matching.scores import Scores
from ml_agent.matching.terms import alphanumeric, terms

PROGRAM_FEATURES = (
    "best", "mean", "gap", "least_thing", "left_numbers", "left_paths", "left_names", "left_texts", "mean_value", "least_value", "placed",
    "missing", "documented", "dropped", "idle", "alike", "unknown", "calls", "covered", "named",
)  # fmt: skip
_MOST_CALLABLES = 8
_MOST_EXAMPLES = 6
_MOST_METHODS = 2
_SAID = 0.6
_INVENTED = 2
_CALLED = frozenset({"forward", "__call__"})
"""What is called by calling the object."""
_CASES = 6.0

Complete = Callable[[ExampleProgram], str]
"""An example's code with what it needs in front."""


class PythonModel:
    """What was learned of Python: which callables are meant, and which program is. Values go into parameters as they go into options.

    Args:
        tables: by model: its table.
    """

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self.callee = LinearModel(CALLABLE_FEATURES, tables["thing"])
        self.program = LinearModel(PROGRAM_FEATURES, tables["program"])


@cache
def shipped_tables() -> PythonModel:
    """What was learned on all development rows."""
    return PythonModel(json.loads(files(__package__).joinpath("python_weights.json").read_text(encoding="utf-8")))


class ScoredProgram(NamedTuple):
    """A program and what speaks for it."""

    filled_program: FilledProgram
    vector: list[float]
    score: float


class PythonContext(NamedTuple):
    """A request with what a repository's callables say to it."""

    statement: ParsedRequest
    library_index: LibraryIndex
    usages: ExampleUsage
    ranked: Sequence[tuple[float, ApiCallable]]
    scores: Mapping[str, float]


def context_of(
    statement: ParsedRequest, library_index: LibraryIndex, usages: ExampleUsage, tables: PythonModel
) -> PythonContext:
    """The callables of a repository, those that fit best first."""
    scored = ((tables.callee(one.vector), one.callee) for one in library_index.ranked(statement))
    ranked = sorted(scored, key=lambda one: -one[0])
    return PythonContext(
        statement, library_index, usages, ranked, {callee.object.name: score for score, callee in ranked}
    )


def solve_python(
    context: PythonContext, tables: PythonModel, values: Scores, complete: Complete
) -> list[ScoredProgram]:
    """Every program that deserves a look, best first.

    Args:
        context: the request and the repository's callables.
        tables: what was learned of Python.
        values: what was learned of values in slots.
        complete: puts in front of an example what it needs.
    """
    found: list[ScoredProgram] = []
    texts: set[str] = set()
    for skeleton in _skeletons(context, complete):
        filled_program = fill_program(context.statement, skeleton, values)
        if filled_program.text in texts:
            continue
        texts.add(filled_program.text)
        vector = _vector(context, filled_program)
        found.append(ScoredProgram(filled_program, vector, tables.program(vector)))
    # What cannot run, because nothing is known of what it must be given, comes last.
    found.sort(key=lambda one: (_lacks(one.filled_program, context.statement), -one.score))
    return found


def _lacks(filled_program: FilledProgram, statement: ParsedRequest) -> bool:
    """Whether calls must have more than the files and the random input that the request speaks of."""
    files = sum(one.kind == "path" for one in filled_program.assignment.unplaced)
    return len(filled_program.missing) > files + (_INVENTED if is_invented(statement) else 0)


def _skeletons(context: PythonContext, complete: Complete) -> Iterator[Skeleton]:
    """Documented programs, and calls from signatures."""
    chosen = [callee for _, callee in context.ranked[:_MOST_CALLABLES]]
    best = context.ranked[0][0] if context.ranked else 0.0
    builder = ProgramBuilder(
        context.library_index.library, context.usages, lambda one: context.scores.get(one.object.name, best - _CASES)
    )
    for callee in chosen[:4]:
        context.usages.of(callee)
    yield from _example_skeletons(context, complete)
    yield from _bare(context, chosen, builder)


def _example_skeletons(context: PythonContext, complete: Complete) -> Iterator[Skeleton]:
    library = context.library_index.library
    for one in sorted(context.library_index.example_programs, key=lambda one: -_fit(one, context))[:_MOST_EXAMPLES]:
        program = read_program(complete(one), library, library.folder)
        if program is not None and program.calls:
            yield Skeleton(program, one.example)


def _fit(shown: ExampleProgram, context: PythonContext) -> float:
    """How well an example fits: its best callable, and what its words share with the request."""
    scores = [
        context.scores.get(call.callee.object.name, -_CASES)
        for call in shown.program.calls
        if call.callee.owner is None
    ]
    return max(scores, default=-_CASES) + 3 * alike(context.statement, shown)


def alike(statement: ParsedRequest, shown: ExampleProgram) -> float:
    """How much of what an example's values, headings and introduction say is said in the request."""
    words = {piece for text in constants(shown.program) for piece in re.findall(r"[a-z]{2,}|\d+", str(text).lower())}
    said = set(re.findall(r"[a-z]{2,}|\d+", statement.text.lower()))
    about = {t for text in (*shown.example.headings[-2:], shown.example.introduction[:200]) for t in terms(text)}
    return len(words & said) / (3 + len(words)) + len(about & statement.vocabulary) / (3 + len(about))


def _bare(context: PythonContext, chosen: Sequence[ApiCallable], builder: ProgramBuilder) -> Iterator[Skeleton]:
    methods = {callee.object.name: _methods(context, callee) for callee in chosen if callee.object.kind == "class"}
    named = [callee for callee in chosen if _is_named(callee, context.statement)]
    usual = {one.object.name: context.usages.methods(one) for one in chosen[:4] if one.object.kind == "class"}
    groups: list[list[ApiCallable]] = [[one] for one in chosen]
    groups += [named] if len(named) > 1 else []
    groups += [list(chosen[:2])] if len(chosen) > 1 else []
    for group in groups:
        ways: list[Mapping[str, Sequence[ApiCallable]]] = [{}]
        if any(methods.get(one.object.name) for one in group):
            ways.append(methods)
        if len(group) == 1 and usual.get(group[0].object.name):
            ways.append(usual)
        # One after the other: what is read for one is known when the next is written.
        yield from (found for way in ways if (found := builder.program(group, way)) is not None)


def _is_named(callee: ApiCallable, statement: ParsedRequest) -> bool:
    """Whether the request says the very name of a callable, and that is no plain word."""
    return stands_alone(callee.name, statement.text) and not callee.name.islower()


def _methods(context: PythonContext, callee: ApiCallable) -> list[ApiCallable]:
    """The methods of a class that the request names."""
    found = []
    for method in callee.methods:
        if method.name in _CALLED:
            if not any(one.required for one in method.parameters):
                found.append((_SAID, method))
            continue
        said = list(terms(method.name))
        worth = {t: context.library_index.rarity(t) for t in said}
        share = sum(w for t, w in worth.items() if t in context.statement.vocabulary) / (sum(worth.values()) or 1.0)
        literal = re.search(rf"(?<!\w){re.escape(method.name)}(?!\w)", context.statement.text) is not None
        if share >= _SAID or literal:
            found.append((literal + share, method))
    found.sort(key=lambda one: -one[0])
    kept = [method for _, method in found[:_MOST_METHODS]]
    return [method for method in callee.methods if method in kept]


def _vector(context: PythonContext, filled_program: FilledProgram) -> list[float]:
    """What speaks for a whole program."""
    statement, assignment, program = context.statement, filled_program.assignment, filled_program.skeleton.program
    scores = [
        context.scores[one.callee.object.name] for one in program.calls if one.callee.object.name in context.scores
    ]
    scores = scores or [min(context.scores.values(), default=0.0)]
    code = alphanumeric(filled_program.text)
    left = [one for one in assignment.unplaced if not _stands(one, code)]
    values = [min(one.score, 6.0) for one in assignment.placed]
    names = {t for call in program.calls for t in terms(call.callee.name)}
    names |= {t for one in assignment.placed for t in terms(filled_program.slots[one.slot].name)}
    content = {t for word in statement.content for t in word.terms}
    top = context.ranked[0][0] if context.ranked else 0.0
    literal = [callee.name for _, callee in context.ranked[:12] if _is_named(callee, statement)]
    example = filled_program.skeleton.example
    return [
        max(scores), sum(scores) / len(scores), max(scores) - top, min(scores),
        float(sum(one.kind == "number" for one in left)), float(sum(one.kind == "path" for one in left)), float(sum(one.kind == "name" for one in left)), float(sum(one.kind == "text" for one in left)),
        sum(values) / len(values) if values else 0.0, min(values, default=0.0), float(len(assignment.placed)),
        float(len(filled_program.missing)), float(example is not None), float(filled_program.dropped), float(filled_program.unused_calls),
        alike(statement, ExampleProgram(example, program)) if example else 0.0, float(len(assignment.unknown)), float(len(program.calls)), len(names & content) / (1 + len(content)),
        sum(name in filled_program.text for name in literal) / len(literal) if literal else 0.0,
    ]  # fmt: skip


def _stands(mention: Mention, code: str) -> bool:
    wanted = alphanumeric(mention.value)
    return not wanted or (len(wanted) > 1 and wanted in code)
