"""Complete answers: an entry point with the request's values, bare or after an example, and what speaks for the whole."""

import posixpath
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from ml_agent.matching import launch
from ml_agent.matching.after_example import (
    HALF,
    example_values,
    in_named_folder,
    is_filled,
    is_introduced,
    merged,
    nearest_example,
    replaces_one,
)
from ml_agent.matching.entries import EntryPoint, ExampleCall
from ml_agent.matching.fill import FilledSlot, SlotAssignment
from ml_agent.matching.meanings import vocabulary_matches
from ml_agent.matching.mentions import Mention, ParsedRequest
from ml_agent.matching.slots import Slot
from ml_agent.matching.switches import is_ruled_out
from ml_agent.matching.terms import alphanumeric
from ml_agent.tools.commandline.lexer import quote
from ml_agent.tools.commandline.render import render_command
from ml_agent.tools.errors import RenderError
from ml_agent.tools.signatures.model import Option

ANSWER_FEATURES = (
    "entry", "gap", "left_numbers", "left_paths", "left_names", "mean", "least", "placed", "unknown", "options_said",
    "total", "certain", "files_left", "switched",
)  # fmt: skip
CERTAIN = 3.0
"""Log-odds from which on a value hardly belongs elsewhere."""
_SWITCHED = "said in words"
_SEVERAL = 3
"""So many settings that are spelled with their values are a way of one's own."""


class Answer(msgspec.Struct, frozen=True):
    """One complete call."""

    entry: EntryPoint
    assignment: SlotAssignment
    call: dict[str, Any]
    """By dest: what is given."""
    launching: dict[str, str]
    """By dest: what the launcher is given; {} where none is wanted."""
    shown: ExampleCall | None
    vector: tuple[float, ...]
    invented: tuple[str, ...] = ()
    """dests of what is required and gets a placeholder, because neither the request nor the repository gives it a value."""
    score: float = 0.0


class ScoredEntry(NamedTuple):
    """An entry point with its place among the others."""

    entry: EntryPoint
    score: float
    best: float


def answers(statement: ParsedRequest, given: ScoredEntry, assignment: SlotAssignment) -> list[Answer]:
    """The bare call, and the call after the nearest example: first the example's where it is the way that was asked for.

    It is where it says half of what the request states, or has variables for it, and no option is spelled, for who spells options
    says what he wants; and where the bare call needs values that nobody gives.
    """
    entry = given.entry
    launching = {
        entry.slots[one.slot].option.dest: one.values[0] for one in assignment.placed if _is_launchers(entry, one)
    }
    if not launching and launch.is_named(entry.launcher, (token.value for token in statement.tokens)):
        launching = {launch.PROCESSES.dest: ""}
    placed = _values_by_dest(entry, assignment)
    call, invented = _call(statement, entry, placed, None)
    vector = _vector(given, assignment, call)
    bare = Answer(entry, assignment, call, launching, None, vector, invented)
    shown, said = nearest_example(statement, entry, placed)
    if shown is None:
        return [bare]
    after_shown, still = _call(statement, entry, placed, shown)
    after = Answer(entry, assignment, after_shown, launching, shown, vector, still)
    meant = said >= HALF or is_filled(statement, entry, shown) or is_introduced(statement, entry, shown)
    assigned = sum(not one.name.startswith("-") for one in statement.spelled)
    meant = meant and assigned < _SEVERAL and not any(one.name.startswith("-") for one in statement.spelled)
    return [after, bare] if meant or invented else [bare, after]


def _values_by_dest(entry: EntryPoint, assignment: SlotAssignment) -> dict[str, Any]:
    """By dest: what the request gives."""
    found: dict[str, Any] = {}
    for one in (one for one in assignment.placed if not _is_launchers(entry, one)):
        slot = entry.slots[one.slot]
        if entry.signature.kind == "make" and one.values == (slot.option.default,):
            continue  # what the Makefile says anyhow need not be said again
        found[slot.option.dest] = _value(slot, one.values)
    return found


def _is_launchers(entry: EntryPoint, placed: FilledSlot) -> bool:
    return entry.slots[placed.slot].option in (launch.PROCESSES, launch.PORT)


