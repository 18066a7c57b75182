"""What the user wants: the instruction, and every value in it that must be honoured."""

from typing import Literal

import msgspec

ValueKind = Literal["number", "name", "path", "text", "switch"]


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """One value that the user stated."""

    text: str
    """As the user wrote it."""
    value: str
    """As it would be typed on a command line: "half a million" is 500000."""
    kind: ValueKind
    start: int = -1
    """Character offset in the instruction; -1 for a value given structurally."""
    end: int = -1
    words: tuple[str, ...] = ()
    """The words around it that say what it is for, nearest first, lower case."""
    name: str = ""
    """The option's name where the user gave it (`--arg lr=0.1`, "--lr 0.1", "lr=0.1")."""
    required: bool = True
    """False for values that are only a guess (a capitalised word); they never hold a draft back."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """The instruction, understood."""

    instruction: str
    keywords: tuple[str, ...] = ()
    """For the repository search, best first."""
    queries: tuple[str, ...] = ()
    """Search queries, best first."""
    values: tuple[Value, ...] = ()
    repository: str = ""
    """OWNER/NAME or URL where the instruction or the user names one."""
    path: str = ""
    """Folder of the task inside the repository where the user names one."""
    prefix_code: str = ""
    """What runs before the answer, where the user gives it."""
