"""A prompt assembled section by section within a token budget, so that it cannot overflow."""

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

Count = Callable[[str], int]
CUT = "[... cut ...]"
_MESSAGE_OVERHEAD = 8
"""Tokens that a chat template puts around one message, at most."""


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """One part of the evidence."""

    name: str
    text: str
    rank: int = 0
    """Lower is kept first when room is short."""
    least: int = 24
    """Tokens; with less room it is left out whole."""
    keep: Literal["head", "tail"] = "head"
    """Which end stays when it is cut."""


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """What the model is asked: who it is, what it sees (in this order), and the question."""

    phase: str
    system: str
    sections: tuple[Section, ...]
    question: str
    limit: int = 3000
    """Tokens for all of it."""
    examples: tuple[tuple[str, str], ...] = ()
    """Requests and right answers that are shown before: the same every time, so that they stay in the endpoint's memory."""


class Assembled(msgspec.Struct, frozen=True, kw_only=True):
    """The texts to send, and which sections lost something."""

    system: str
    user: str
    cut: tuple[str, ...] = ()


class DoesNotFit(Exception):
    """Not even the question fits."""


def assemble(prompt: Prompt, limit: int, count: Count) -> Assembled:
    """The prompt within `limit` tokens; sections give way by rank. Raises DoesNotFit where the question alone is too long."""
    fixed = count(prompt.system) + count(prompt.question) + 2 * _MESSAGE_OVERHEAD
    room = limit - fixed
    if room < 0:
        raise DoesNotFit(f"the question needs {fixed} tokens and there is room for {limit}")
    kept, cut = _fill(prompt.sections, room, count)
    user = "\n\n".join([*(kept[s.name] for s in prompt.sections if s.name in kept), prompt.question])
    return Assembled(system=prompt.system, user=user, cut=tuple(cut))


def shorten(text: str, room: int, count: Count, keep: Literal["head", "tail"] = "head") -> str:
    """The text in at most `room` tokens, cut at line ends where possible, with a mark at the cut; "" where nothing fits."""
    if count(text) <= room:
        return text
    lines = text.splitlines() if keep == "head" else text.splitlines()[::-1]
    best = _most(len(lines), lambda n: count(_marked(lines[:n], keep)) <= room)
    if best:
        return _marked(lines[:best], keep)
    line = lines[0] if keep == "head" else lines[0][::-1]
    best = _most(len(line), lambda n: count(line[:n] + CUT) <= room)
    if not best:
        return ""
    return line[:best] + CUT if keep == "head" else CUT + line[:best][::-1]


def _fill(sections: Sequence[Section], room: int, count: Count) -> tuple[dict[str, str], list[str]]:
    kept: dict[str, str] = {}
    cut: list[str] = []
    for section in sorted(sections, key=lambda s: s.rank):
        if not section.text.strip():
            continue
        needed = count(section.text) + 2
        if needed <= room:
            kept[section.name] = section.text
            room -= needed
            continue
        cut.append(section.name)
        text = shorten(section.text, room - 2, count, section.keep) if room >= section.least else ""
        if text:
            kept[section.name] = text
            room -= count(text) + 2
    return kept, cut


def _marked(lines: Sequence[str], keep: Literal["head", "tail"]) -> str:
    return "\n".join([*lines, CUT]) if keep == "head" else "\n".join([CUT, *lines[::-1]])


def _most(most: int, fits: Callable[[int], bool]) -> int:
    """The largest n up to `most` that fits, 0 where none does; `fits` is monotone."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