def _call(
    statement: ParsedRequest, entry: EntryPoint, placed: Mapping[str, Any], shown: ExampleCall | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The values by dest, and those dests of them whose value neither the request nor the repository ever gives."""
    base = example_values(statement, entry, shown) if shown is not None else {}
    excluded = {option.dest for option in entry.signature.options if replaces_one(option, placed)}
    excluded |= {one.option.dest for one in entry.slots if one.boolean and is_ruled_out(statement, entry.slots, one)}
    base = merged({dest: value for dest, value in base.items() if dest not in excluded}, placed)
    invented = []
    for option in _lacking(entry, base, placed):
        usual = entry.seen_values.get(option.dest, ())
        default = (option.default,) if option.default is not None else ()
        known = [*_nearest_values(statement, entry, option), *usual, *default, *option.choices]
        base[option.dest] = in_named_folder(statement, entry, known[0]) if known else _placeholder(option)
        invented += [] if known else [option.dest]
    for group in entry.signature.exclusive:
        asked = [dest for dest in group if dest in placed]
        if asked:
            base = {dest: value for dest, value in base.items() if dest not in group or dest in asked}
    return base, tuple(dest for dest in invented if dest in base)


def _lacking(entry: EntryPoint, base: Mapping[str, Any], placed: Mapping[str, Any]) -> list[Option]:
    """What is required and has no value yet; none where a file of settings may give it."""
    if entry.signature.may_be_in_file(base):
        return []
    return [
        option
        for option in entry.signature.options
        if option.required and base.get(option.dest) is None and option.dest not in placed
        if not (entry.launcher and launch.is_launchers(option))
    ]


def _nearest_values(statement: ParsedRequest, entry: EntryPoint, option: Option) -> list[str]:
    """The value of a required option's vocabulary that the request comes nearest to: better than one that is merely usual."""
    return [
        one.value
        for slot in entry.slots_for(statement)
        if slot.option is option
        for one in vocabulary_matches(statement, slot)[:1]
    ]


def _placeholder(option: Option) -> Any:
    """What stands for a required value of which nothing is known."""
    if option.switch or option.type == "bool":
        return True
    text = {"int": "1", "float": "1.0"}.get(option.type, option.dest)
    count = int(option.nargs) if option.nargs and option.nargs.isdigit() else 1
    return [text] * count if option.nargs in {"+", "*"} or count > 1 else text


def _value(slot: Slot, values: Sequence[str]) -> Any:
    option = slot.option
    if slot.boolean and values[0] in {"True", "False"}:
        if option.switch and option.switch_value not in {None, "True", "False"}:
            return option.switch_value
        if option.switch or option.nargs == "?bool" or option.type == "bool":
            stores = option.switch_value != "False"  # `--no-x` puts False where the program looks
            return (values[0] == "True") == stores
    return list(values) if slot.several else values[0]


def _vector(given: ScoredEntry, assignment: SlotAssignment, call: Mapping[str, Any]) -> tuple[float, ...]:
    entry = given.entry
    left = [one for one in assignment.unplaced if not _is_said(one, call, entry)]
    kinds = Counter(one.kind for one in left)
    asked = {entry.slots[one.slot].option.dest for one in assignment.placed}
    scores = [min(one.score, 6.0) for one in assignment.placed]
    return (
        given.score, given.score - given.best, float(kinds["number"]), float(kinds["path"]), float(kinds["name"]),
        sum(scores) / len(scores) if scores else 0.0, min(scores, default=0.0), float(len(assignment.placed)),
        float(len(assignment.unknown)), len(asked) / (1 + len(asked) + len(left)),
        sum(scores), float(sum(score > CERTAIN for score in scores)),
        sum(one.kind == "path" and "." in one.value.rpartition("/")[2] for one in left) / (1 + len(left)),
        float(sum(one.reason == _SWITCHED for one in assignment.placed)),
    )  # fmt: skip


def _is_said(mention: Mention, call: Mapping[str, Any], entry: EntryPoint) -> bool:
    """Whether a value is in the call in another way: the script's name, a part of a longer value."""
    wanted = alphanumeric(mention.value)
    if not wanted or wanted in alphanumeric(entry.signature.path) or wanted in alphanumeric(entry.signature.name):
        return True
    return len(wanted) > 2 and any(wanted in alphanumeric(str(value)) for value in call.values())


def command(answer: Answer, workdir: str) -> str | None:
    """The command line; None where the call cannot be written."""
    signature, module = answer.entry.signature, answer.entry.module(workdir)
    if (
        signature.kind == "console"
        and signature.name == posixpath.basename(signature.path)
        and not answer.entry.is_shown_installed
    ):
        signature = msgspec.structs.replace(signature, kind="python", name="")  # its file runs before it is installed
    if module:
        signature = msgspec.structs.replace(signature, kind="module", name=module)
    places = (workdir, posixpath.dirname(signature.path))
    call = {dest: answer.entry.facts.path_of(value, places) for dest, value in answer.call.items()}
    try:
        text = render_command(signature, call, workdir)
    except RenderError:
        return None
    text = " ".join([text, *map(quote, answer.assignment.unlisted)])
    text = launch.launched(text, answer.entry.launcher, answer.launching)
    return " ".join([*answer.assignment.environment, text])
