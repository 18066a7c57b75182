"""A Python answer: the best example with the user's values put in at the level of the syntax tree.

Only the characters of the replaced literals change: comments and layout of the example stay.
"""

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from ml_agent.grounded.completion import NameSources, complete
from ml_agent.grounded.dimensions import carry_sizes
from ml_agent.grounded.literal_values import QUOTES, is_in_code, place_values
from ml_agent.grounded.literals import Literal, literals
from ml_agent.grounded.prompts import is_prose, phrase_for
from ml_agent.matching.likeness import occurs_in
from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.model import Model
from ml_agent.matching.python_programs import quoted
from ml_agent.matching.spelled import FilledSlot
from ml_agent.matching.terms import alphanumeric
from ml_agent.request import Value
from ml_agent.tools.python_api.model import ApiObject
from ml_agent.tools.python_api.registries import variant_instead
from ml_agent.values.lexer import is_path

_SHORT = 2


class Edit(NamedTuple):
    """A stretch of the code and what stands there afterwards."""

    start: int
    end: int
    text: str


def _instead(literal: Literal, text: str) -> Edit:
    return Edit(literal.start, literal.end, text)


def adapt(
    code: str, values: Sequence[Value], statement: ParsedRequest, sources: NameSources, model: Model
) -> tuple[str, int]:
    """The example's code, completed and with the user's values; and how many of its literals were given one.

    Args:
        code: of the example.
        values: what the user stated.
        statement: the same request as matching reads it.
        sources: where missing names come from.
        model: the learned tables.
    """
    whole = complete(code, sources)
    found = [literal for literal in literals(whole) if literal.kind != "name"]
    shapes = _shapes(found, values)
    others = [value for value in values if not _is_shape(value) and not is_in_code(found, value)]
    placed = place_values(statement, whole, found, sources, model)
    edits = [*shapes, *_edits(placed, found), *_sibling_edits(whole, others, sources)]
    edits.extend(_repetition_edits(edits, whole, found))
    edits.extend(_variants(edits, found, sources))
    exchanges = [(whole[edit.start : edit.end], edit.text) for edit in shapes]
    resized = carry_sizes(exchanges, found, [(edit.start, edit.end) for edit in edits])
    edits.extend(_instead(literal, text) for literal, text in resized)
    edits.extend(_prompts(found, placed, others, statement.text))
    return _apply(whole, edits), len(placed)


def _sibling_edits(code: str, values: Iterable[Value], sources: NameSources) -> list[Edit]:
    """A function or class of the repository in place of a sibling in the same module, where the user names it: `zoo.resnet` for `zoo.vgg`."""
    edits: list[Edit] = []
    names = [literal for literal in literals(code) if literal.kind == "name"]
    for value in values:
        if value.kind != "name" or occurs_in(value.value, code):
            continue
        for literal in names:
            module, _, last = literal.text.rpartition(".")
            if module and _are_siblings(module, value.value, last, sources):
                edits.append(Edit(literal.end - len(last), literal.end, value.value))
                uses = [one for one in names if one.text.split(".")[0] == last]
                edits += [Edit(one.start, one.start + len(last), value.value) for one in uses]
                break
    return edits


def _are_siblings(module: str, name: str, other: str, sources: NameSources) -> bool:
    """Whether a module has two functions, or two classes, of these names."""
    one, two = (sources.index.api.resolve(f"{module}.{last}", sources.workdir) for last in (name, other))
    return isinstance(one, ApiObject) and isinstance(two, ApiObject) and one.kind == two.kind


def _repetition_edits(edits: Iterable[Edit], code: str, found: Sequence[Literal]) -> list[Edit]:
    """What stood for the same name elsewhere changes along: a model's name that is given to its tokenizer too."""
    done = {edit.start for edit in edits}
    fresh = {code[edit.start : edit.end].strip("'\""): edit.text for edit in edits if edit.text[:1] in "'\""}
    return [
        _instead(literal, fresh[literal.text])
        for literal in found
        if literal.kind == "text" and literal.start not in done and literal.text in fresh and len(literal.text) > _SHORT
    ]


