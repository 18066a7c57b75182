"""Whether a slot takes a value at all, and how it is typed there."""

import posixpath
import re
import string
from decimal import Decimal

from ml_agent.matching.devices import COUNTED_CARDS
from ml_agent.matching.evidence import Evidence
from ml_agent.matching.launch import PORT, PROCESSES
from ml_agent.matching.mentions import Mention, ParsedRequest
from ml_agent.matching.slots import Slot, listed_in
from ml_agent.matching.spelled import FilledSlot
from ml_agent.matching.terms import alphanumeric, terms
from ml_agent.values.numbers import number, plain_number, quantity

_HUNDRED = 100
_NAMED = 0.3
"""So much of its name must be said that a number may go where no number was seen."""
_DEVICES = frozenset(terms("gpu cpu tpu cuda device"))
"""What computes: as a value it means only options that name it."""
_TRUTH = frozenset({"true", "false"})
"""What only switches take, and who lists them."""
_DEVICE = re.compile(r"(?:cpu|cuda|gpu|mps|xpu|tpu|hpu|npu|ipu|auto|meta)s?(?::\d+)?|\d+(?:,\d+)*", re.IGNORECASE)
"""What an option called "device" takes."""
_LISTED = re.compile(r"[A-Za-z][\w-]*")


def takes_kind(slot: Slot, mention: Mention) -> bool:
    """Whether a slot takes a value of this kind at all; what takes all words that follow takes none by itself."""
    if slot.option.nargs == "...":
        return False
    if mention.parts and (
        not (slot.several or slot.series) if mention.whole else slot.several or not (slot.listed or slot.series)
    ):
        return False
    if mention.kind == "absence":
        return slot.zero is not None
    if mention.value.lower() in _TRUTH and mention.value.lower() not in map(str.lower, slot.vocabulary):
        return False
    if slot.series and mention.kind not in {"number", "factor"}:
        return all(map(str.isdigit, mention.value.split(slot.series))) and not mention.parts
    if slot.series and _SQUARE.fullmatch(mention.text) and not mention.parts:
        return False  # its two sides go there
    if slot.sized and mention.kind == "number":
        return False  # both of its sides go there, as one word
    if mention.kind == "name" and set(terms(mention.value)) <= _DEVICES:
        return slot.option.type not in {"int", "float"} and any(_DEVICES & set(name) for name in slot.names)
    for_card = any(name[-1] == "gpu" for name in slot.names) and not slot.boolean
    if for_card and mention.kind != "factor" and not _DEVICE.fullmatch(mention.value):
        return False
    if slot.separator and not re.search("[:=]", mention.value):
        return False
    if slot.closed and mention.kind != "factor":
        return any(_same(choice, part) for choice in slot.vocabulary for part in (mention.parts or (mention.value,)))
    if mention.kind == "factor":
        return slot.numeric_default is not None and slot.option.type in {"int", "float", "str", "unknown"}
    if mention.kind == "number":
        return _takes_amount(slot, mention)
    return slot.option.type in {"str", "path", "unknown", "json"} and slot.numeric_default is None


def _is_within(amount: Decimal, slot: Slot, mention: Mention) -> bool:
    """Whether a number is within the bounds of a slot; no percentage goes where whole numbers beyond a hundred are usual."""
    option = slot.option
    if mention.percent:
        return option.type != "int" or slot.numeric_default is None or slot.numeric_default <= _HUNDRED
    return option.bounds is None or option.bounds.hold(float(amount))


def _takes_amount(slot: Slot, mention: Mention) -> bool:
    """Whether a slot takes such a number: whole where it wants whole ones, none where it wants words or paths."""
    kind = slot.option.type
    if kind == "int" and any("." in part for part in mention.parts):
        return False
    is_text = kind in {"str", "unknown"} and slot.numeric_default is None
    if is_text and mention.value in slot.seen:
        return True  # a camera where files are usual
    if is_text and not slot.series and slot.role & {"path", "output", "input"}:
        return False
    if is_text and kind == "str" and slot.vocabulary:
        return False
    amount = number(mention.value)
    if amount is not None and not _is_within(amount, slot, mention):
        return False
    whole = amount is None or amount == amount.to_integral_value()
    is_number = amount is not None or kind not in {"int", "float"} or bool(mention.parts)
    return slot.takes_number() and (whole or kind != "int") and is_number


