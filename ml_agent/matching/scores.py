"""What speaks for a value in a slot and for a switch: what was learned, and what somebody else thinks."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from ml_agent.matching.features import FEATURES
from ml_agent.matching.meanings import VocabularyMatch
from ml_agent.matching.mention import Mention
from ml_agent.matching.switches import Scorer

SENSE_FEATURES = (
    "sense", "sense_ahead", "sense_none", "sense_rival", "word_sense", "word_sense_ahead", "word_sense_none", "word_sense_rival",
    "plain", "plain_sense", "plain_sense_ahead", "plain_sense_none", "plain_sense_rival", "plain_named", "plain_in_help",
    "heard", "heard_share", "heard_margin",
)  # fmt: skip
"""What a reading by sense gives."""
VALUE_FEATURES = (*FEATURES, *SENSE_FEATURES)


class ValueSlotPair(NamedTuple):
    """A value that could go into a slot."""

    mention: Mention
    slot: int
    vector: list[float]
    match: VocabularyMatch | None


class Scores(Protocol):
    """What was learned of values in slots."""

    @property
    def value(self) -> Scorer:
        """Log-odds that a value belongs in a slot, by a vector of VALUE_FEATURES."""

    @property
    def switch(self) -> Scorer:
        """Log-odds that a switch is wanted, by a vector of `switches.SWITCH_FEATURES`."""

    @property
    def stake(self) -> Mapping[str, float]:
        """By kind of value: what speaks for its having a slot at all."""


class PlacementPrior(Protocol):
    """What somebody else thinks of a placement: log-odds beside those that were learned."""

    def value(self, mention: Mention, slot: int) -> float:
        """What speaks for a value in a slot."""

    def switch(self, slot: int) -> float:
        """What speaks for a switch."""