def _variants(edits: Iterable[Edit], found: Sequence[Literal], sources: NameSources) -> list[Edit]:
    """What the repository has of the user's model where the example takes something of its own model: the weights' name."""
    by_start = {edit.start: edit for edit in edits}
    fresh = {}
    for changed in (literal for literal in found if literal.start in by_start and literal.kind == "text"):
        new = by_start[changed.start].text.strip("'\"")
        for literal in found:
            if literal.owner == changed.owner and literal.start not in by_start and literal.kind == "text":
                variant = variant_instead(sources.index.api.registries, changed.text, new, literal.text)
                if variant is not None:
                    fresh[literal.start] = _instead(literal, quoted(variant))
    return list(fresh.values())


def _is_shape(value: Value) -> bool:
    return value.kind == "text" and value.value[:1] in "([" and value.value[1:2].isdigit()


def _shapes(found: Sequence[Literal], values: Iterable[Value]) -> list[Edit]:
    """The user's shapes in place of the example's, one of the same rank where there is one."""
    free = [literal for literal in found if literal.kind == "shape"]
    edits = []
    for value in filter(_is_shape, values):
        rank = value.value.count(",")
        fitting = [literal for literal in free if literal.text.count(",") == rank] or free
        if not fitting:
            continue
        chosen = fitting[0]
        free.remove(chosen)
        inner = value.value[1:-1].rstrip(",")
        edits.append(_instead(chosen, inner if chosen.owner else f"({inner})"))
    return edits


def _edits(placed: Iterable[FilledSlot], found: Sequence[Literal]) -> list[Edit]:
    edits = []
    for one in placed:
        literal, typed = found[one.slot], " ".join(one.values)
        if alphanumeric(literal.text) == alphanumeric(typed) and literal.kind == "text":
            continue
        edits.append(_instead(literal, _format_literal(typed, literal)))
    return edits


def _format_literal(typed: str, literal: Literal) -> str:
    """A value as it stands in the code in place of a literal."""
    if literal.kind == "number":
        return typed
    if literal.kind == "shape":
        inner = ", ".join(typed.split())
        return inner if literal.slot == "shape" else f"({inner})"
    return quoted(_file_in(typed, literal.text))


def _file_in(given: str, shown: str) -> str:
    """A folder of the user's where the example has a file: the file of that name in the folder."""
    name = PurePosixPath(shown).name
    if is_path(given) and PurePosixPath(name).suffix and not PurePosixPath(given).suffix:
        return f"{given.rstrip('/')}/{name}"
    return given


def _prompts(
    found: Sequence[Literal], placed: Sequence[FilledSlot], values: Sequence[Value], instruction: str
) -> list[Edit]:
    """What the user wants to see or to know, in place of the example's own prompt, caption or question."""
    taken = {one.slot for one in placed}
    said = {alphanumeric(value) for one in placed for value in one.values} | {
        alphanumeric(literal.text) for literal in found
    }
    quoted_prose = (value.value for value in values if _is_prose(value) and value.text[:1] in QUOTES)
    own = next((text for text in quoted_prose if alphanumeric(text) not in said), None)
    for place, literal in enumerate(found):
        if place in taken or literal.kind != "text" or not is_prose(literal.slot, literal.text):
            continue
        phrase = own if own is not None else phrase_for(literal.slot, literal.text, instruction)
        if phrase is not None:
            return [_instead(literal, quoted(phrase))]
    return []


def _is_prose(value: Value) -> bool:
    """Whether a value may be what somebody wants to see or to know: words, and no name of code."""
    return value.kind == "text" or (value.kind == "name" and value.value.isalpha())


def _apply(code: str, edits: Iterable[Edit]) -> str:
    at = len(code) + 1
    for edit in sorted(edits, key=lambda one: one.start, reverse=True):
        if edit.end <= at:
            code = code[: edit.start] + edit.text + code[edit.end :]
            at = edit.start
    return code
