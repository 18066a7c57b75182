"""Complete answers: an entry point with the request's values, bare or after an example, and what speaks for the whole."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from ml_agent.matching import launch
from ml_agent.matching.entries import EntryPoint, Shown
from ml_agent.matching.fill import Filled, Placed
from ml_agent.matching.meanings import meant
from ml_agent.matching.mentions import Mention, Statement
from ml_agent.matching.slots import Slot
from ml_agent.matching.terms import plain
from ml_agent.values.numbers import number
from tools.commandline.quoting import quote
from tools.commandline.render import render_command
from tools.errors import RenderError
from tools.signatures.model import Option

ANSWER_FEATURES = (
    "entry", "gap", "left_numbers", "left_paths", "left_names", "mean", "least", "placed", "missing", "after",
    "unasked", "named_in_example", "alike", "unknown", "options_said", "total", "certain", "files_left", "switched",
)  # fmt: skip
_SHORT = 3
_CERTAIN = 3.0
"""Log-odds from which on a value hardly belongs elsewhere."""
_SWITCHED = "said in words"


class Answer(msgspec.Struct, frozen=True):
    """One complete call."""

    entry: EntryPoint
    filled: Filled
    call: dict[str, Any]
    """By dest: what is given."""
    processes: str
    """How many a launcher starts; "" where none is wanted."""
    shown: Shown | None
    vector: tuple[float, ...]
    score: float = 0.0


class Given(NamedTuple):
    """An entry point with its place among the others."""

    entry: EntryPoint
    score: float
    best: float


def answers(statement: Statement, given: Given, filled: Filled) -> Iterator[Answer]:
    """The bare call, and the call after each example that says something of the request."""
    processes = next((one.values[0] for one in filled.placed if _is_launchers(given.entry, one)), "")
    bare = _call(statement, given.entry, filled, None)
    yield Answer(given.entry, filled, bare, processes, None, _vector(statement, given, filled, bare, None))
    for shown in _telling(statement, given.entry)[:3]:
        call = _call(statement, given.entry, filled, shown)
        yield Answer(given.entry, filled, call, processes, shown, _vector(statement, given, filled, call, shown))


def _is_launchers(entry: EntryPoint, placed: Placed) -> bool:
    return entry.slots[placed.slot].option == launch.PROCESSES


def _telling(statement: Statement, entry: EntryPoint) -> list[Shown]:
    """The examples, those first that hold what the request says."""
    ranked = sorted(entry.shown, key=lambda one: -_alike(statement, one))
    found: list[Shown] = []
    for one in ranked:
        if all(one.values != other.values for other in found):
            found.append(one)
    return found


def _alike(statement: Statement, shown: Shown) -> float:
    """How much of what an example's values, headings and introduction say is said in the request."""
    words = {piece for text in _texts(shown) for piece in re.findall(r"[a-z]{2,}|\d+", text.lower())}
    said = set(re.findall(r"[a-z]{2,}|\d+", statement.text.lower()))
    about = {
        piece
        for text in (*shown.example.headings[-2:], shown.example.introduction[:200])
        for piece in re.findall(r"[a-z]{3,}", text.lower())
    }
    return len(words & said) / (3 + len(words)) + 0.5 * len(about & said) / (3 + len(about))


def _texts(shown: Shown) -> list[str]:
    return [str(one) for value in shown.values.values() for one in (value if isinstance(value, list) else [value])]


def _call(statement: Statement, entry: EntryPoint, filled: Filled, shown: Shown | None) -> dict[str, Any]:
    by_dest: dict[str, Option] = {option.dest: option for option in entry.signature.options}
    base: dict[str, Any] = dict(shown.values) if shown is not None else {}
    base = {dest: value for dest, value in base.items() if dest in by_dest}
    placed: dict[str, Any] = {}
    for one in (one for one in filled.placed if not _is_launchers(entry, one)):
        slot = entry.slots[one.slot]
        if entry.signature.kind == "make" and one.values == (slot.option.default,):
            continue  # what the Makefile says anyhow need not be said again
        placed[slot.option.dest] = _value(slot, one.values)
    if shown is not None:
        base = _propagate_changes(base, placed)
    base.update(placed)
    for option in entry.signature.options:
        if option.required and base.get(option.dest) is None and option.dest not in placed:
            usual = entry.seen.get(option.dest, ())
            known = [
                *_nearest_values(statement, entry, option),
                *usual,
                *((option.default,) if option.default is not None else ()),
                *option.choices,
            ]
            base[option.dest] = known[0] if known else _placeholder(option)
    groups = entry.signature.exclusive
    for group in groups:
        asked = [dest for dest in group if dest in placed]
        if asked:
            base = {dest: value for dest, value in base.items() if dest not in group or dest in asked}
    return base


