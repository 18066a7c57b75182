"""A prompt assembled section by section within a token budget, so that it cannot overflow."""

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from ml_agent.prompts.untrusted import PromptText, joined, lines_in, neutral, piece

Count = Callable[[str], int]
CUT = neutral("[... cut ...]")
_MESSAGE_OVERHEAD = 8
"""Tokens that a chat template puts around one message, at most."""


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """One part of the evidence."""

    name: str
    text: PromptText
    rank: int = 0
    """Lower is kept first when room is short."""
    least: int = 24
    """Tokens; with less room it is left out whole."""
    keep: Literal["head", "tail"] = "head"
    """Which end stays when it is cut."""


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """What the model is asked: who it is, what it sees (in this order), and the question."""

    phase: str
    system: PromptText
    sections: tuple[Section, ...]
    question: PromptText
    limit: int = 3000
    """Tokens for all of it."""


class AssembledPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """The texts to send, and which sections lost something."""

    system: PromptText
    user: PromptText
    cut: tuple[str, ...] = ()


class DoesNotFit(Exception):
    """Not even the question fits."""


def assemble(prompt: Prompt, limit: int, count: Count) -> AssembledPrompt:
    """The prompt within `limit` tokens; sections give way by rank. Raises DoesNotFit where the question alone is too long."""
    fixed = count(prompt.system) + count(prompt.question) + 2 * _MESSAGE_OVERHEAD
    room = limit - fixed
    if room < 0:
        raise DoesNotFit(f"the prompt needs {fixed} tokens, and the model's context has room for {limit}")
    kept, cut = _fill(prompt.sections, room, count)
    texts = [*(kept[s.name] for s in prompt.sections if s.name in kept), prompt.question]
    return AssembledPrompt(system=prompt.system, user=joined("\n\n", filter(None, texts)), cut=tuple(cut))


def shorten(text: PromptText, room: int, count: Count, keep: Literal["head", "tail"] = "head") -> PromptText:
    """The text in at most `room` tokens, cut at line ends where possible, with a mark at the cut; "" where nothing fits."""
    if count(text) <= room:
        return text
    lines = lines_in(text) if keep == "head" else lines_in(text)[::-1]
    best = _most(len(lines), lambda n: count(_mark_cut(lines[:n], keep)) <= room)
    if best:
        return _mark_cut(lines[:best], keep)
    line = lines[0]
    best = _most(len(line), lambda n: count(_within(line, n, keep)) <= room)
    return _within(line, best, keep) if best else neutral("")


def _fill(sections: Sequence[Section], room: int, count: Count) -> tuple[dict[str, PromptText], list[str]]:
    kept: dict[str, PromptText] = {}
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
        text = shorten(section.text, room - 2, count, section.keep) if room >= section.least else neutral("")
        if text:
            kept[section.name] = text
            room -= count(text) + 2
    return kept, cut


def _mark_cut(lines: Sequence[PromptText], keep: Literal["head", "tail"]) -> PromptText:
    return joined("\n", [*lines, CUT] if keep == "head" else [CUT, *lines[::-1]])


def _within(line: PromptText, most: int, keep: Literal["head", "tail"]) -> PromptText:
    """The first or last characters of a line, with the mark."""
    if keep == "head":
        return joined("", [piece(line, slice(most)), CUT])
    return joined("", [CUT, piece(line, slice(len(line) - most, None))])


def _most(most: int, fits: Callable[[int], bool]) -> int:
    """The largest n up to `most` that fits, 0 where none does; `fits` is monotone."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
