"""From a request to ranked Python programs: things, skeletons, values in slots, whole programs."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from ml_agent.matching.mentions import Mention, Statement
from ml_agent.matching.model import Linear
from ml_agent.matching.python_fill import Written, fill_program
from ml_agent.matching.python_library import Thing
from ml_agent.matching.python_retrieval import THING_FEATURES, Bookcase, Shown, constants, stands_alone
from ml_agent.matching.python_skeletons import Builder, Skeleton, Usages, skeleton_of
from ml_agent.matching.python_tails import is_invented
from ml_agent.matching.scores import Scores
from ml_agent.matching.terms import plain, terms

PROGRAM_FEATURES = (
    "best", "mean", "gap", "least_thing", "left_numbers", "left_paths", "left_names", "left_texts", "mean_value", "least_value", "placed",
    "missing", "documented", "dropped", "idle", "alike", "unknown", "calls", "covered", "named", "methods",
)  # fmt: skip
_MOST_THINGS = 8
_MOST_EXAMPLES = 6
_MOST_METHODS = 2
_SAID = 0.6
_INVENTED = 2
_CALLED = frozenset({"forward", "__call__"})
"""What is called by calling the object."""
_CASES = 6.0

Complete = Callable[[Shown], str]
"""An example's code with what it needs in front."""


class Tables:
    """What was learned of Python: which things are meant, and which program is. Values go into parameters as they go into options.

    Args:
        tables: by model: its table.
    """

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self.thing = Linear(THING_FEATURES, tables["thing"])
        self.program = Linear(PROGRAM_FEATURES, tables["program"])


@cache
def shipped_tables() -> Tables:
    """What was learned on all development rows."""
    return Tables(json.loads(files(__package__).joinpath("python_weights.json").read_text(encoding="utf-8")))


class Solved(NamedTuple):
    """A program and what speaks for it."""

    written: Written
    vector: list[float]
    score: float


class Context(NamedTuple):
    """A request with what a repository's things say to it."""

    statement: Statement
    bookcase: Bookcase
    usages: Usages
    ranked: Sequence[tuple[float, Thing]]
    scores: Mapping[str, float]


def context_of(statement: Statement, bookcase: Bookcase, usages: Usages, tables: Tables) -> Context:
    """The things of a repository, those that fit best first."""
    scored = ((tables.thing(one.vector), one.thing) for one in bookcase.ranked(statement))
    ranked = sorted(scored, key=lambda one: -one[0])
    return Context(statement, bookcase, usages, ranked, {thing.object.name: score for score, thing in ranked})


def solve_python(context: Context, tables: Tables, values: Scores, complete: Complete) -> list[Solved]:
    """Every program that deserves a look, best first.

    Args:
        context: the request and the repository's things.
        tables: what was learned of Python.
        values: what was learned of values in slots.
        complete: puts in front of an example what it needs.
    """
    found: list[Solved] = []
    texts: set[str] = set()
    for skeleton in _skeletons(context, complete):
        written = fill_program(context.statement, skeleton, values)
        if written.text in texts:
            continue
        texts.add(written.text)
        vector = _vector(context, written)
        found.append(Solved(written, vector, tables.program(vector)))
    # What cannot run, because nothing is known of what it must be given, comes last.
    found.sort(key=lambda one: (_lacks(one.written, context.statement), -one.score))
    return found


def _lacks(written: Written, statement: Statement) -> bool:
    """Whether calls must have more than the files and the random input that the request speaks of."""
    files = sum(one.kind == "path" for one in written.filled.left)
    return len(written.missing) > files + (_INVENTED if is_invented(statement) else 0)


def _skeletons(context: Context, complete: Complete) -> Iterator[Skeleton]:
    """Documented programs, and calls from signatures."""
    chosen = [thing for _, thing in context.ranked[:_MOST_THINGS]]
    best = context.ranked[0][0] if context.ranked else 0.0
    builder = Builder(
        context.bookcase.library, context.usages, lambda one: context.scores.get(one.object.name, best - _CASES)
    )
    for thing in chosen[:4]:
        context.usages.of(thing)
    yield from _example_skeletons(context, complete)
    yield from _bare(context, chosen, builder)


def _example_skeletons(context: Context, complete: Complete) -> Iterator[Skeleton]:
    library = context.bookcase.library
    for one in sorted(context.bookcase.shown, key=lambda one: -_fit(one, context))[:_MOST_EXAMPLES]:
        skeleton = skeleton_of(complete(one), one.example, library, library.folder)
        if skeleton is not None:
            yield skeleton


