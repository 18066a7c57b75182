"""Whether an option takes a value at all, by the kinds of both and the words around, and how the value is typed there.

The hard rules, before anything is weighed: what fails here is never placed, however near the words stand.
"""

import posixpath
import re
from decimal import Decimal

from ml_agent.numbers import number
from ml_agent.offline.evidence import Evidence
from ml_agent.offline.reading import Mention, ParsedRequest
from ml_agent.offline.slots import Slot, listed_in
from ml_agent.offline.words import alphanumeric, terms

_NAMED = 0.3
"""So much of its name must be said that a number may go where no number was seen."""
_DEVICES = frozenset(terms("gpu cpu tpu cuda device"))
"""What computes: as a value it means only options that name it."""
_DEVICE = re.compile(r"(?:cpu|cuda|gpu|mps|xpu|tpu|hpu|npu|auto|meta)s?(?::\d+)?|\d+(?:,\d+)*", re.IGNORECASE)
_CARDS = re.compile(r"[\s-]+(?:\w+\s+)?(?:gpus?|cards?|devices|tpus?|accelerators?)\b", re.IGNORECASE)
_MACHINES = frozenset(terms("gpu node rank world parallel distributed")) | {"process"}
_PER = re.compile(r"(?:\b|_)(?:per|each)[\s_-]+([A-Za-z]+)")
_SEEDS = re.compile(r"\s+(?:[a-z]+\s+)?seeds\b", re.IGNORECASE)
_COUNTS = re.compile(r"\b(?:number of|how many)\s+(?:\w+\s+)?(?:gpus?|devices|process\w*|nodes|cards)\b", re.IGNORECASE)
_MANY = 1000
_ENDS = frozenset(terms("min max start end first last from to lower upper low high initial final begin stop"))
_IN_THREES = re.compile(r"\d{3}(?:,\d{3})+")
_FOLDERS = frozenset({"folder", "directory", "dir", "subfolder"})


def takes_kind(slot: Slot, mention: Mention) -> bool:
    """Whether a slot takes a value of this kind at all."""
    kind, option = mention.kind, slot.option
    if option.nargs == "..." or (mention.parts and not (slot.several or slot.series or slot.listed)):
        return False
    if kind == "absence":
        return slot.usual_number not in {None, 0.0} and not slot.closed and _takes_number(slot)
    if mention.value.lower() in {"true", "false"}:
        return mention.value.lower() in map(str.lower, slot.vocabulary)
    if slot.series and kind != "number":
        return False
    if kind == "name" and set(terms(mention.value)) <= _DEVICES:
        return option.type not in {"int", "float"} and bool(_DEVICES & slot.name_terms)
    if any(name[-1] == "gpu" for name in slot.names) and not _DEVICE.fullmatch(mention.value):
        return False
    if slot.closed:
        return all(any(_same(choice, part) for choice in slot.vocabulary) for part in mention.parts or (mention.value,))
    if kind == "number":
        return _takes_amount(slot, mention)
    return option.type in {"str", "path", "unknown", "json"} and slot.usual_number is None


def _takes_amount(slot: Slot, mention: Mention) -> bool:
    """Whether a slot takes such a number: whole where it wants whole ones, none where it wants words or paths."""
    kind, amount = slot.option.type, number(mention.value)
    is_text = kind in {"str", "unknown"} and slot.usual_number is None
    if is_text and mention.value in slot.seen:
        return True
    if is_text and not slot.series and (slot.role & {"path", "output", "input"} or (kind == "str" and slot.vocabulary)):
        return False
    if is_text and not slot.series and slot.takes_path:
        return False
    usual = slot.usual_number
    if kind == "float" and usual is not None and 0 <= usual < 1 and (amount or 0) >= _MANY:
        return False
    if mention.percent and kind == "int" and (usual or 0) > 100:
        return False
    wholes = all(
        one is None or one == one.to_integral_value() for one in map(number, mention.parts or (mention.value,))
    )
    return _takes_number(slot) and (wholes or kind != "int")


