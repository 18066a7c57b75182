"""A documented Python example with the user's values in place of its literals; its comments and layout stay."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

from ml_agent.offline.assignment import assign
from ml_agent.offline.literals import Literal, literals
from ml_agent.offline.reading import Mention, ParsedRequest
from ml_agent.offline.slots import Slot
from ml_agent.offline.spelled import FilledSlot
from ml_agent.offline.variables import likeness
from ml_agent.offline.vocabulary import vocabulary_matches
from ml_agent.offline.weights import Weights
from ml_agent.offline.words import alphanumeric
from ml_agent.request import Value
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option, OptionType
from ml_agent.user_values import is_path, kind_of

_MOST_LITERALS, _MOST_SIBLINGS, _SHORT = 120, 200, 2
_BY_LIKENESS, _FOR_NUMBER, _THE_SAME, _NEVER = 3.0, 1.0, 6.0, -99.0
"""Log-odds for a name in place of one that is spelled as it is; for a number, of which an example has few; for what the example says there itself; of what cannot be."""


class ExampleSources(msgspec.Struct, frozen=True):
    """What a repository says of the literals of its examples."""

    index: RepoIndex
    workdir: str
    namesakes: Mapping[str, Option]
    """Options of the repository's scripts, by name."""


class Edit(NamedTuple):
    """A stretch of the code and what stands there afterwards."""

    start: int
    end: int
    text: str


def adapt(
    code: str, values: Sequence[Value], statement: ParsedRequest, sources: ExampleSources, model: Weights
) -> tuple[str, int]:
    """The example's code with the user's values; and how many of its literals were given one.

    Args:
        code: of the example.
        values: what the user stated.
        statement: the same request as it is matched.
        sources: what the repository says of them.
        model: the fitted weights.
    """
    found = [literal for literal in literals(code) if literal.kind != "name"][:_MOST_LITERALS]
    placed = _placed(statement, found, sources, model)
    return _applied(code, [*_shapes(found, values), *_edits(placed, found)]), len(placed)


def _placed(
    statement: ParsedRequest, found: Sequence[Literal], sources: ExampleSources, model: Weights
) -> list[FilledSlot]:
    """The values with the number of the literal that each goes into, by the weights."""
    slots = [
        Slot(_option(literal, sources), files=files)
        for literal, files in zip(found, _sibling_files(found, sources), strict=True)
    ]
    filled = assign(statement, slots, model, prior=_ExamplePrior(found))
    placed = [one for one in filled.all if one.score > _NEVER / 2]
    taken = {one.slot for one in placed}
    meant = [
        FilledSlot(place, (one.value,), 0.0, (one.mention.start,), one.mention.text)
        for place, slot in enumerate(slots)
        if slot.files and place not in taken
        for one in vocabulary_matches(statement, slot)[:1]
    ]
    return [*placed, *meant]


class _ExamplePrior:
    """What the example says of a placement.

    Args:
        found: its literals.
    """

    def __init__(self, found: Sequence[Literal]) -> None:
        self._found = found

    def value(self, mention: Mention, slot: int) -> float:
        """What speaks for a value in a slot, as log-odds: a name takes the place of one that is spelled like it."""
        shown = self._found[slot].text
        if shown == mention.value == mention.text.strip("'\"`“”‘’"):
            return _THE_SAME
        if self._found[slot].kind == "text" and {mention.kind, kind_of(shown)} == {"path", "text"}:
            return _NEVER  # a file and a sentence do not take each other's place
        if mention.kind == "number":
            return _FOR_NUMBER
        return _BY_LIKENESS * likeness(mention.value, shown) if mention.kind in {"name", "path"} else 0.0


