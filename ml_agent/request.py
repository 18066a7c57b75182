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
        raise UsageError(f"{what} must be text, not a value of type {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{what} is not valid UTF-8 at character {error.start + 1}") from error


def check_instruction(text: str) -> None:
    """UsageError where an instruction says nothing, or is too long to be one."""
    check_text(text, "the instruction")
    if not text.strip():
        raise UsageError(
            'the instruction is empty: say what to do and with which values, as in ml-agent solve "train for 5 epochs"'
        )
    if len(text) > LONGEST:
        raise UsageError(f"the instruction has {len(text):,} characters; the limit is {LONGEST:,}")
    if (count := len(_WORD.findall(text))) > _MOST_WORDS:
        raise UsageError(
            f"the instruction has {count:,} words and numbers; the limit is {_MOST_WORDS:,}: save long texts or lists in a file, and give the file's path in the instruction"
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


# What a run was asked to do; kept in the run folder so that it can be resumed.


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """The instruction and everything that says where to look."""

    instruction: str
    repository: str = ""
    """OWNER/NAME, URL or folder that the user named."""
    commit: str | None = None
    path: str = ""
    catalog: str = ""
    """A catalogue file, "sample", or "" for GitHub."""
    arguments: tuple[tuple[str, str], ...] = ()
    prefix_code: str = ""
    expect: tuple[str, ...] = ()
    """What should come out, each as PATH or PATH:KIND."""
    expect_before: tuple[str, ...] = ()
    """The same, as it was said for the run that this one goes on from."""
    keep_outputs: str = ""
    """Folder of the user's that gets what the run made, too."""
    force: bool = False
    """Whether files there may be replaced."""
    show_inputs: bool = False
    """Whether files and folders that the instruction names by absolute path are shown to the program, read-only."""
    continues: str = ""
    """Folder of the run that this one goes on from: with its answer, its conversation and its environment."""
    words: str = ""
    """What the user says to what came of that run."""
    record: str = ""
    replay: str = ""
