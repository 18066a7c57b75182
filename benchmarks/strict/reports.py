"""What a program that was run says or leaves behind for us: it may be missing, no file at all, or nonsense."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, TypedDict

import msgspec

from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.sandbox.held_folder import held_folder
from ml_agent.sandbox.inner_path import safe_relative

FILE_BLOCKS = 20_000
"""How large a file a program may write, as `ulimit -f` counts."""
MOST_BYTES = FILE_BLOCKS * 1024
MOST_PROGRAMS = 2000
"""Reports that are taken."""
FORGED = b""
"""In the place of a report that the judge did not send."""
DEEPEST = 60
"""Levels of what is recorded; ours have fewer."""


class Entry(TypedDict):
    """The program that ran, as `inside` writes it."""

    module: str
    file: str
    own: bool
    words: list[str]
    folder: str
    """Where it ran, relative to the repository."""


class Parse(TypedDict):
    """One parse of a command line, as `inside.seen` writes it."""

    values: dict[str, Any]
    given: dict[str, list[str]]
    defaults: dict[str, Any]
    rest: list[str]
    chain: list[tuple[str, str]]
    subcommand: list[str]


class Call(TypedDict):
    """One call of code, as `inside.called` writes it."""

    name: str
    own: bool
    constructs: bool
    arguments: dict[str, Any]
    defaults: dict[str, Any]
    objects: dict[str, list[int]]
    number: int
    again: int
    gives: list[int]
    folder: str


class Recorded(TypedDict):
    """What was asked for, and of which program."""

    parents: list[list[str]]
    entry: Entry
    options: list[Parse]
    calls: list[Call]
    streams: list[str]
    """What standard input and output are: a file, or `pipe:[NUMBER]`."""
    destroyed: list[str]
    """What of the repository the answer's own code takes away or writes over."""
    settings: dict[str, Any]
    environment: dict[str, list[str | None]]
    """Each variable that is set and that the program reads: its value, and what the program takes without it."""


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one Python program that the answer started."""

    outcome: Literal["finished", "rejected", "failed", "outside", "timeout", "none"]
    """none where nothing was run."""
    code: str = ""
    message: str = ""
    place: str = ""
    parsed: bool = False
    target: str = ""
    compiled: tuple[str, ...] = ()
    """Files of the repository that had to be compiled."""
    recorded: Recorded | None = None
    """Where it was recorded."""


def read_programs(lines: Iterable[bytes]) -> tuple[Program, ...]:
    """The programs of what was reported; what is none of our reports is a failed program."""
    return tuple(map(_program, lines))


def read_trace(place: Path, name: str) -> str:
    """The text of a file that the programs could write; "" where there is no regular file."""
    try:
        with held_folder(place) as folder:
            return folder.read(safe_relative(name), MOST_BYTES).decode(errors="replace")
    except (FileNotFoundError, SandboxLostError):
        return ""


def _program(line: bytes) -> Program:
    if line == FORGED:
        return _spoilt("a report was not the judge's")
    try:
        program = msgspec.json.decode(line, type=Program)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return _spoilt(f"a line of the report cannot be read: {error}")
    return _spoilt("a line of the report is too deep") if _is_deep(program.recorded) else program


def _is_deep(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(DEEPEST):
        level = [one for outer in level for one in _parts(outer)]
    return bool(level)


def _parts(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, (list, tuple)):
        yield from value


def _spoilt(message: str) -> Program:
    return Program(outcome="failed", code="spoilt-report", message=message)
