"""What the user wants: the instruction, and every value in it that must be honoured."""

import re
from typing import Literal

import msgspec

from ml_agent.errors import UsageError

LONGEST, _MOST_WORDS = 20_000, 2_500
"""Characters of an instruction, and words and numbers: more are no request, and reading takes longer than in proportion."""
_WORD = re.compile(r"\w+")
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


def check_text(text: str, what: str) -> None:
    """UsageError where it is no text, or holds half a character (a lone surrogate), which no file and no request can hold."""
    if not isinstance(text, str):
        raise UsageError(f"{what} is not text: {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{what} is not valid UTF-8 at character {error.start + 1}") from error


def check_instruction(text: str) -> None:
    """UsageError where an instruction says nothing, or is too long to be one."""
    check_text(text, "the instruction")
    if not text.strip():
        raise UsageError('the instruction is empty: ml-agent solve "what to do, with which values"')
    if len(text) > LONGEST:
        raise UsageError(f"the instruction has {len(text):,} characters; the limit is {LONGEST:,}")
    if (count := len(_WORD.findall(text))) > _MOST_WORDS:
        raise UsageError(
            f"the instruction has {count:,} words and numbers; the limit is {_MOST_WORDS:,}: put them into a file and name it"
        )


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """The instruction, understood."""

    instruction: str
    keywords: tuple[str, ...] = ()
    """For the repository search, best first."""
    learned: tuple[str, ...] = ()
    """Why other repositories were left, each in one line."""
    values: tuple[Value, ...] = ()
    repository: str = ""
    """OWNER/NAME or URL where the instruction or the user names one."""
    path: str = ""
    """Folder of the task inside the repository where the user names one."""
    prefix_code: str = ""
    """What runs before the answer, where the user gives it."""
