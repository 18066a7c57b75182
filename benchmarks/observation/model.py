"""What an answer was seen to ask for.

`Report` and `Recorded` are what the process inside the sandbox leaves, as JSON; `Observation` is what is made of all of them, and all that
`same_call` compares.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from ml_agent.benchmarks.data import Kind

Outcome = Literal["finished", "rejected", "failed", "outside", "timeout", "none"]
"""Of one Python program; outside: it ended at something that only the real environment has; none: nothing was run."""


class CodeCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call that an answer's Python code makes."""

    name: str
    """Dotted name of the function or class; "?" before it where it belongs to a library that is not there."""
    own: bool
    """Whether it belongs to the repository."""
    arguments: Mapping[str, Any] = {}
    """By name of the parameter; by place where the names are not known."""
    defaults: Mapping[str, Any] = {}


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """One program that an answer starts."""

    file: str = ""
    """Relative to the repository; "" for a program that is no file of it."""
    name: str = ""
    """A command that is no file of the repository, a target of make, or a module."""
    words: tuple[str, ...] = ()
    """The words after it."""
    chain: tuple[tuple[str, str], ...] = ()
    """(file, function) of the frames that led to its parser, outermost first."""
    parsed: bool = False
    """Whether its own parser read the words."""
    values: Mapping[str, Any] = {}
    """What the parser made of them, by destination; of several parses the later ones add to the earlier."""
    given: Mapping[str, tuple[str, ...]] = {}
    """The words that each destination was given."""
    defaults: Mapping[str, Any] = {}
    subcommand: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    """Words that the parser left over."""
    folder: str = "."
    """Where it ran, relative to the repository."""
    environment: Mapping[str, str] = {}
    """Variables that are set for it; of a Python program only those that it reads, and those that choose its devices."""


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """What `inside` recorded of one Python program."""

    program: Program
    own: bool
    """Whether it is code of the answer."""
    parents: tuple[tuple[str, ...], ...]
    """Command lines of the processes that started it, nearest first."""
    calls: tuple[CodeCall, ...]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one Python program that the answer started."""

    outcome: Outcome
    code: str = ""
    message: str = ""
    place: str = ""
    recorded: Recorded | None = None
    described: tuple[Mapping[str, Any], ...] = ()
    """Its parsers, where they are described."""
    asked: bool = False
    """Whether the program asked one of them."""


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that an answer was seen to ask for."""

    kind: Kind
    programs: tuple[Program, ...] = ()
    calls: tuple[CodeCall, ...] = ()
    constants: tuple[Any, ...] = ()
    """Literals of Python code."""
    failure: str = ""
    """Stable code of why it cannot run; "" where nothing speaks against it."""
    message: str = ""
