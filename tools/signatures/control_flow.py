"""How far the abstract interpreter goes: the signals that end a block, a call or the program, what is certain where it is, its budget."""

import ast
import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from typing import Protocol

import msgspec

from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.sources import Sources
from ml_agent.tools.signatures.values import Arguments, External, Frame, Module, Native, Value


class Flow(Enum):
    """How a block of statements ended."""

    NORMAL = 0
    RETURN = 1
    BREAK = 2
    CONTINUE = 3


class ProgramRaised(Exception):
    """The program that is read raises, or exits."""


class Finished(Exception):
    """The program has parsed its command line; what follows is of no interest."""


class OutOfFuel(Exception):
    """The program is too long to be followed further."""


@dataclass(slots=True, eq=False)
class Condition:
    """A test of one command-line value against constants, whose outcome is not known."""

    dest: str
    fold: str
    values: frozenset[str]
    negated: bool = False

    def opposite(self) -> "Condition":
        """The condition of the other branch."""
        return Condition(self.dest, self.fold, self.values, not self.negated)


Facts = dict[str, tuple[Condition, str]]
"""dest -> (the values that the program goes on with, FILE:LINE of the test)."""


@dataclass(slots=True, eq=False)
class Collector:
    """What is known of command-line values on one stretch of the way through the program."""

    uncertain: int
    found: Facts = field(default_factory=dict)


class TooLong(Exception):
    """A single call is too long to be followed to its end; what comes after it still can be."""


SECONDS = 1.8
"""Processor time for a script."""
SECONDS_A_MODULE = 0.02
"""What each module that a script imports adds to its time; most are short."""
MOST_LISTED = 200_000
"""Options of all commands of a program: each has those of its groups, and a group may hold itself, or the same one many times."""
OF_A_COMMAND = 40
"""As how many options a command counts."""
SECONDS_OF_MODULES = 6.0
"""What all of them add at most: the steps end before, but on a machine that is busy or slow."""
MOST_LETTERS = 10_000_000
"""Of all texts that the options of a parser have."""


class Budget:
    """How much may be evaluated: steps, and seconds of processor time."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self._more = SECONDS_OF_MODULES
        self.floor = 0
        """A single call may take the steps down to here."""
        self.deadline = time.thread_time() + SECONDS
        self._listed = MOST_LISTED

    def extend(self) -> None:
        """Another file is read: it has time of its own."""
        given = min(SECONDS_A_MODULE, self._more)
        self._more -= given
        self.deadline += given

    def spend(self) -> None:
        """Take one step; raises OutOfFuel at the end, TooLong at the end of what a call may take."""
        self.steps -= 1
        if self.steps < self.floor:
            raise TooLong if self.steps > 0 else OutOfFuel
        if self.steps % 256 == 0 and time.thread_time() > self.deadline:
            raise OutOfFuel

    def list_command(self, options: int) -> None:
        """A command or a group is listed with so many options; raises RecursionError where all of them are too many."""
        self._listed -= OF_A_COMMAND + options
        if self._listed < 0:
            raise RecursionError

    @contextlib.contextmanager
    def unspent(self) -> Iterator[None]:
        """What is done here is of use to other programs too, and takes nothing of this one's time."""
        before = time.thread_time()
        yield
        self.deadline += time.thread_time() - before


def signatures_of(parser: Native) -> list[Signature]:
    """The signatures that a parser lists of itself; none where its commands, their options or what these say have no end."""
    try:
        found: list[Signature] = list(getattr(parser, "signatures", list)())
    except (RecursionError, OutOfFuel, TooLong, ProgramRaised):
        return []
    letters = sum(_letters(option) for signature in found for option in signature.options)
    return found if letters <= MOST_LETTERS else []


def _letters(option: Option) -> int:
    texts = (
        option.dest,
        option.help,
        option.metavar,
        option.default or "",
        option.switch_value or "",
    )
    return sum(map(len, chain(texts, option.flags, option.negative_flags, option.choices, option.accepted)))


class AcceptedValues(msgspec.Struct, frozen=True, kw_only=True):
    """A test after parsing: the only values of an argument that the program goes on with."""

    values: tuple[str, ...]
    fold: str
    place: str


class ParseCall(msgspec.Struct, frozen=True, kw_only=True):
    """The program parsed its command line."""

    parser: Native
    strict: bool


class Machine(Protocol):
    """The interpreter as its parts see it: what its attributes and methods are stands there."""

    sources: Sources
    script: str
    budget: Budget
    uncertain: int
    collectors: list[Collector]
    muted: int
    depth: int
    call_steps: int
    modules: dict[str, Module]
    importing: int
    eager: set[str]
    settled: dict[str, None]
    active: list[object]
    parsed: list[ParseCall]
    beyond: bool
    place: tuple[str, int]

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """The value of an expression."""

    def execute(self, body: Sequence[ast.stmt], frame: Frame) -> Flow:
        """Follow statements."""

    def call(self, function: Value, arguments: Arguments) -> Value:
        """What calling a value gives."""

    def attribute(self, value: Value, name: str) -> Value:
        """What `value.name` gives."""

    def look_up(self, name: str, frame: Frame) -> Value:
        """The value of a name."""

    def settle(self, value: Value) -> Value:
        """A value of the command line as what it is by default, where that is known; other values themselves."""

    def external_attribute(self, value: External, name: str) -> Value:
        """What `.name` of a library's name gives."""

    def submodule(self, module: Module, name: str) -> Module | None:
        """The module `name` inside a package of the repository."""

    def make_native(self, name: str, arguments: Arguments) -> Value | None:
        """What a known library function gives; None where the library is not modelled."""

    def hand_over(self, name: str, arguments: Arguments) -> Value:
        """Foreign code is called: what it may do with its arguments."""

    def force(self, value: Value) -> Value:
        """A value itself, where it may be Lazy."""

    def import_module(self, name: str, level: int, importer: Module) -> Value:
        """The module that an import names: a Module or an External."""

    def member(self, module: Value, name: str, importer: Module) -> Value:
        """What `from module import name` gives."""

    def module(self, path: str, name: str) -> Module:
        """The module of a file, not yet run."""

    def module_name(self, module: Module, name: str) -> Value:
        """What a module's name stands for: its own, one of a star import, or a submodule."""

    def run_module(self, module: Module) -> None:
        """Follow a module's top level, once."""

    def accept(self, condition: Condition, place: str) -> None:
        """Remember that on this way the program goes on only with these values of an argument."""
