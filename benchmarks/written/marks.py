"""How a marked request names a program and its options."""

import re
from collections.abc import Sequence

from ml_agent.matching.slots import Slot
from ml_agent.tools.signatures.model import Signature

MARK = re.compile(r"\{\{(?P<words>.*?)\|(?P<option>[^{}|=]*)(?:=(?P<value>[^{}|]*))?\}\}")
"""Words that mean an option: `{{words|--option}}` or `{{words|--option=value}}`."""


ProgramKey = tuple[str, tuple[str, ...], str]


def key_of(signature: Signature) -> ProgramKey:
    """What a line names a program by: its file, the words before its options, the console command or module."""
    return signature.path, signature.subcommand, signature.name


def find_slot(name: str, slots: Sequence[Slot]) -> int | None:
    """The place of the slot that an option's name means; None where there is none."""
    for place, slot in enumerate(slots):
        if name in (*slot.option.flags, *slot.option.negative_flags) or name.lstrip("-") == slot.option.dest:
            return place
    return None