def _option(literal: Literal, sources: ExampleSources) -> Option:
    """A literal as an option of the code: named by its keyword, with its text as default.

    What options of the same name have elsewhere in the repository, choices and help, holds for it too.
    """
    called = _tail(literal.owner) if literal.place >= 0 else ""
    names = dict.fromkeys(name for name in (literal.slot, called) if name)
    namesake = sources.namesakes.get(literal.slot)
    owner = re.sub(r"[.(=]", " ", literal.owner)
    return Option(
        dest=next(iter(names), ""),
        flags=tuple(f"--{name}" for name in names) or ("--",),
        type=_type(literal),
        default=literal.text,
        nargs=str(literal.text.count(",") + 1) if literal.kind == "shape" else None,
        choices=namesake.choices if namesake is not None and literal.text in namesake.choices else (),
        help=f"{namesake.help if namesake is not None else ''}; {owner}",
    )


def _type(literal: Literal) -> OptionType:
    if literal.kind == "number":
        return "float" if "." in literal.text or "e" in literal.text else "int"
    return "int" if literal.kind == "shape" else "path" if is_path(literal.text) else "str"


def _tail(owner: str) -> str:
    return ".".join(owner.split("(")[0].split(".")[-2:])


def _sibling_files(found: Sequence[Literal], sources: ExampleSources) -> Iterator[list[str]]:
    """By literal: the files beside the one it names that end alike: "the horse" is horse.png where it reads cat.png."""
    files = frozenset(sources.index.files)
    for one in found:
        path = posixpath.normpath(posixpath.join(sources.workdir or ".", one.text)) if one.kind == "text" else ""
        stem, ending = posixpath.splitext(path)
        beside: tuple[str, ...] = ()
        if ending and path in files:
            beside = tuple(
                other
                for other in sorted(files)
                if other.endswith(ending) and posixpath.dirname(other) == posixpath.dirname(stem)
            )
        folder = posixpath.dirname(one.text)
        yield [posixpath.join(folder, posixpath.basename(other)) for other in beside[:_MOST_SIBLINGS]]


def _shapes(found: Sequence[Literal], values: Iterable[Value]) -> list[Edit]:
    """The user's shapes in place of the example's, one of the same rank where there is one."""
    free = [literal for literal in found if literal.kind == "shape"]
    edits = []
    for value in values:
        if not re.match(r"[(\[]\d", value.value) or not free:
            continue
        fitting = (literal for literal in free if literal.text.count(",") == value.value.count(","))
        chosen = next(fitting, free[0])
        free.remove(chosen)
        inner = value.value[1:-1].rstrip(",")
        edits.append(Edit(chosen.start, chosen.end, inner if chosen.owner else f"({inner})"))
    return edits


def _edits(placed: Iterable[FilledSlot], found: Sequence[Literal]) -> Iterator[Edit]:
    for one in placed:
        literal, typed = found[one.slot], " ".join(one.values)
        if literal.kind == "shape" and literal.text.count(",") + 1 != len(one.values):
            continue
        if not (literal.kind == "text" and alphanumeric(literal.text) == alphanumeric(typed) != ""):
            yield Edit(literal.start, literal.end, _formatted(typed, literal))


def _formatted(typed: str, literal: Literal) -> str:
    """A value as it stands in the code in place of a literal."""
    if literal.kind == "number":
        return typed
    if literal.kind == "shape":
        inner = ", ".join(typed.split())
        return inner if literal.slot == "shape" else f"({inner})"
    name = PurePosixPath(literal.text).name
    if is_path(typed) and PurePosixPath(name).suffix and not PurePosixPath(typed).suffix:
        typed = f"{typed.rstrip('/')}/{name}"  # a folder of the user's where the example has a file
    return _quoted(typed)


def _quoted(value: str) -> str:
    return f'"{value}"' if '"' not in value and "\\" not in value and value.isprintable() else repr(value)


def _applied(code: str, edits: Iterable[Edit]) -> str:
    at = len(code) + 1
    for edit in sorted(edits, key=lambda one: one.start, reverse=True):
        if edit.end <= at:
            code = code[: edit.start] + edit.text + code[edit.end :]
            at = edit.start
    return code
