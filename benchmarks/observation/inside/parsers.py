"""Watches the parsers of command lines: argparse, and absl where a program imports it.

What they refuse, what they made of the words; and the program ends where its command line is read.
"""

import argparse
import importlib
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

from . import unknown
from .finder import unknown_module
from .record import (
    SEEN,
    ArgparseWatch,
    Parsed,
    add_options,
    from_answer,
    is_command_line,
    only_shows,
    reject,
)

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


def install() -> None:
    """Put the watching methods into argparse."""
    parser = argparse.ArgumentParser
    unknown.Hooks.watched = (parser,)

    def error(self: Any, message: str) -> NoReturn:
        reject(next((kind for words, kind in KINDS if words in message), "usage"), message)

    watch = ArgparseWatch()
    for name, function in {**_parse_methods(watch), **_value_methods(watch), "error": error}.items():
        setattr(parser, name, function)
    for action in (argparse._HelpAction, argparse._VersionAction):
        setattr(action, "__call__", only_shows)  # noqa: B010


def _parse_methods(watch: ArgparseWatch) -> dict[str, Callable[..., Any]]:
    """Methods that parse as before, record, and end the program where its command line is read."""
    real_parse, real_known = argparse.ArgumentParser.parse_args, argparse.ArgumentParser.parse_known_args

    def parse_known_args(self: Any, args: Any = None, namespace: Any = None) -> Any:
        watch.begin()
        try:
            found, rest = real_known(self, args, namespace)
        finally:
            watch.depth -= 1
        SEEN.reached = True
        if not watch.depth and is_command_line(args):
            watch.report(self, found, rest)
        return found, rest

    def parse_args(self: Any, args: Any = None, namespace: Any = None) -> Any:
        handed = any(p is self for p in unknown.HANDED)  # a library that is a stub here may know the rest
        found = self.parse_known_args(args, namespace)[0] if handed else real_parse(self, args, namespace)
        if (args is None or list(args) == sys.argv[1:]) and not from_answer():
            raise Parsed
        return found

    return {"parse_known_args": parse_known_args, "parse_args": parse_args}


def _value_methods(watch: ArgparseWatch) -> dict[str, Callable[..., Any]]:
    """Methods that tell which words an action takes, and check a choice where choices are known."""
    real_values, real_check = argparse.ArgumentParser._get_values, argparse.ArgumentParser._check_value
    real_value: Callable[..., Any] = argparse.ArgumentParser._get_value

    def get_values(self: Any, action: Any, words: Any) -> Any:
        watch.take(self, action, list(words))
        return real_values(self, action, words)

    def get_value(self: Any, action: Any, word: Any) -> Any:
        try:
            return real_value(self, action, word)
        except argparse.ArgumentError:
            if getattr(action.type, "__code__", None) in unknown.ABSENT:  # it looked for a file, which is its user's
                return word
            raise

    def check_value(self: Any, action: Any, value: Any) -> None:
        if action.choices is None or len(action.choices):  # none at all were computed from what is not there
            real_check(self, action, value)

    return {"_get_values": get_values, "_get_value": get_value, "_check_value": check_value}


def absl_flags() -> Any:
    """The module of absl that reads a command line; None where the host does not give it."""
    try:
        return importlib.import_module("absl.flags._flagvalues")
    except ImportError:
        return None


def watch_absl(module: Any) -> None:
    """Let absl's FLAGS record what they parsed, and end the program then."""
    real = module.FlagValues.__call__

    def parse(self: Any, argv: Any, known_only: bool = False) -> Any:
        try:
            rest = real(self, argv, known_only)
        except module._exceptions.Error as error:
            reject("flags", str(error))
        SEEN.reached = True
        ignored = [word for word in rest[1:] if word.startswith("-") and word not in ("-", "--")] if known_only else []
        if ignored:
            reject("unknown-option", "TensorFlow drops unknown flags: " + " ".join(ignored))
        found = {name: self[name] for name in self if self[name].name == name}
        given = {name: [str(flag.value)] for name, flag in found.items() if flag.present}
        defaults = {name: flag.default for name, flag in found.items()}
        add_options({name: flag.value for name, flag in found.items()}, given, defaults, rest[1:])
        raise Parsed

    module.FlagValues.__call__ = parse


def tensorflow(name: str) -> types.ModuleType:
    """An unknown TensorFlow whose flags and app stand on absl, as TensorFlow 1.15 does it."""
    module, flags = unknown_module(name), sys.modules.get("absl.flags")
    if flags is not None:
        app = types.ModuleType(f"{name}.app")
        vars(app).update(flags=flags, run=lambda main=None, argv=None: flags.FLAGS(argv or sys.argv, known_only=True))
        vars(module).update(flags=flags, app=app)
    return module
