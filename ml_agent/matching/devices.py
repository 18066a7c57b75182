"""What a request says of where a program computes: "on the second graphics card", "GPU 1 only", "on a laptop without one".

People count their cards and machines from the first, programs from 0; who gives a number ("GPU 1") gives the program's own.
Where an entry point has no option for a card, the environment of CUDA programs says it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.slots import COUNTS, Slot
from ml_agent.matching.spelled import FilledSlot
from ml_agent.matching.terms import alphanumeric, terms
from ml_agent.tools.signatures.model import Option
from ml_agent.values.numbers import SMALL

_ORDINALS = {
    word: str(place) for place, word in enumerate(("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"))
}  # fmt: skip
_NUMBERS = {word: str(value) for word, value in SMALL.items() if value < len(_ORDINALS)}
_CARD = r"(?:graphics\s+cards?|video\s+cards?|cards?|gpus?|cuda\s+devices?|accelerators?)"
COUNTED_CARDS = re.compile(rf"[\s-]+{_CARD}\b", re.IGNORECASE)
"""What stands behind a number of cards: " graphics cards", "-GPU"."""
_MACHINE = r"(?:machines?|nodes?|hosts?|servers?|computers?)"
_ORDINAL = re.compile(
    rf"(?<!\band )\b(?P<ordinal>{'|'.join(_ORDINALS)})\s+(?:of\s+(?:my|our|the|its|these|those)\s+(?:\w+\s+){{0,2}})?(?:(?P<card>{_CARD})|(?P<machine>{_MACHINE}))\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"\b(?:gpu|graphics\s+card|card|cuda(?:\s+device)?)\s+(?:number\s+|no\.\s*|#\s*)?(?P<number>\d|{'|'.join(_NUMBERS)})\b(?![.:,]?\d|[-\w]|\s*(?:gb|g|mb|%|percent)\b|,?\s+(?:and|or|to)\s+\d|,\s*\d+(?:,|\s+(?:and|or)\b))",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"\b(?:gpus|(?:graphics\s+)?cards|cuda\s+devices)\s+\(?(?P<numbers>\d(?:(?:\s*,\s*|\s*[+&]\s*|,?\s+and\s+)\d)+)\b(?![.:]?\d|[-\w])",
    re.IGNORECASE,
)
"""Several of them: "GPUs 0, 2 and 3", "gpus 1+3", "3 gpus (0,2,3)"."""
_HIDDEN = re.compile(
    r"\b(?:hide|except|without|but|not|never|avoid|exclude|leave|than)\s+(?:for\s+)?(?:the\s+)?$", re.IGNORECASE
)
"""Before what is not to be used."""
_NO_CARD = re.compile(
    r"\b(?:no|without(?:\s+an?|\s+any)?|lacks\s+an?)\s+(?:graphics\s+card|gpus?)\b"
    r"|\bon\s+(?:(?:the|a|my|its)\s+)?(?:cpu|processor)\b(?!\s+core)|\bprocessor\s+only\b|(?:(?<=, )|(?<=^))cpu\b(?=\s*(?:only|[,.;]|$))",
    re.IGNORECASE,
)
_ON_CARD = re.compile(r"\bon\s+(?:(?:the|a|my|its)\s+)?(?:gpu|graphics\s+card)\b(?!\s+(?:\d|number))", re.IGNORECASE)
_PLAIN = frozenset({"gpu", "name", "ids", "index", "visibl", "model", "main", "default", "rank", "run", "infer"})
"""What the name of an option for the one device may say beside it; "ids" and "index" are of a number."""
_FOR_CARD = frozenset({"cuda", "gpu", "usecuda", "usegpu"})
FOR_PROCESSOR = frozenset({"cpu", "usecpu", "cpuonly", "forcecpu", "nocuda", "nogpu", "disablecuda", "disablegpu"})
"""Names, without marks, of switches that do without a card."""
_COUNTED = frozenset({"number", "per", "memory", "no", "use", "map", "count", "util", "batch"})
_ONE_CARD = re.compile(rf"\b(?:single|singular|sole|(?:only|just)\s+one)\s+{_CARD}(?<!s)\b", re.IGNORECASE)
_WORDS = re.compile(r"\b(?:cpu|cuda|gpu)\b")
_NEGATIVE = re.compile(
    r"(?<![\w-])-1\b[^.;]{0,30}\bcpu\b|\bnegative\b[^.;]{0,30}\bcpu\b|\bcpu\b[^.;]{0,20}(?<![\w-])-1\b", re.IGNORECASE
)


class Device(NamedTuple):
    """Where a program is to compute, as a stretch of the request says it."""

    start: int
    end: int
    value: str
    """A number, several with commas between them, "cpu" or "gpu"."""
    machine: bool = False
    """Whether it is one of several machines."""


class Devices(NamedTuple):
    """What a request says of devices, for one entry point."""

    placed: list[FilledSlot]
    environment: tuple[str, ...]
    """Assignments that stand before the command."""
    spans: tuple[tuple[int, int], ...]
    """The stretches of the request that are used up."""


NO_DEVICES = Devices([], (), ())


def devices(text: str) -> Iterator[Device]:
    """What a request says of one card, of the machine's place among several, and of computing without a card."""
    for match in _ORDINAL.finditer(text):
        # The rest of "the second of my two machines" says how many there are.
        yield Device(
            match.start(), match.end("ordinal"), _ORDINALS[match["ordinal"].lower()], match["machine"] is not None
        )
    for match in _NUMBERED.finditer(text):
        yield Device(match.start(), match.end(), _NUMBERS.get(match["number"].lower(), match["number"]))
    for match in _LISTED.finditer(text):
        if _HIDDEN.search(text[: match.start()]) is None:
            yield Device(match.start(), match.end(), ",".join(re.findall(r"\d", match["numbers"])))
    for match in _NO_CARD.finditer(text):
        yield Device(match.start(), match.end(), "cpu")
    for match in _ON_CARD.finditer(text):
        yield Device(match.start(), match.end(), "gpu")