def _nearest_values(statement: Statement, entry: EntryPoint, option: Option) -> list[str]:
    """The value of a required option's vocabulary that the request comes nearest to: better than one that is merely usual."""
    return [one.value for slot in entry.slots if slot.option is option for one in meant(statement, slot)[:1]]


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
            return values[0] == "True"
    if slot.several:
        return list(values)
    return values[0]


def _propagate_changes(base: Mapping[str, Any], placed: Mapping[str, Any]) -> dict[str, Any]:
    """What repeats an old value in another place follows its change: "weather_96_720" where 720 becomes 192."""
    changes = {
        str(base[dest]): str(new) for dest, new in placed.items()
        if dest in base and isinstance(base[dest], (str, int)) and not isinstance(base[dest], bool) and not isinstance(new, (list, bool)) and len(str(base[dest])) >= _SHORT and str(base[dest]) != str(new)
    }  # fmt: skip
    found = dict(base)
    for dest, value in base.items():
        if dest in placed or not isinstance(value, str) or number(value) is not None:
            continue
        for old, new in changes.items():
            parts = re.split(rf"(?<![A-Za-z0-9.]){re.escape(old)}(?![A-Za-z0-9])", value)
            value = new.join(parts)
        found[dest] = value
    return found


def _vector(
    statement: Statement, given: Given, filled: Filled, call: Mapping[str, Any], shown: Shown | None
) -> tuple[float, ...]:
    entry = given.entry
    left = [one for one in filled.left if not _is_said(one, call, entry)]
    asked = {entry.slots[one.slot].option.dest for one in filled.placed}
    required = {option.dest for option in entry.signature.options if option.required}
    scores = [min(one.score, 6.0) for one in filled.placed]
    texts = " ".join(_texts(shown)).lower() if shown else ""
    named = sum(
        one.kind in {"name", "number"} and len(one.value) > 2 and one.value.lower() in texts for one in filled.left
    )
    unasked = sum(dest not in asked and dest not in required for dest in call)
    return (
        given.score, given.score - given.best,
        float(sum(one.kind == "number" for one in left)), float(sum(one.kind == "path" for one in left)), float(sum(one.kind == "name" for one in left)),
        sum(scores) / len(scores) if scores else 0.0, min(scores, default=0.0), float(len(filled.placed)),
        float(sum(dest not in call for dest in required)), float(shown is not None), float(unasked), float(named),
        _alike(statement, shown) if shown else 0.0, float(len(filled.unknown)),
        len(asked) / (1 + len(asked) + len(left)),
        sum(scores), float(sum(score > _CERTAIN for score in scores)),
        sum(one.kind == "path" and "." in one.value.rpartition("/")[2] for one in left) / (1 + len(left)),
        float(sum(one.why == _SWITCHED for one in filled.placed)),
    )  # fmt: skip


def _is_said(mention: Mention, call: Mapping[str, Any], entry: EntryPoint) -> bool:
    """Whether a value is in the call in another way: the script's name, a part of a longer value."""
    wanted = plain(mention.value)
    if not wanted or wanted in plain(entry.signature.path) or wanted in plain(entry.signature.name):
        return True
    return len(wanted) > 2 and any(wanted in plain(str(value)) for value in call.values())


def command(answer: Answer, workdir: str) -> str | None:
    """The command line; None where the call cannot be written."""
    try:
        text = render_command(answer.entry.signature, answer.call, workdir)
    except RenderError:
        return None
    text = " ".join([text, *map(quote, answer.filled.kept)])
    text = launch.launched(text, answer.entry.launcher, answer.processes)
    return " ".join([*answer.filled.environment, text])