def _fit(shown: Shown, context: Context) -> float:
    """How well an example fits: its best thing, and what its words share with the request."""
    scores = [
        context.scores.get(call.thing.object.name, -_CASES) for call in shown.program.calls if call.thing.owner is None
    ]
    return max(scores, default=-_CASES) + 3 * alike(context.statement, shown)


def alike(statement: Statement, shown: Shown) -> float:
    """How much of what an example's values, headings and introduction say is said in the request."""
    words = {piece for text in constants(shown.program) for piece in re.findall(r"[a-z]{2,}|\d+", str(text).lower())}
    said = set(re.findall(r"[a-z]{2,}|\d+", statement.text.lower()))
    about = {t for text in (*shown.example.headings[-2:], shown.example.introduction[:200]) for t in terms(text)}
    return len(words & said) / (3 + len(words)) + len(about & statement.vocabulary) / (3 + len(about))


def _bare(context: Context, chosen: Sequence[Thing], builder: Builder) -> Iterator[Skeleton]:
    methods = {thing.object.name: _methods(context, thing) for thing in chosen if thing.object.kind == "class"}
    named = [thing for thing in chosen if _is_named(thing, context.statement)]
    usual = {one.object.name: context.usages.methods(one) for one in chosen[:4] if one.object.kind == "class"}
    groups: list[list[Thing]] = [[one] for one in chosen]
    groups += [named] if len(named) > 1 else []
    groups += [list(chosen[:2])] if len(chosen) > 1 else []
    for group in groups:
        ways: list[Mapping[str, Sequence[Thing]]] = [{}]
        if any(methods.get(one.object.name) for one in group):
            ways.append(methods)
        if len(group) == 1 and usual.get(group[0].object.name):
            ways.append(usual)
        # One after the other: what is read for one is known when the next is written.
        yield from (found for way in ways if (found := builder.program(group, way)) is not None)


def _is_named(thing: Thing, statement: Statement) -> bool:
    """Whether the request says the very name of a thing, and that is no plain word."""
    return stands_alone(thing.name, statement.text) and not thing.name.islower()


def _methods(context: Context, thing: Thing) -> list[Thing]:
    """The methods of a class that the request names."""
    found = []
    for method in thing.methods:
        if method.name in _CALLED:
            if not any(one.required for one in method.parameters):
                found.append((_SAID, method))
            continue
        said = list(terms(method.name))
        worth = {t: context.bookcase.worth(t) for t in said}
        share = sum(w for t, w in worth.items() if t in context.statement.vocabulary) / (sum(worth.values()) or 1.0)
        literal = re.search(rf"(?<!\w){re.escape(method.name)}(?!\w)", context.statement.text) is not None
        if share >= _SAID or literal:
            found.append((literal + share, method))
    found.sort(key=lambda one: -one[0])
    kept = [method for _, method in found[:_MOST_METHODS]]
    return [method for method in thing.methods if method in kept]


def _vector(context: Context, written: Written) -> list[float]:
    """What speaks for a whole program."""
    statement, filled, program = context.statement, written.filled, written.skeleton.program
    scores = [context.scores[one.thing.object.name] for one in program.calls if one.thing.object.name in context.scores]
    scores = scores or [min(context.scores.values(), default=0.0)]
    code = plain(written.text)
    left = [one for one in filled.left if not _stands(one, code)]
    values = [min(one.score, 6.0) for one in filled.placed]
    names = {t for call in program.calls for t in terms(call.thing.name)}
    names |= {t for one in filled.placed for t in terms(written.spots[one.slot].name)}
    content = {t for word in statement.content for t in word.terms}
    top = context.ranked[0][0] if context.ranked else 0.0
    literal = [thing.name for _, thing in context.ranked[:12] if _is_named(thing, statement)]
    example = written.skeleton.example
    return [
        max(scores), sum(scores) / len(scores), max(scores) - top, min(scores),
        float(sum(one.kind == "number" for one in left)), float(sum(one.kind == "path" for one in left)), float(sum(one.kind == "name" for one in left)), float(sum(one.kind == "text" for one in left)),
        sum(values) / len(values) if values else 0.0, min(values, default=0.0), float(len(filled.placed)),
        float(len(written.missing)), float(example is not None), float(written.dropped), float(written.idle),
        alike(statement, Shown(example, program)) if example else 0.0, float(len(filled.unknown)), float(len(program.calls)), len(names & content) / (1 + len(content)),
        sum(name in written.text for name in literal) / len(literal) if literal else 0.0, float(sum(call.thing.owner is not None for call in program.calls)),
    ]  # fmt: skip


def _stands(mention: Mention, code: str) -> bool:
    wanted = plain(mention.value)
    return not wanted or (len(wanted) > 1 and wanted in code)