_SHARE = re.compile(r"(?:dropout|prob|probability)$", re.IGNORECASE)


def _is_above(slot: Slot, mention: Mention) -> bool:
    """Whether a number is above what a probability can be, and no known value is: four images are no dropout."""
    amount = number(mention.value) if mention.kind == "number" and not mention.percent else None
    is_share = _SHARE.search(slot.option.dest) is not None and (slot.numeric_default or 0) <= 1
    return is_share and amount is not None and amount > 1


_SQUARE = re.compile(r"\d+\s*(?:x|×|by)\s*\d+", re.IGNORECASE)
_PER = re.compile(r"(?:\b|_)(?:per|each)[\s_-]+([A-Za-z]+(?:/[A-Za-z]+)*)")


_SHOTS = re.compile(r"[\s-]+shots?\b", re.IGNORECASE)
"""What stands behind a number of examples in a prompt: "zero-shot"."""
_SEEDS = re.compile(r"\s+(?:[a-z]+\s+)?seeds\b", re.IGNORECASE)
"""What stands behind a number of runs that differ in their seed: none of them is that seed."""
_HERTZ = re.compile(r"\bk?hz$", re.IGNORECASE)
_OSCILLATES = frozenset(
    terms("rate sr fs frequency freq hz khz fmin fmax cutoff bandwidth pitch f0 sample sampling resample")
)
"""What is measured in hertz: a number of them means no channels."""
_MACHINES = frozenset(terms("gpu process node worker rank world parallel distributed job shard"))


_OF_LAUNCHING = _MACHINES | frozenset(terms("card device accelerator cuda port"))
"""What must stand near a number that a launcher is told: no program has to be launched by several processes."""
_BESIDE = 5


_OF_A_SEED = frozenset(terms("random rng manual seed"))


def counts_the_other(statement: ParsedRequest, mention: Mention, slot: Slot) -> bool:
    """Whether a number counts what the slot does not: "two GPUs" are no epochs, and no batch size per GPU."""
    if mention.kind != "number":
        return False
    if COUNTED_CARDS.match(statement.text, mention.end) and not _MACHINES & (slot.name_terms | slot.help_terms):
        return True
    if slot.option in (PROCESSES, PORT):
        beside = statement.tokens[max(0, mention.first - _BESIDE) : mention.last + 1 + _BESIDE]
        return _OF_LAUNCHING.isdisjoint(term for token in beside for term in terms(token.value))
    if _SHOTS.match(statement.text, mention.end):
        return "shot" not in f"{slot.option.dest} {slot.option.help}".lower()
    if _SEEDS.match(statement.text, mention.end):
        return any(set(name) <= _OF_A_SEED for name in slot.names)
    following = statement.tokens[mention.last + 1 : mention.last + 2]
    if _HERTZ.search(" ".join([mention.text, *(one.text for one in following)])):
        return not any(_OSCILLATES.intersection(said) for said in (slot.help_terms, *slot.names))
    if not following or following[0].kind not in {"word", "name"}:
        return False
    shared = {term for said in _PER.findall(f"{slot.option.dest} {slot.option.help}") for term in terms(said)}
    return bool(shared & set(terms(following[0].value.partition("/")[0])))


def _same(one: str, other: str) -> bool:
    return alphanumeric(one) == alphanumeric(other) or (number(one) is not None and number(one) == number(other))


def _takes_code(slot: Slot, script: str) -> bool:
    """Whether a script may be a value of it: one is its default or was seen there, or nothing is known of a configuration.

    Who names the script that has the option says what to run. Nothing being known, a configuration lies in a folder or is called so:
    a bare "server.py" is a program.
    """
    if posixpath.basename(script) == posixpath.basename(slot.option.path):
        return False
    known = [text for text in (slot.option.default, *slot.seen) if text]
    if known:
        return any(text.endswith((".py", ".sh")) for text in known)
    return "config" in slot.role and ("/" in script or "conf" in posixpath.basename(script).lower())


_NO_PLACES = frozenset(terms("key type mode strategy format suffix method column field version style level policy"))
"""What the last word of a name says that is no place in a file system."""


