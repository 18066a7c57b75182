"""Puts what a request states into the calls of a program, and writes the program anew."""

import ast
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import msgspec

from ml_agent.matching.fill import SlotAssignment, fill
from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.python_library import literal_value
from ml_agent.matching.python_programs import Call, Program, quoted
from ml_agent.matching.python_skeletons import UNSET, Skeleton, text_of_literal
from ml_agent.matching.scores import Scores
from ml_agent.matching.slots import Slot
from ml_agent.matching.terms import alphanumeric
from ml_agent.tools.python_api.model import Parameter
from ml_agent.values.numbers import number

_WIDEST = 100
_MOST_SLOTS = 160


class ParameterSlot(NamedTuple):
    """A slot of a program: a parameter of one of its calls."""

    call: int
    name: str
    slot: Slot


class FilledProgram(NamedTuple):
    """A filled program."""

    skeleton: Skeleton
    text: str
    assignment: SlotAssignment
    slots: tuple[ParameterSlot, ...]
    arguments: dict[str, str]
    """By name of a parameter: what some call is given."""
    missing: tuple[str, ...]
    """Required parameters of which nothing was known."""
    dropped: int
    """Literals of the example that nobody asked for and that were left out."""
    unused_calls: int
    """Calls that were given nothing of the request."""


def fill_program(statement: ParsedRequest, skeleton: Skeleton, model: Scores) -> FilledProgram:
    """A program with the request's values.

    Args:
        statement: the request.
        skeleton: calls without them.
        model: the learned tables.
    """
    spots = _spots_of(skeleton.program)
    slots = [one.slot for one in spots]
    assignment = fill(statement, slots, model)
    assignment = _spelled_near(statement, assignment, spots, skeleton.program)
    given = _stated_arguments(statement, assignment, spots, skeleton.program)
    text, missing, dropped = _Writer(skeleton.program, given).written()
    asked = {call for call, _ in given}
    idle = sum(at not in asked for at in range(len(skeleton.program.calls)))
    spans = [(one.starts[0], one.starts[0] + len(one.text)) for one in assignment.placed if one.starts]
    left = tuple(one for one in assignment.unplaced if not any(a <= one.start < b for a, b in spans))
    assignment = msgspec.structs.replace(assignment, unplaced=left)
    by_name = {name: value for (_, name), value in given.items()}
    return FilledProgram(skeleton, text, assignment, tuple(spots), by_name, missing, dropped, idle)


def _stated_arguments(
    statement: ParsedRequest, assignment: SlotAssignment, spots: Sequence[ParameterSlot], program: Program
) -> dict[tuple[int, str], str]:
    """By call and parameter: what the request gives, as it stands in code."""
    found: dict[tuple[int, str], str] = {}
    for one in assignment.placed:
        spot = spots[one.slot]
        bracket = program.calls[spot.call].callee.list_brackets.get(spot.name, "")
        found[spot.call, spot.name] = _in_code(one.values, spot.slot, bracket)
    _carry(found, spots, program)
    device = _device(statement)
    for spot in spots if device else ():
        if spot.name == "device" and not _CARD.match(found.get((spot.call, spot.name), "")):
            found[spot.call, spot.name] = device
    return found


def _spots_of(program: Program) -> list[ParameterSlot]:
    """What a request may fill: parameters that have no value yet, or one that may be replaced."""
    found: list[ParameterSlot] = []
    made = {one.variable for one in program.calls if one.variable}
    for at, call in enumerate(program.calls):
        for name, slot in call.callee.slots(at).items():
            value = call.arguments.get(name)
            if value is not None and not _is_open(value, made):
                continue
            if len(found) < _MOST_SLOTS:
                found.append(ParameterSlot(at, name, slot))
    return found


_CARD = re.compile(r"['\"](?:cpu|cuda|mps|gpu)\b")
_CPU = re.compile(r"\b(?:cpu|processor|no (?:gpu|graphics card)|without a (?:gpu|graphics card))\b", re.IGNORECASE)
_GPU = re.compile(r"\b(?:gpu|cuda|graphics card)\b", re.IGNORECASE)


def _device(statement: ParsedRequest) -> str:
    """Where the request wants things to run, as a parameter called `device` takes it; "" where it does not say."""
    if _CPU.search(statement.text):
        return '"cpu"'
    return '"cuda"' if _GPU.search(statement.text) else ""


