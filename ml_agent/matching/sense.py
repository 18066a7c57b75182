"""What a request means by its sense: a sentence encoder, where one is in use, reads it beside options and choices described in words."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ml_agent.matching.heard import Heard
from ml_agent.matching.mentions import Statement
from ml_agent.matching.slots import Slot

if TYPE_CHECKING:  # numpy is loaded where an encoder is in use
    from ml_agent.encoder.encoder import Encoder
    from ml_agent.matching.against import Sense

MOST_CHOICES = 16


def choice_text(slot: Slot, choice: str) -> str:
    """A choice of an option in words."""
    return f"{slot.option.dest.replace('_', ' ')}: {choice}"


_used: "list[Encoder]" = []


def use(encoder: "Encoder | None") -> None:
    """Read requests with an encoder from now on in this process, or with none."""
    _used[:] = [] if encoder is None else [encoder]
    _sense.cache_clear()


def keep_in(folder: Path) -> None:
    """Keep the vectors of options in a folder, where an encoder is in use."""
    for encoder in _used:
        encoder.keep_in(folder)


def in_use() -> bool:
    """Whether requests are read with an encoder."""
    return bool(_used)


def sense_of(statement: Statement, slots: Sequence[Slot]) -> "Sense | None":
    """A request against the options of one entry point; None where no encoder reads it."""
    if not _used or not slots or not statement.by_sense:
        return None
    return _sense(statement.text, tuple(slot.described for slot in slots))


@lru_cache(maxsize=64)
def _sense(text: str, options: tuple[str, ...]) -> "Sense":
    from ml_agent.matching.against import Sense

    return Sense(_used[0].read(text), _used[0].options(options))


def heard_choice(statement: Statement, slots: Sequence[Slot], place: int) -> Heard | None:
    """The choice of a slot that some words of the request mean; None where nothing speaks of the slot, or it has no choices."""
    choices = (slots[place].option.choices or slots[place].vocabulary)[:MOST_CHOICES]
    sense = sense_of(statement, slots)
    spot = sense.stretch(place) if sense is not None and len(choices) > 1 else None
    if sense is None or spot is None:
        return None
    shares = sense.choose(*spot, _used[0].options([choice_text(slots[place], choice) for choice in choices]))
    (share, _, value), (second, *_) = sorted(((s, n, c) for n, (s, c) in enumerate(zip(shares, choices, strict=True))), key=lambda one: (-one[0], one[1]))[:2]  # fmt: skip
    return Heard(value, share, share - second, *spot)
