"""The options that a user spells, with the values behind them."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ml_agent.numbers import number
from ml_agent.offline.reading import ParsedRequest
from ml_agent.offline.slots import Slot
from ml_agent.offline.words import words
from ml_agent.user_values import IN_QUOTES, TRUTH, ExplicitFlag

SPELLED = 20.0
"""Log-odds of what the user spells."""
_SETTING = re.compile(r"(?<![\w./-])[A-Za-z_]\w{0,40}(?:\.\w{1,40}){0,8}(?![\w/]|\.\w|\s*+[=:]\S)")
_STEP = re.compile(rf"\s*+(?:(?:of|to|is|at|as|with|=|:)\s+)?(?P<word>{IN_QUOTES}|[^\s]+)")
_GOES_ON = frozenset({"and", "which", "that", "so", "the"})


class FilledSlot(NamedTuple):
    """A slot with what goes there."""

    slot: int
    values: tuple[str, ...]
    score: float
    """Log-odds that it belongs there; high for what the user spells."""
    starts: tuple[int, ...] = ()
    """Where in the request its values begin."""
    text: str = ""
    """What of the request says it."""


def spelled_slots(statement: ParsedRequest, slots: Sequence[Slot]) -> tuple[list[FilledSlot], list[ExplicitFlag]]:
    """The slots that the user fills by spelling the option, and the spelled options that no slot is called by."""
    places = _places_by_spelling(slots)
    found: list[FilledSlot] = []
    unknown: list[ExplicitFlag] = []
    for one in (*statement.flags, *_settings(statement, slots)):
        known = places.get(one.name)
        if known is None and (len(one.name) > 2 or not one.name.startswith("-")):
            known = places.get(one.name.replace("_", "-").lstrip("-"))
        if known is None:
            unknown.append(one)
            continue
        values, end = _value_of(statement, one, slots[known])
        if values:
            found.append(
                FilledSlot(known, values, SPELLED, (one.start,), statement.text[max(one.start, 0) : max(end, 0)])
            )
    return found, unknown


def _places_by_spelling(slots: Sequence[Slot]) -> dict[str, int]:
    """By spelling, with its dashes and without: the slot; one without flags is spelled by its name."""
    found: dict[str, int] = {}
    for place, slot in enumerate(slots):
        for flag in (*slot.option.flags, *slot.option.negative_flags):
            found.setdefault(flag, place)
            found.setdefault(flag.replace("_", "-").lstrip("-"), place)
        if not slot.option.flags:
            found.setdefault(slot.option.dest, place)
            found.setdefault(slot.option.dest.replace("_", "-"), place)
    return found


def _settings(statement: ParsedRequest, slots: Sequence[Slot]) -> Iterator[ExplicitFlag]:
    """Options without dashes that stand in the request by a name that is no common word: "SOLVER.BASE_LR 0.1"."""
    keys = {slot.option.dest for slot in slots if not slot.option.flags}
    known = {key for key in keys if re.search(r"[._]", key)}
    for match in _SETTING.finditer(statement.text) if known else ():
        if match[0] in known:
            yield ExplicitFlag(match[0], None, match.start(), match.end())


def _value_of(statement: ParsedRequest, one: ExplicitFlag, slot: Slot) -> tuple[tuple[str, ...], int]:
    """What a spelled option is given, and where the two together end."""
    bare = str(one.name not in slot.option.negative_flags)
    behind = one.start + len(one.name)
    joined = one.start < 0 or statement.text[behind : behind + 1] in {"=", ":"}
    if joined and one.value is not None:
        on = TRUTH.get(one.value.lower()) if slot.option.switch else None
        return (one.value if on is None else str(on == (bare == "True")),), one.end
    if slot.option.switch:
        return (bare,), behind
    values, length = _following(statement.text[behind : behind + 160], slot)
    if slot.boolean:
        typed = values and (values[0].lower() in TRUTH or (slot.binary and number(values[0]) is not None))
        return (values, behind + length) if typed else ((bare,), behind)
    return values, behind + length


def _following(text: str, slot: Slot) -> tuple[tuple[str, ...], int]:
    """The words of a spelled option's value, and how far they reach."""
    found: list[str] = []
    at = 0
    while match := _STEP.match(text, at):
        word = match["word"]
        quoted = len(word) > 1 and re.fullmatch(IN_QUOTES, word) is not None
        if word.startswith("-") and number(word.rstrip(",.;)")) is None and found:
            break
        if word[0] in ",;)" or (word[0] == "." and (match.start("word") == at or word.startswith("..."))):
            break  # the sentence ends, or goes on; "./x" and ".mp4" are values
        bare = word if quoted or word in {".", ".."} else word.rstrip(";:),.")
        goes_on = bare in _GOES_ON or (found and bare in {"with", "for", "or"})
        if not bare or goes_on or (not quoted and _is_no_value(bare, slot)):
            break
        found.append(bare[1:-1] if quoted else bare)
        at = match.end()
        if not slot.several or (not quoted and word != bare):
            break
    return tuple(found), at


def _is_no_value(word: str, slot: Slot) -> bool:
    """Whether a word goes on with the sentence: a common one, or letters where a number belongs."""
    if not word.isalpha() or word.lower() in TRUTH or word in slot.vocabulary:
        return False
    return word in words("stop") or (slot.option.type in {"int", "float"} and not slot.vocabulary)
