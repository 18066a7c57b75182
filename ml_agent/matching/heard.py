"""What a reading by sense gives: its features, from where on something is heard, a choice that is."""

from typing import NamedTuple

SENSE_FEATURES = (
    "sense", "sense_ahead", "sense_none", "sense_rival", "word_sense", "word_sense_ahead", "word_sense_none", "word_sense_rival",
    "plain", "plain_sense", "plain_sense_ahead", "plain_sense_none", "plain_sense_rival", "plain_named", "plain_in_help",
    "heard", "heard_share", "heard_margin",
)  # fmt: skip
HEARD = -1.2
"""Log-probability from which on a token speaks of an option."""


class Heard(NamedTuple):
    """A choice that the request says by its sense."""

    value: str
    share: float
    """Its probability among the slot's choices."""
    margin: float
    """How far it is ahead of the next one."""
    start: int
    end: int