def _is_open(value: ast.expr, made: set[str]) -> bool:
    """Whether what stands for a parameter may be replaced by a value of the user's: a literal, or a plain variable that is no made object."""
    if text_of_literal(value) is not None or (isinstance(value, ast.Constant) and value.value is ...):
        return True
    return isinstance(value, ast.Name) and value.id not in made


def _spelled_near(
    statement: ParsedRequest, assignment: SlotAssignment, spots: Sequence[ParameterSlot], program: Program
) -> SlotAssignment:
    """What the user spells goes to the call that was named last before it: `A(dim=1)` and `B(dim=2)`."""
    patterns = [rf"(?<!\w){re.escape(call.callee.name)}(?!\w)" for call in program.calls]
    named = [[one.start() for one in re.finditer(name, statement.text, re.IGNORECASE)] for name in patterns]
    fresh, taken = [], {one.slot for one in assignment.placed}
    by_start = {one.start: one for one in statement.spelled}
    for one in assignment.placed:
        spelled = by_start.get(one.starts[0]) if one.starts and one.reason.startswith("spelled") else None
        if spelled is not None:
            same_name = [at for at, spot in enumerate(spots) if spot.name == spots[one.slot].name]
            near = max(
                same_name, key=lambda at: max((s for s in named[spots[at].call] if s < spelled.start), default=-1)
            )
            if near != one.slot and near not in taken:
                taken.add(near)
                one = msgspec.structs.replace(one, slot=near)
        fresh.append(one)
    return msgspec.structs.replace(assignment, placed=tuple(fresh))


def _carry(given: dict[tuple[int, str], str], spots: Sequence[ParameterSlot], program: Program) -> None:
    """What one call is given another one that must have it is given, too, and the one that is handed its result."""
    by_name: dict[str, tuple[int, str]] = {}
    for (call, name), text in given.items():
        by_name.setdefault(name, (call, text))
    for spot in spots:
        if (spot.call, spot.name) in given or spot.name not in by_name:
            continue
        giver, text = by_name[spot.name]
        first, other = program.calls[giver], program.calls[spot.call]
        value = other.arguments.get(spot.name)
        shown = value is not None and text_of_literal(value) is not None
        alike = spot.slot.option.default == _default(first, spot.name) != "None"
        if spot.slot.option.required or shown or (alike and _are_joined(first, other)):
            given[spot.call, spot.name] = text


def _default(call: Call, name: str) -> str:
    return next((one.default or "None" for one in call.callee.parameters if one.name == name), "None")


def _are_joined(one: Call, other: Call) -> bool:
    """Whether one of two calls of classes is handed what the other one makes: they share their sizes."""
    if {one.callee.object.kind, other.callee.object.kind} != {"class"}:
        return False
    handed = [{value.id for value in call.arguments.values() if isinstance(value, ast.Name)} for call in (one, other)]
    return (bool(other.variable) and other.variable in handed[0]) or (bool(one.variable) and one.variable in handed[1])


def _in_code(values: Sequence[str], slot: Slot, bracket: str) -> str:
    """Values as they stand in code.

    Args:
        values: as they would be typed.
        slot: where they go.
        bracket: what opens a list of them; "" where one value is wanted.
    """
    kind = slot.option.type
    if len(values) == 1 and (_is_code(values[0]) or values[0] == "None"):
        return values[0]
    words = list(values)
    if bracket or all(map(_is_row, values)):
        words = [word.strip() for one in values for word in one.split(",")]
    if bracket or len(words) > 1:
        inner = ", ".join(_word(one, kind) for one in words)
        return f"({inner}{',' if len(words) == 1 else ''})" if bracket == "(" else f"[{inner}]"
    return _word(words[0], kind)


def _is_row(text: str) -> bool:
    """Whether a text is several numbers with commas."""
    return "," in text and all(number(part.strip()) is not None for part in text.split(","))


def _is_code(text: str) -> bool:
    return text[:1] in "[({" and literal_value(text) is not None


