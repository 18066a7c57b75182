"""What is recorded of a program: what its parser made of its words, and which functions the answer's own code calls.

Values are recorded as plain JSON: what can be compared of them, and a mark for what is not known here.
"""

import argparse
import enum
import functools
import os
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from . import unknown
from .scope import Scope

DEEP, MANY, LONG = 5, 200, 2000
"""Levels, items and characters that are kept of a value."""
MOST = 400
"""Calls that are kept."""
DEEPEST = 20
"""Processes that are followed from a program to what started it."""


class Parsed(BaseException):
    """The command line is read: nothing that follows changes what was asked for."""


class Rejected(SystemExit):
    """A parser refused the command line."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(2)
        self.kind = kind
        self.message = message


class Record:
    """What was seen in this process."""

    def __init__(self) -> None:
        self.scope: Scope | None = None
        self.reached = False
        """Whether a parser accepted the command line."""
        self.rejection: Rejected | None = None
        self.parsed: dict[str, Any] = {name: {} for name in ("values", "given", "defaults")}
        self.parsed |= {name: [] for name in ("rest", "chain", "subcommand")}
        """What parsers made of the words; of several parses the later ones add to the earlier."""
        self.parses = 0
        self.calls: list[dict[str, Any]] = []
        """One table a call of the answer's code, as `calls` writes it."""
        self.made: list[argparse.ArgumentParser] = []
        self.described: list[dict[str, Any]] = []
        """Parsers that were made, and those that were asked, where they are to be described."""


SEEN = Record()


def reject(kind: str, message: str) -> NoReturn:
    """A parser refuses: the program ends as it would."""
    SEEN.rejection = Rejected(kind, message[:500])
    raise SEEN.rejection


def only_shows(*_: Any) -> NoReturn:
    """The program was asked for its help or its version: nothing else of the command line counts."""
    reject("only-shows", "the program shows its help or its version, and ends")


def chain() -> list[list[str]]:
    """[file, function] of the repository's frames that led here, outermost first."""
    scope = SEEN.scope
    found: list[list[str]] = []
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and scope is not None:
        path = frame.f_code.co_filename
        if not path.startswith("<") and scope.has(path) and path != scope.answer:
            found.insert(0, [scope.name(path), frame.f_code.co_name])
        frame = frame.f_back
    return found


def parents() -> list[list[str]]:
    """The command lines of the processes that led here, nearest first, as far as they can be read."""
    found: list[list[str]] = []
    number = os.getppid()
    while number > 1 and len(found) < DEEPEST:
        try:
            words = Path(f"/proc/{number}/cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
            number = int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            break
        found.append(words)
    return found


def add_options(
    values: dict[str, Any],
    given: dict[str, list[str]],
    defaults: dict[str, Any],
    rest: Sequence[Any],
    subcommand: Sequence[str] = (),
) -> None:
    """Record what a parser made of the words.

    Args:
        values: all values by destination.
        given: the words that each destination was given.
        defaults: by destination.
        rest: the words that were left over.
        subcommand: the names of the subcommands that were chosen.
    """
    seen, SEEN.parses = SEEN.parsed, SEEN.parses + 1
    seen["values"] |= {name: picture(value) for name, value in values.items()}
    seen["given"] |= given
    seen["defaults"] |= {name: picture(value) for name, value in defaults.items()}
    seen["rest"] = [word for word in rest if isinstance(word, str)]
    seen["chain"] = chain() or seen["chain"]
    seen["subcommand"] = list(subcommand) or seen["subcommand"]


def is_command_line(words: Any) -> bool:
    """Whether words that are parsed come from the command line or the answer's own code, and not from a program's own text."""
    if words is None or (list(words) == [] and not sys.argv[1:]):
        return True
    if not words:
        return False
    in_code = SEEN.scope is not None and bool(SEEN.scope.answer) and bool(chain())
    return set(words) <= set(sys.argv[1:]) or in_code


class ArgparseWatch:
    """Follows one parse of argparse: which words went to which action, and which parsers had a part in it."""

    def __init__(self) -> None:
        self.depth = 0
        self._forget()

    def _forget(self) -> None:
        self.given: dict[str, list[str]] = {}
        self.parsers: list[argparse.ArgumentParser] = []
        self.subcommand: list[str] = []
        self.chosen: dict[str, str] = {}

    def begin(self) -> None:
        """A parse begins; within another one it belongs to that."""
        if not self.depth:
            self._forget()
        self.depth += 1

    def take(self, parser: argparse.ArgumentParser, action: argparse.Action, words: list[str]) -> None:
        """An action got its words (none for a switch)."""
        if parser not in self.parsers:
            self.parsers.append(parser)
        if isinstance(action, argparse._SubParsersAction):
            chosen = action.choices.get(words[0]) if words else None
            name = next((name for name, one in action.choices.items() if one is chosen), words[0] if words else "")
            self.subcommand += [name] * bool(words)
            self.chosen[action.dest] = name
        elif words or action.option_strings:
            self.given["" if action.dest == argparse.SUPPRESS else action.dest] = list(words)

    def report(self, parser: argparse.ArgumentParser, found: argparse.Namespace, rest: list[str]) -> None:
        """The outermost parse came to its end."""
        parsers = [parser, *(p for p in self.parsers if p is not parser)]
        defaults = {a.dest: p.get_default(a.dest) for p in parsers for a in p._actions if a.dest != argparse.SUPPRESS}
        values = {name: self.chosen.get(name, value) for name, value in vars(found).items()}
        add_options(values, self.given, defaults, rest, self.subcommand)


def from_answer() -> bool:
    """Whether the code that asks stands in the answer itself."""
    return SEEN.scope is not None and unknown.caller().f_code.co_filename == SEEN.scope.answer


def picture(value: Any, depth: int = 0) -> Any:
    """A value as JSON: numbers, text, lists and tables as they are; `{"?": name}` for the unknown, `{"is": name}` for other things."""
    if isinstance(value, enum.Enum):
        return picture(value.value, depth + 1)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if value == value and abs(value) != float("inf") else repr(float(value))
    if isinstance(value, (str, bytes)):
        text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
        return {"?": "text"} if unknown.MARK in text else text[:LONG]
    if isinstance(value, (unknown.Unknown, unknown.UnknownModule)) or hasattr(type(value), "_unknown_name"):
        return {"?": getattr(value, "_unknown_name", type(value).__name__)}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return _container(value, depth) if depth < DEEP else {"?": type(value).__name__}


def _container(value: Any, depth: int) -> Any:
    if isinstance(value, dict):
        return {str(k): picture(v, depth + 1) for k, v in list(value.items())[:MANY]}
    if isinstance(value, (list, tuple, range)):
        return [picture(v, depth + 1) for v in list(value)[:MANY]]
    if isinstance(value, (set, frozenset)):
        return sorted((picture(v, depth + 1) for v in list(value)[:MANY]), key=str)
    return {"is": name_of(value)}


def name_of(value: Any) -> str:
    """The dotted name of a function or class; of any other thing that of its class, with "()"."""
    value = unwrapped(value)
    function = getattr(value, "__func__", value)
    named = isinstance(function, (type, types.FunctionType, types.BuiltinFunctionType))
    owner = function if named else type(value)
    return f"{owner.__module__}.{owner.__qualname__}" + ("" if named else "()")


def unwrapped(function: Any) -> Any:
    """The function below `functools.partial` and decorators that say what they wrap."""
    for _ in range(DEEP):
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, types.FunctionType) and hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            break
    return function