def is_too_many(statement: ParsedRequest, option: Option, value: object) -> bool:
    """Whether an option has several cards, "0,1,2,3", where the request wants a single one."""
    several = len(re.split(r"[,\s]+", str(value).strip(","))) > 1
    return several and "gpu" in terms(option.dest) and _ONE_CARD.search(statement.text) is not None


def place_devices(statement: ParsedRequest, slots: Sequence[Slot], taken: Sequence[FilledSlot]) -> Devices:
    """The options that say where to compute, for what the request says of it.

    Args:
        statement: the request.
        slots: of the entry point.
        taken: what the user spells; an option that is spelled is settled.
    """
    settled = {one.slot for one in taken}
    placed: list[FilledSlot] = []
    environment: tuple[str, ...] = ()
    spans: list[tuple[int, int]] = []
    for device in devices(statement.text):
        listed = "," in device.value  # an option for cards takes several like other values
        fitting = _fitting(statement, slots, device._replace(value="0") if listed else device)
        free = [(place, value) for place, value in fitting if place not in settled and not listed]
        if free:
            place, value = free[0]
            settled.add(place)
            said = statement.text[device.start : device.end]
            placed.append(FilledSlot(place, (value,), 8.0, "said of devices", (device.start,), said))
        elif (listed or device.value.isdigit()) and not fitting and not device.machine:
            environment = (f"CUDA_VISIBLE_DEVICES={device.value}",)
        elif listed or not (device.value.isdigit() and fitting):
            continue
        spans.append((device.start, device.end))
    return Devices(placed, environment, tuple(spans))


def _fitting(statement: ParsedRequest, slots: Sequence[Slot], device: Device) -> list[tuple[int, str]]:
    """The slots for a device with its value there: those for a number first, then those that say nothing else."""
    found = []
    for place, slot in enumerate(slots):
        name = next((name for name in slot.names if _is_for(statement, slot, name, device)), None)
        value = _device_value(device, slot) if name is not None else None
        if not device.value.isdigit() and (position := _switch(device, slot)) is not None:
            name, value = ("index",), position
        if name is not None and value is not None:
            found.append((not {"ids", "index"} & set(name), len(name), place, value))
    return [(place, value) for _, _, place, value in sorted(found)]


def _switch(device: Device, slot: Slot) -> str | None:
    """The position of a switch between card and processor; None where it is no such switch, or stands so by itself."""
    called = {alphanumeric(name) for name in (slot.option.dest, *slot.option.flags)}
    if not slot.boolean or not called & (_FOR_CARD | FOR_PROCESSOR):
        return None
    wanted = bool(called & FOR_PROCESSOR) == (device.value == "cpu")
    usual = (slot.option.default or "False").lower() in {"true", "1"}
    return None if wanted == usual else str(int(wanted)) if slot.binary else str(wanted)


def _is_for(statement: ParsedRequest, slot: Slot, name: tuple[str, ...], device: Device) -> bool:
    """Whether the option of such a name says where to compute."""
    said = set(name)
    if slot.boolean or slot.internal or said & _COUNTED or COUNTS.search(slot.option.help):
        return False
    if device.machine:
        return "rank" in said and not said & {"gpu", "local", "lora"}
    return "gpu" in said and said <= _PLAIN | statement.vocabulary


def _device_value(device: Device, slot: Slot) -> str | None:
    """A device as a slot takes it: "1" or "cuda:1", "cpu" or -1; None where it cannot be told, or a word of it is usual anyhow."""
    option = slot.option
    shown = " ".join([option.default or "", *slot.seen, *option.choices, *option.accepted])
    known = set(_WORDS.findall(f"{shown} {option.help}".lower()))
    known |= {"cpu", "cuda"} if option.dest.lower() == "device" and not re.search(r"\w", shown) else set()
    text = option.type in {"str", "unknown", "path"} and slot.numeric_default is None
    if device.value == "cpu":
        value = "cpu" if text and (known or not option.help) else "-1" if _NEGATIVE.search(option.help) else None
    elif device.value == "gpu":
        value = next((word for word in ("cuda", "gpu") if text and word in known), None)
        value = None if "cpu" not in (option.default or "cpu") else value
    else:
        value = f"cuda:{device.value}" if text and _WORDS.search(shown.lower()) else device.value
        value = value if not text or known or re.search(r"\d", option.help) else f"cuda:{device.value}"
    if slot.closed and value not in slot.vocabulary:
        return None
    return None if value == option.default and value in {"cpu", "cuda", "gpu"} else value
