"""A prompt assembled within a token budget, so that it cannot overflow."""

from collections.abc import Callable

import msgspec

from ml_agent.model.thread import MESSAGE_OVERHEAD
from ml_agent.prompts.untrusted import PromptText, joined, lines_in, neutral, piece

Count = Callable[[str], int]
CUT = neutral("[... cut ...]")
_LEAST = 24
"""Tokens; with less room the evidence is left out whole."""


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """What the model is asked: who it is, what it sees, and the question."""

    phase: str
    system: PromptText
    evidence: PromptText = neutral("")
    """Cut at its end where room is short."""
    question: PromptText
    limit: int = 3000
    """Tokens for all of it."""


class AssembledPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """The texts to send."""

    system: PromptText
    user: PromptText


class DoesNotFit(Exception):
    """Not even the question fits."""


def assemble(prompt: Prompt, limit: int, count: Count) -> AssembledPrompt:
    """The prompt within `limit` tokens. Raises DoesNotFit where the question alone is too long."""
    fixed = count(prompt.system) + count(prompt.question) + 2 * MESSAGE_OVERHEAD
    room = limit - fixed
    if room < 0:
        raise DoesNotFit(f"the prompt needs {fixed} tokens, and the model's context has room for {limit}")
    seen = shorten(prompt.evidence, room - 2, count) if prompt.evidence.strip() and room >= _LEAST else neutral("")
    return AssembledPrompt(system=prompt.system, user=joined("\n\n", filter(None, (seen, prompt.question))))


def shorten(text: PromptText, room: int, count: Count) -> PromptText:
    """The beginning of a text in at most `room` tokens, cut at a line's end where possible, with a mark; "" where nothing fits."""
    if count(text) <= room:
        return text
    lines = lines_in(text)
    best = _most(len(lines), lambda n: count(joined("\n", [*lines[:n], CUT])) <= room)
    if best:
        return joined("\n", [*lines[:best], CUT])
    line = lines[0]
    best = _most(len(line), lambda n: count(joined("", [piece(line, slice(n)), CUT])) <= room)
    return joined("", [piece(line, slice(best)), CUT]) if best else neutral("")


def _most(most: int, fits: Callable[[int], bool]) -> int:
    """The largest n up to `most` that fits, 0 where none does; `fits` is monotone."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
