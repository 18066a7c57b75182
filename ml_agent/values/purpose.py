"""What a value of the sentence is for, by the words right beside it."""

import re

from ml_agent.request import Value

_NEAR = 4
"""Words before a value that may say what it is for."""


def purpose(value: Value, instruction: str) -> tuple[str, ...]:
    """The word right behind a number ("25 epochs"), else the last two telling words before a value ("learning rate of 0.05")."""
    counted = counted_thing(value, instruction)
    if counted:
        return (counted,)
    before = re.findall(r"[\w-]+", instruction[: max(value.start, 0)])[-_NEAR:]
    return tuple(word for word in before if word.lower() in value.words)[-2:]


def counted_thing(value: Value, instruction: str) -> str:
    """The word right behind a number; "" where none of its words stands there."""
    behind = (
        re.match(r"[\s-]+([A-Za-z]+)", instruction[value.end :]) if value.kind == "number" and value.end > 0 else None
    )
    return behind[1] if behind is not None and behind[1].lower() in value.words else ""
