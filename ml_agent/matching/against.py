"""A request as the encoder reads it, against the options of one entry point: log-odds of stretches, tokens and choices."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ml_agent.encoder.encoder import EncodedRequest, Vectors
from ml_agent.matching.mention import Mention

_LEAST = -8.0
"""What a log-probability is at least; differences of log-odds are at most as far apart."""


class OptionAlignment:
    """A request against the options of one entry point.

    Args:
        reading: of the request.
        options: (options, size), their vectors.
    """

    HEARD = -1.2
    """Log-probability from which on a token speaks of an option."""

    def __init__(self, reading: EncodedRequest, options: Vectors) -> None:
        self._reading = reading
        self._logits = np.concatenate([reading.vectors @ options.T, reading.idle[:, None]], 1)
        self._log = _log_softmax(self._logits)
        self._spans: dict[tuple[int, int], _Span] = {}

    def features(self, mention: Mention, slot: int, others: Sequence[Mention]) -> list[float]:
        """What speaks for a value in a slot.

        Args:
            mention: the value.
            slot: its number.
            others: values that could go there as well.

        Returns: the log-probability, how far the slot is ahead of others, the log-probability of its meaning none, and how far the
        value is ahead of others elsewhere.
        """
        own = self._span(mention)
        competing = (
            self._span(one).odds[slot] for one in others if one.end <= mention.start or mention.end <= one.start
        )
        return [own.log[slot], own.ahead[slot], own.log[-1], _clip(own.odds[slot] - max(competing, default=0.0))]

    def best_token(self, slot: int, spent: Sequence[tuple[int, int]]) -> tuple[float, float, int]:
        """Where the request speaks most of a slot, outside of what is spent: log-probability, how far it is ahead of others, and the character."""
        free = self._is_text()
        for start, end in spent:
            free &= ~self._within(start, end)
        if not free.any():
            return _LEAST, _LEAST, 0
        at = int(np.where(free, self._log[:, slot], 4 * _LEAST).argmax())
        row = self._logits[at]
        ahead = _clip(float(row[slot] - np.delete(row, slot).max()))
        return max(_LEAST, float(self._log[at, slot])), ahead, int(self._reading.offsets[at, 0])

    def aligned_span(self, slot: int) -> tuple[int, int] | None:
        """The words that speak of a slot, as characters; None where none do."""
        log = np.where(self._is_text(), self._log[:, slot], 4 * _LEAST)
        first = last = int(log.argmax())
        if log[first] < self.HEARD:
            return None
        while first and log[first - 1] > self.HEARD:
            first -= 1
        while last + 1 < len(log) and log[last + 1] > self.HEARD:
            last += 1
        return int(self._reading.offsets[first, 0]), int(self._reading.offsets[last, 1])

    def best_spans(self, slot: int, stretches: Sequence[tuple[int, int]], several: int) -> list[int]:
        """Which of many stretches speak of a slot and least of nothing, as values do: so many at most, the best first."""
        if self._log[:, slot].max() <= self.HEARD:
            return []
        found = []
        read = int(self._reading.offsets[:, 1].max())
        for number, one in enumerate(stretches):
            if one[0] >= read:
                break  # the encoder reads so far
            rows = self._log[self._within(*one)]
            if len(rows) and rows[:, slot].max() > self.HEARD:
                found.append((float((rows[:, slot] - rows[:, -1]).mean()), -number))
        return [-number for _, number in sorted(found, reverse=True)[:several]]

    def is_aligned(self, mention: Mention, slot: int) -> bool:
        """Whether a value speaks of a slot."""
        return self._span(mention).log[slot] > self.HEARD

    def choice_probabilities(self, start: int, end: int, choices: Vectors) -> list[float]:
        """How likely a stretch of the request means each choice."""
        mean = self._reading.vectors[self._within(start, end)].mean(0)
        return [float(one) for one in np.exp(_log_softmax((mean @ choices.T)[None])[0])]

    def _span(self, mention: Mention) -> "_Span":
        key = (mention.start, mention.end)
        if key not in self._spans:
            rows = self._within(*key)
            self._spans[key] = _span_of(
                self._logits[rows].mean(0) if rows.any() else np.zeros(self._logits.shape[1], np.float32)
            )
        return self._spans[key]

    def _is_text(self) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        return self._reading.offsets[:, 1] > self._reading.offsets[:, 0]

    def _within(self, start: int, end: int) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        offsets = self._reading.offsets
        return (offsets[:, 0] < end) & (offsets[:, 1] > start) & self._is_text()


class _Span(NamedTuple):
    """A stretch of the request against all slots, and against none of them as the last."""

    odds: list[float]
    log: list[float]
    ahead: list[float]
    """By slot: how far it is ahead of the other slots."""


def _span_of(row: Vectors) -> _Span:
    slots = row[:-1]
    order = np.sort(slots)[::-1]
    best, second = (order[0], order[1]) if len(order) > 1 else (order[0] if len(order) else 0.0, 0.0)
    ahead = np.clip(slots - np.where(slots == best, second, best), _LEAST, -_LEAST)
    log = np.maximum(_LEAST, _log_softmax(row[None])[0])
    return _Span(row.tolist(), log.tolist(), ahead.tolist())


def _log_softmax(rows: Vectors) -> Vectors:
    top = rows.max(-1, keepdims=True)
    return np.asarray(rows - top - np.log(np.exp(rows - top).sum(-1, keepdims=True)), np.float32)


def _clip(difference: float) -> float:
    return float(max(_LEAST, min(-_LEAST, difference)))
