"""What a request means by its sense: a sentence encoder, where one is in use, reads it beside options and choices described in words."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.slots import Slot

# No encoder is shipped any more: nothing is read by sense.
Encoder: TypeAlias = Any
OptionAlignment: TypeAlias = Any

MOST_CHOICES = 16


class ChoiceMatch(NamedTuple):
    """A choice that the request says by its sense."""

    value: str
    share: float
    """Its probability among the slot's choices."""
    margin: float
    """How far it is ahead of the next one."""
    start: int
    end: int


def choice_text(slot: Slot, choice: str) -> str:
    """A choice of an option in words."""
    return f"{slot.option.dest.replace('_', ' ')}: {choice}"


_loaders: "list[Callable[[], Encoder]]" = []
_folders: list[Path] = []


def use_encoder(load: "Callable[[], Encoder] | None") -> None:
    """Read requests with an encoder from now on in this process, or with none.

    Args:
        load: gives the encoder, the same one each time; called when a request is first read with it.
    """
    _loaders[:] = [] if load is None else [load]
    _folders.clear()
    _sense.cache_clear()


def keep_vectors_in(folder: Path) -> None:
    """Keep the vectors of options in a folder from now on."""
    _folders[:] = [folder]


def encoder_in_use() -> bool:
    """Whether requests are read with an encoder."""
    return bool(_loaders)


def _encoder() -> "Encoder":
    encoder = _loaders[0]()
    for folder in _folders:
        encoder.keep_in(folder)
    return encoder


def is_read_by_sense(statement: ParsedRequest) -> bool:
    """Whether an encoder reads a request."""
    return encoder_in_use() and statement.by_sense


def option_alignment(statement: ParsedRequest, slots: Sequence[Slot]) -> "OptionAlignment | None":
    """A request against the options of one entry point; None where no encoder reads it."""
    if not slots or not is_read_by_sense(statement):
        return None
    return _sense(statement.text, tuple(slot.described for slot in slots))


@lru_cache(maxsize=64)
def _sense(text: str, options: tuple[str, ...]) -> "OptionAlignment":
    raise NotImplementedError("no encoder is shipped")


def choice_by_meaning(statement: ParsedRequest, slots: Sequence[Slot], place: int) -> ChoiceMatch | None:
    """The choice of a slot that some words of the request mean; None where nothing speaks of the slot, or it has no choices."""
    choices = (slots[place].option.choices or slots[place].vocabulary)[:MOST_CHOICES]
    sense = option_alignment(statement, slots)
    spot = sense.aligned_span(place) if sense is not None and len(choices) > 1 else None
    if sense is None or spot is None:
        return None
    shares = sense.choice_probabilities(
        *spot, _encoder().options([choice_text(slots[place], choice) for choice in choices])
    )
    (share, _, value), (second, *_) = sorted(((s, n, c) for n, (s, c) in enumerate(zip(shares, choices, strict=True))), key=lambda one: (-one[0], one[1]))[:2]  # fmt: skip
    return ChoiceMatch(value, share, share - second, *spot)
