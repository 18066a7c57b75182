"""Watches the real argparse: what it refused, and that it was reached."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from . import seen, unknown

KINDS = (
    ("unrecognized arguments", "unknown-option"),
    ("invalid choice", "bad-choice"),
    ("required", "missing-required"),
    ("expected", "missing-value"),
    ("ambiguous option", "unknown-option"),
    ("ignored explicit argument", "bad-type"),
    ("not allowed with", "conflict"),
    ("invalid", "bad-type"),
)
ONLY_SHOWS = "only-shows"
HELP, VERSION = "its help and ends", "its version and ends"


class Rejected(SystemExit):
    """A parser refused the command line."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(2)
        self.kind = kind
        self.message = message


class Log:
    """What the parsers of the program saw."""

    def __init__(self) -> None:
        self.reached = False
        self.rejection: Rejected | None = None

    def parsed(self) -> None:
        """A parser accepted the command line."""
        self.reached = True

    def reject(self, kind: str, message: str) -> NoReturn:
        """A parser refuses: the program ends as it would."""
        self.rejection = Rejected(kind, message[:500])
        raise self.rejection

    def only_shows(self, what: str) -> NoReturn:
        """The program was asked for its help or its version: nothing else of the command line counts."""
        self.reject(ONLY_SHOWS, f"the program shows {what}")


class ForeignNamespace(argparse.Namespace):
    """The values of a parser to which a foreign function may have added options that we cannot see."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return unknown.Unknown(f"args.{name}")


def foreign_namespace(found: argparse.Namespace, rest: Sequence[str]) -> ForeignNamespace:
    """The parsed values, with the options that were left over as words; the type of a number is not known."""
    namespace = ForeignNamespace(**vars(found))
    for at, word in enumerate(rest):
        name, equals, value = word.partition("=")
        if not word.startswith("--"):
            continue
        if not equals and at + 1 < len(rest) and not rest[at + 1].startswith("--"):
            value = rest[at + 1]
        plain = bool(value) and not value.replace(".", "").replace("-", "").replace("e", "").isdigit()
        setattr(namespace, name.lstrip("-").replace("-", "_"), value if plain else unknown.Unknown(name))
    return namespace


def install(log: Log) -> None:
    """Put the watching methods into argparse."""
    parser = argparse.ArgumentParser
    unknown.Hooks.watched = (parser,)

    def error(self: Any, message: str) -> NoReturn:
        log.reject(next((kind for words, kind in KINDS if words in message), "usage"), message)

    watch = seen.ArgparseWatch()
    for name, function in {**_parse_methods(log, watch), **_value_methods(watch), "error": error}.items():
        setattr(parser, name, function)
    argparse.FileType.__call__ = _opening(argparse.FileType.__call__)  # type: ignore[method-assign]
    shown: tuple[tuple[Any, str], ...] = ((argparse._HelpAction, HELP), (argparse._VersionAction, VERSION))
    for action, what in shown:
        action.__call__ = _showing(log, what)


def _opening(real: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `argparse.FileType`: a file to read that is not there is its user's, and unknown."""

    def opened(self: Any, name: str) -> Any:
        try:
            return real(self, name)
        except argparse.ArgumentTypeError:
            if "r" in self._mode:
                return unknown.Unknown("file")
            raise

    return opened


def _showing(log: Log, what: str) -> Callable[..., NoReturn]:
    def show(self: Any, *words: Any) -> NoReturn:
        log.only_shows(what)

    return show


def _parse_methods(log: Log, watch: seen.ArgparseWatch) -> dict[str, Callable[..., Any]]:
    """Methods that parse as before, tell the log, and end the program where its command line is read."""
    real_parse, real_known = argparse.ArgumentParser.parse_args, argparse.ArgumentParser.parse_known_args

    def parse_known_args(self: Any, args: Any = None, namespace: Any = None) -> Any:
        watch.begin()
        try:
            found, rest = real_known(self, args, namespace)
        finally:
            watch.depth -= 1
        log.parsed()
        if not watch.depth and seen.is_command_line(args):
            watch.report(self, found, rest)
        return found, rest

    def parse_args(self: Any, args: Any = None, namespace: Any = None) -> Any:
        if not any(p is self for p in unknown.HANDED):
            found = real_parse(self, args, namespace)
        else:
            known, rest = self.parse_known_args(args, namespace)
            found = foreign_namespace(known, rest)
        if (args is None or list(args) == sys.argv[1:]) and not seen.from_answer():
            seen.done()
        return found

    return {"parse_known_args": parse_known_args, "parse_args": parse_args}


def _value_methods(watch: seen.ArgparseWatch) -> dict[str, Callable[..., Any]]:
    """Methods that tell which words an action takes, and check a choice where choices are known."""
    real_values, real_check = argparse.ArgumentParser._get_values, argparse.ArgumentParser._check_value

    def get_values(self: Any, action: Any, words: Any) -> Any:
        watch.taken(self, action, list(words))
        return real_values(self, action, words)

    def check_value(self: Any, action: Any, value: Any) -> None:
        if action.choices is None or len(action.choices):  # none at all were computed from what is not there
            real_check(self, action, value)

    return {"_get_values": get_values, "_check_value": check_value}
