"""How an entry point is called, as its help would say it: the options that a request may mean, one line each."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ml_agent.matching.entries import EntryPoint
from ml_agent.matching.fill import Filled, fill, pairs
from ml_agent.matching.meanings import meant
from ml_agent.matching.mentions import Statement
from ml_agent.matching.scores import Scores, value_score
from ml_agent.matching.slots import Slot, Weights
from ml_agent.values.numbers import number
from tools.commandline.render import program

_MOST_CHARACTERS = 1500
_MOST_LINES = 30
_MOST_HELP = 70
_MOST_CHOICES = 14
_MOST_SHOWN = 4
_LEAST_SHOWN = 3
_LONGEST_DEFAULT = 40
_LONGEST_VALUE = 60
_UNLIKELY = -9.0
_TYPES = {"int": "INT", "float": "FLOAT", "bool": "BOOL", "path": "PATH"}


class Help(NamedTuple):
    """A call and its likeliest options."""

    usage: str
    lines: tuple[str, ...]


def help_of(statement: Statement, entry: EntryPoint, workdir: str, model: Scores) -> Help:
    """The help of an entry point, of its options those that the request comes nearest to, in the order of the signature.

    Numbers are shown without their defaults: a small model repeats them where the request states nothing.

    Args:
        statement: the request.
        entry: what is called.
        workdir: from where it is called.
        model: the learned tables.
    """
    worth = _relevance(statement, entry, model)
    slots, size = entry.slots, 0
    kept: set[int] = set()
    for place in sorted(range(len(slots)), key=lambda place: -worth[place]):
        text = _line(statement, entry, slots[place])
        if worth[place] < 0:
            continue
        if size + len(text) > _MOST_CHARACTERS or len(kept) >= _MOST_LINES:
            break
        kept.add(place)
        size += len(text) + 1
    shown = [slot for place, slot in enumerate(slots) if place in kept]
    return Help(_usage(entry, workdir, shown), tuple(_line(statement, entry, slot) for slot in shown))


def _usage(entry: EntryPoint, workdir: str, shown: Sequence[Slot]) -> str:
    words = " ".join([*program(entry.signature, workdir), *entry.signature.subcommand])
    if _is_assigned(entry):
        return f"{words} KEY=VALUE ..."
    holders = entry.signature.holders
    options = [slot.option for slot in shown if slot.option.positional and slot.option not in holders]
    held = [" ".join([*holder.flags[-1:], "NAME VALUE ..."]) for holder in holders]
    return " ".join([words, "[options]", *(option.dest.upper() for option in options), *held])


def _is_assigned(entry: EntryPoint) -> bool:
    return entry.signature.syntax == "overrides"


def _relevance(statement: Statement, entry: EntryPoint, model: Scores) -> list[float]:
    """By slot: how near the request comes to it; less than 0 where nobody means it."""
    weights = Weights(entry.slots)
    filled = fill(statement, entry.slots, model)
    best: dict[int, float] = {}
    for pair in pairs(statement, entry.slots, weights):
        best[pair.slot] = max(best.get(pair.slot, _UNLIKELY), value_score(pair, model))
    return [
        -1.0 if slot.internal else _said_share(statement, slot, weights) + _place_score(filled, place, best)
        for place, slot in enumerate(entry.slots)
    ]


def _place_score(filled: Filled, place: int, best: dict[int, float]) -> float:
    """What speaks for a slot as a place of values."""
    likely = min(3.0, (best.get(place, _UNLIKELY) + 3) / 2)
    return 4.0 * any(one.slot == place for one in filled.placed) + max(0.0, likely)


def _said_share(statement: Statement, slot: Slot, weights: Weights) -> float:
    """How much of a slot's name, help and choices is said."""
    known = statement.vocabulary
    names = sorted({term for name in slot.names for term in name})
    named = sum(weights.name(term) for term in names if term in known or statement.alike(term))
    helped = sorted((weights.help(term) for term in slot.help_terms if term in known), reverse=True)
    needed = slot.option.required or slot.option.positional
    return 2 * named + sum(helped[:3]) + 2.0 * needed + 2.0 * bool(meant(statement, slot))


def _line(statement: Statement, entry: EntryPoint, slot: Slot) -> str:
    option = slot.option
    name, kind = _name(entry, slot), _kind(slot)
    by_place = option.positional and not _is_assigned(entry)
    text = name if by_place or not kind else f"{name}{'=' if _is_assigned(entry) else ' '}{kind}"
    default = option.default or ""
    if _is_telling(default) and not option.switch:
        text += f" ({default})"
    about = " ".join(option.help.split())[:_MOST_HELP].rstrip()
    values = ", ".join(_examples(statement, slot))
    said = f"{about} e.g. {values}" if about and values else f"e.g. {values}" if values else about
    return f"{text}: {said}" if said else text


def _name(entry: EntryPoint, slot: Slot) -> str:
    flags = slot.option.flags
    if _is_assigned(entry) or slot.option.within:
        return slot.option.dest
    return next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else slot.option.dest.upper())


def _kind(slot: Slot) -> str:
    option = slot.option
    if option.switch:
        return ""
    if 0 < len(option.choices) <= _MOST_CHOICES:
        return "{" + ",".join(option.choices) + "}"
    several = " ..." if slot.several else ""
    if option.type in _TYPES:
        return _TYPES[option.type] + several
    if slot.boolean:
        return "BOOL" + several
    if slot.numeric_default is not None and option.type != "str":
        return "FLOAT" + several
    return ("PATH" if slot.takes_path else "STR") + several


def _is_telling(default: str) -> bool:
    """Whether a default shows what values look like."""
    if default in {"", "None"} or default.lower() in {"true", "false"}:
        return False
    return len(default) < _LONGEST_DEFAULT and number(default) is None


def _examples(statement: Statement, slot: Slot) -> Iterator[str]:
    """Values of a slot's vocabulary, those first that the request seems to mean; none where all choices are shown."""
    if 0 < len(slot.option.choices) <= _MOST_CHOICES or not slot.vocabulary:
        return
    known = [one.value for one in meant(statement, slot)][:_MOST_SHOWN]
    others = [value for value in slot.vocabulary if value not in known and value != slot.option.default]
    for value in (*known, *others[: max(0, _LEAST_SHOWN - len(known))]):
        if len(value) < _LONGEST_VALUE:
            yield value