def _is_no_place(slot: Slot) -> bool:
    """Whether a name says last that a slot holds no path, and no known value is one: "checkpoint_key"."""
    known = (slot.option.default or "", *slot.seen)
    by_help = bool({"input-help", "path-help"} & slot.role)
    return all(name[-1] in _NO_PLACES for name in slot.names) and not by_help and not any("/" in text for text in known)


_FOLDERS = frozenset({"folder", "directory", "dir", "subfolder", "sub-folder"})


def is_possible(slot: Slot, mention: Mention, seen: Evidence) -> bool:
    """Whether what the words around a value say lets it go into a slot that takes values of its kind."""
    if mention.kind == "path" and "/" in mention.value and _is_no_place(slot):
        return False
    for_files = slot.takes_path or slot.role & {"path", "output", "path-help", "output-help"}
    if mention.noun in _FOLDERS and not for_files:
        return False
    if mention.kind == "path" and not slot.takes_path and listed_in(slot.option.help):
        return False  # its help lists names
    if mention.kind == "path" and re.search(r"\.(?:py|sh)$", mention.value) and not _takes_code(slot, mention.value):
        return False
    if mention.kind == "text" and len(slot.vocabulary) > 1 and not any(" " in known for known in slot.vocabulary):
        return False  # it takes one word or another
    free = slot.option.type in {"str", "unknown"} and slot.numeric_default is None and not slot.series
    if mention.kind == "number" and free and seen.name < _NAMED and not slot.option.positional:
        return False
    if seen.name < _NAMED and _is_above(slot, mention):
        return False
    if mention.kind != "number" or slot.option.positional or slot.option.required or slot.seen:
        return True
    return seen.name + seen.help + seen.prose > 0 or mention.value.lower() in slot.option.help.lower()


def has_its_count(slot: Slot, placed: FilledSlot) -> bool:
    """Whether a slot that takes so many values, neither more nor fewer, has them; what the user spells stays."""
    count = slot.option.nargs or ""
    return not count.isdigit() or count in {"0", "1"} or not placed.starts or len(placed.values) == int(count)


def spelling_in_slot(mention: Mention, slot: Slot) -> tuple[str, ...]:
    """The words by which a slot takes a value: its own spelling of a choice, a share for a percentage, half of the default."""
    if mention.kind == "factor" and slot.numeric_default is not None:
        value = Decimal(str(slot.numeric_default)) * Decimal(mention.value)
        return (plain_number(value.normalize()) if slot.option.type != "int" else str(int(value)),)
    if mention.kind == "absence":
        return (slot.zero or mention.value,)
    if mention.parts:
        parts = tuple(_canonical_spelling(part, slot) for part in mention.parts)
        return parts if slot.several else ((slot.series or ",").join(parts),)
    if slot.quantity is not None and mention.kind == "number":
        return (_with_unit(mention, slot.option.default or ""),)
    if slot.series == "," and mention.kind == "number" and _IN_THREES.fullmatch(mention.text):
        return (mention.text,)
    shares = slot.option.type != "int" and (slot.numeric_default is None or 0 <= slot.numeric_default <= 1)
    if mention.percent and shares:
        return (format((Decimal(mention.value) / 100).normalize(), "f"),)
    quoted = mention.kind == "text" and not slot.closed
    return (mention.value if quoted else _canonical_spelling(mention.value, slot),)


def _with_unit(mention: Mention, usual: str) -> str:
    """A number with its unit as it was written, in the spelling of the usual value: "256K" is "256k" beside "128k"."""
    digits = mention.text.rstrip("%" + string.ascii_letters)
    unit, known = mention.text[len(digits) :], quantity(usual)
    if known is None or not unit:
        return mention.value
    return digits + (known[1] if unit.lower() == known[1].lower() else unit)


_IN_THREES = re.compile(r"\d{3}(?:,\d{3})+")
"""One number or a list: "100,140,170"."""


def _canonical_spelling(value: str, slot: Slot) -> str:
    if value in slot.vocabulary:
        return value
    for known in slot.vocabulary:
        if _same(known, value):
            return known
    listed = (
        word
        for word in _LISTED.findall(slot.option.help)
        if word.islower() and alphanumeric(word) == alphanumeric(value)
    )
    is_name = alphanumeric(value) and number(value) is None and "/" not in value
    return next(listed, value) if is_name else value
