"""What an answer asks for, and what comparing two answers says."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from ml_agent.benchmarks.strict.text import Kind

ReasonClass = Literal[
    "", "wrong entry", "missing", "other value", "unasked", "refused", "not the kind", "no answer", "no reference"
]
"""Why an answer is not the same call; "" where it is. "no reference": the row's own reference cannot be read."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an answer makes the call of the reference."""

    passed: bool
    reason_class: ReasonClass = ""
    detail: str = ""
    """What exactly: the option with both values, the parser's message."""


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """One program that an answer starts."""

    file: str = ""
    """Relative to the repository; "" for a program that is no file of it."""
    name: str = ""
    """A command that is no file of the repository, or a target of make."""
    words: tuple[str, ...] = ()
    """The words after it."""
    chain: tuple[tuple[str, str], ...] = ()
    """(file, function) of the frames that led to its parser, outermost first."""
    parsed: bool = False
    """Whether its own parser read the words."""
    values: Mapping[str, Any] = {}
    """What the parser made of them, by destination."""
    given: Mapping[str, tuple[str, ...]] = {}
    """The words that each destination was given."""
    defaults: Mapping[str, Any] = {}
    subcommand: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    """Words that the parser left over."""
    settings: Mapping[str, Any] = {}
    """The configuration that a program composed which reads its words by hand."""
    folder: str = "."
    """Where it ran, relative to the repository."""
    environment: Mapping[str, str] = {}
    """Variables that are set for it; of a Python program only those that it reads, and those that choose its devices."""
    reads: str = ""
    """What is given to its standard input: a file or a command; "" for nothing, "?" where that is not known."""
    writes: tuple[str, ...] = ()
    """Where its output is kept, likewise."""
    piped: tuple[str, tuple[str, ...]] = ("", ())
    """Both where a file that one command makes and others only read is a pipe."""
    unset: Mapping[str, str | None] = {}
    """What a Python program takes without each of these variables; None where that is not known."""


class CodeCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call that an answer's Python code makes."""

    name: str
    """Dotted name of the function or class; "?" before it where it belongs to a library that is not there."""
    own: bool
    """Whether it belongs to the repository."""
    arguments: Mapping[str, Any] = {}
    """By name of the parameter; by place where the names are not known."""
    defaults: Mapping[str, Any] = {}
    constructs: bool = False
    """Whether it is a class that is called."""
    objects: Mapping[str, tuple[int, ...]] = {}
    """By parameter, and `self` for what it is made on, the numbers of the calls that made what is given."""
    number: int = 0
    """When it was made."""
    again: int = 0
    """When it was made the last time."""
    gives: tuple[int, ...] = ()
    """The numbers of the calls that made what it returns; its own where that is new."""


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that an answer was seen to ask for."""

    kind: Kind
    programs: tuple[Program, ...] = ()
    calls: tuple[CodeCall, ...] = ()
    constants: tuple[Any, ...] = ()
    """Literals of Python code."""
    destroyed: tuple[str, ...] = ()
    """What of the repository Python code of the answer's own takes away or writes over."""
    failure: str = ""
    """Stable code of why it cannot run, as the strict scorer names them; "" where nothing speaks against it."""
    message: str = ""
