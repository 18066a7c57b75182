"""Programs that start another program (`launchers.toml` lists them), and the words that ask for help."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

PYTHON = re.compile(r"^(?:.*/)?(?:python|pypy)(?:\d(?:\.\d+)?)?(?:\.exe)?$")
PYTHON_WITH_VALUE = frozenset({"-W", "-X", "--check-hash-based-pycs"})
"""Options of the interpreter that take a value."""
SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
SOURCES = frozenset({"source", "."})
"""Run a script in the same shell."""
HELP = frozenset({"-h", "--help", "-help", "--helpfull", "--helpshort"})
"""Words that make a program say what it takes; nothing is required then."""
VERSION = frozenset({"--version", "-V"})
_SHORTENED_HELP = 3


class Launcher(msgspec.Struct, frozen=True, kw_only=True):
    """A program that starts another one; `launchers.toml` says what the fields mean."""

    name: str
    starts: Literal["program", "script", "python", "each"] = "program"
    run_as: Literal["program", "module", "both"] = "program"
    word: str = ""
    positional: int = 0
    valued: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    switches: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    known: str = ""


@cache
def _table() -> tuple[tuple[Launcher, ...], frozenset[str]]:
    data = tomllib.loads(files(__package__).joinpath("launchers.toml").read_text(encoding="utf-8"))
    found = []
    for row in data["launcher"]:
        words = {key: value.split() for key, value in row.items() if key in ("valued", "pairs", "switches", "modules")}
        found += [msgspec.convert(row | words | {"name": name}, Launcher) for name in row["names"].split()]
    return tuple(found), frozenset(data["script_switches"].split())


@cache
def launchers() -> Mapping[str, Launcher]:
    """The programs that start another one by their names, but for interpreters and shells."""
    return {one.name: one for one in _table()[0] if one.run_as != "module"}


@cache
def launcher_modules() -> Mapping[str, Launcher]:
    """Those that are run as `python -m NAME`."""
    return {one.name: one for one in _table()[0] if one.run_as != "program"}


@cache
def starters() -> frozenset[str]:
    """The first words of commands that start something else, but for interpreters (see PYTHON)."""
    return frozenset({*launchers(), *SHELLS, *SOURCES})


def script_switches() -> frozenset[str]:
    """Options of launchers of scripts that take no value; all others may."""
    return _table()[1]


def is_short_for_help(word: str) -> bool:
    """Whether a word that no option has is read as --help by a parser that takes shortened names."""
    return len(word) >= _SHORTENED_HELP and "--help".startswith(word)