def _word(value: str, kind: str) -> str:
    if value in {"True", "False", "None"} or _is_code(value):
        return value
    is_number = number(value) is not None and re.fullmatch(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?", value)
    return value.lstrip("+") if is_number and kind not in {"str", "path"} else quoted(value)


class _Writer:
    """Writes a program with other arguments."""

    def __init__(self, program: Program, given: Mapping[tuple[int, str], str]) -> None:
        self._program = program
        self._given = given
        self._source = program.text.encode()
        self._starts = [0, *accumulate(len(line) + 1 for line in self._source.split(b"\n"))]
        self._edits: list[tuple[int, int, bytes]] = []
        self._missing: list[str] = []
        self._dropped = 0

    def written(self) -> tuple[str, tuple[str, ...], int]:
        """The code, what is missing, how many literals were dropped."""
        spans = ((*self._span(call.node), at) for at, call in enumerate(self._program.calls))
        for _, _, at in sorted(spans, key=lambda one: (-one[0], one[1])):
            self._rewrite(at, self._program.calls[at])
        return self._piece(0, len(self._source)).decode(), tuple(self._missing), self._dropped

    def _span(self, node: ast.expr) -> tuple[int, int]:
        """Where a node begins and ends in the source, in bytes."""
        end = self._starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        return self._starts[node.lineno - 1] + node.col_offset, end

    def _piece(self, start: int, end: int) -> bytes:
        """A stretch of the code with the edits inside it."""
        found, at = b"", start
        for first, last, text in sorted(self._edits):
            if first >= at and last <= end:
                found += self._source[at:first] + text
                at = last
        return found + self._source[at:end]

    def _rewrite(self, at: int, call: Call) -> None:
        begin, end = self._span(call.node.func)[1], self._span(call.node)[1]
        line = self._source[self._starts[call.node.lineno - 1] : begin]
        indent = " " * (len(line) - len(line.lstrip()))
        pieces = self._arguments(at, call)
        joined = ", ".join(pieces)
        if len(line) + len(joined) > _WIDEST and len(pieces) > 1:
            joined = "\n" + "".join(f"{indent}    {piece},\n" for piece in pieces) + indent
        self._edits = [one for one in self._edits if not (begin <= one[0] and one[1] <= end)]
        self._edits.append((begin, end, f"({joined})".encode()))

    def _arguments(self, at: int, call: Call) -> list[str]:
        """The arguments as they stand now: those by place first."""
        pieces: list[str] = []
        by_value = {id(value): name for name, value in call.arguments.items()}
        known = {one.name: one for one in call.callee.parameters}
        by_place = True
        for value in call.node.args:
            name = by_value.get(id(value), "")
            text = self._argument(at, name, value, known.get(name))
            if text is None:
                by_place = False
                continue
            if not by_place and isinstance(value, ast.Starred):
                continue
            pieces.append(text if by_place else f"{name}={text}")
        for keyword in call.node.keywords:
            if keyword.arg is None:
                pieces.append(f"**{self._piece(*self._span(keyword.value)).decode()}")
                continue
            text = self._argument(at, keyword.arg, keyword.value, known.get(keyword.arg))
            if text is not None:
                pieces.append(f"{keyword.arg}={text}")
        present = {*by_value.values()}
        for (where, name), text in self._given.items():
            if where == at and name not in present:
                positional = known[name].kind == "positional"
                pieces.append(text if positional else f"{name}={text}")
        owed = (one.name for one in known.values() if one.required and one.name not in present)
        self._missing += [name for name in owed if (at, name) not in self._given]
        return pieces

    def _argument(self, at: int, name: str, value: ast.expr, parameter: Parameter | None) -> str | None:
        """What stands for one argument; None where it is left out."""
        new = self._given.get((at, name))
        old = text_of_literal(value)
        if new is not None and (old is None or alphanumeric(new) != alphanumeric(old) or not alphanumeric(new)):
            return new
        if new is None and isinstance(value, ast.Constant) and value.value is ...:
            usual = self._usual(at, name)
            if usual is None:
                self._missing.append(name)
            return usual if usual is not None else UNSET
        if new is None and old is not None and parameter is not None and not parameter.required:
            self._dropped += old != str(literal_value(parameter.default or ""))
            return None
        return self._piece(*self._span(value)).decode()

    def _usual(self, at: int, name: str) -> str | None:
        """What documented code gives a required parameter."""
        call = self._program.calls[at]
        seen = call.callee.library.seen_literals.get(call.callee.object.name, {}).get(name, ())
        return _word(seen[0], "unknown") if seen and "," not in seen[0] else None