def _takes_number(slot: Slot) -> bool:
    return slot.option.type not in {"path", "bool"} and slot.option.nargs not in {"0", "?bool"} and not slot.boolean


def is_possible(statement: ParsedRequest, slot: Slot, mention: Mention, seen: Evidence) -> bool:
    """Whether what the words around a value say lets it go into a slot that takes values of its kind."""
    if mention.kind == "path":
        for_code = re.search(r"\.(?:py|sh)$", mention.value) is not None
        if (for_code and not _takes_code(slot, mention.value)) or (not slot.takes_path and listed_in(slot.option.help)):
            return False
    if mention.noun in _FOLDERS and not (slot.takes_path or slot.role & {"path", "output", "path-help", "output-help"}):
        return False
    if mention.kind == "text" and len(slot.vocabulary) > 1 and not any(" " in known for known in slot.vocabulary):
        return False  # it takes one word or another
    if mention.kind != "number":
        return True
    if not (slot.several or slot.name_terms & _ENDS) and any(mention.first in both for both in statement.ranges):
        return False  # both ends of a range go to one option, or to two that are called so
    free = slot.option.type in {"str", "unknown"} and slot.usual_number is None and not slot.series
    if _counts_another(statement, mention, slot) or (free and seen.name < _NAMED and not slot.option.positional):
        return False
    known = slot.option.positional or slot.option.required or slot.seen
    return bool(known) or seen.name + seen.help > 0


def _counts_another(statement: ParsedRequest, mention: Mention, slot: Slot) -> bool:
    """Whether a number counts what the slot does not: "two GPUs" are no epochs, and no batch size per GPU."""
    counts = bool(_MACHINES & slot.name_terms) or _COUNTS.search(slot.option.help) is not None
    if _CARDS.match(statement.text, mention.end) and not counts:
        return True
    if _SEEDS.match(statement.text, mention.end):
        return "seed" in slot.name_terms
    if "seed" in slot.name_terms and "seed" not in statement.vocabulary:
        return True
    following = statement.tokens[mention.last + 1 : mention.last + 2]
    shared = {term for said in _PER.findall(f"{slot.option.dest} {slot.option.help}") for term in terms(said)}
    return any(shared & set(terms(one.value)) for one in following if one.kind in {"word", "name"})


def _takes_code(slot: Slot, script: str) -> bool:
    """Whether a script may be a value of it: one is its default or was seen there, or nothing is known of a configuration."""
    known = [text for text in (slot.option.default, *slot.seen) if text]
    if known or posixpath.basename(script) == posixpath.basename(slot.option.path):
        return any(text.endswith((".py", ".sh")) for text in known)
    return "config" in slot.role and ("/" in script or "conf" in posixpath.basename(script).lower())


def _same(one: str, other: str) -> bool:
    return alphanumeric(one) == alphanumeric(other) or (number(one) is not None and number(one) == number(other))


def spelling_in_slot(mention: Mention, slot: Slot) -> tuple[str, ...]:
    """The words by which a slot takes a value: its own spelling of a choice, a share for a percentage."""
    if mention.parts:
        parts = tuple(_canonical_spelling(part, slot) for part in mention.parts)
        return parts if slot.several else (",".join(parts),)
    if slot.series and mention.kind == "number" and _IN_THREES.fullmatch(mention.text):
        return (mention.text,)
    shares = slot.option.type != "int" and (slot.usual_number is None or 0 <= slot.usual_number <= 1)
    if mention.percent and shares:
        return (format((Decimal(mention.value) / 100).normalize(), "f"),)
    quoted = mention.kind == "text" and not slot.closed
    return (mention.value if quoted else _canonical_spelling(mention.value, slot),)


def _canonical_spelling(value: str, slot: Slot) -> str:
    if value in slot.vocabulary:
        return value
    same = (known for known in slot.vocabulary if _same(known, value))
    return next(same, value)
