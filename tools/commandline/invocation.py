"""What one simple command calls, through environment settings, wrappers and launchers."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Literal

import msgspec

from tools.launchers import (
    DEBUGGERS,
    LAUNCHER_MODULES,
    LAUNCHERS,
    PYTHON,
    PYTHON_WITH_VALUE,
    SCRIPT_SWITCHES,
    SHELLS,
    SOURCES,
    Launcher,
)

Target = Literal["script", "module", "code", "shell", "console"]
ASSIGNMENT = re.compile(r"^([A-Za-z_]\w*)(\+?=)(.*)$", re.DOTALL)


class Invocation(msgspec.Struct, frozen=True, kw_only=True):
    """One simple command of a command line."""

    program: str
    """The first word, such as python, bash, torchrun or a console script."""
    target: Target = "console"
    """What is called: a script, a module (-m), code (-c), a shell script, or the program itself."""
    name: str = ""
    """The script's path, the module's dotted name, the code, or the program."""
    words: tuple[str, ...] = ()
    """The words after it, unquoted; variables are left as they are written."""
    environment: tuple[tuple[str, str], ...] = ()
    """Assignments before the program."""
    folder: str = "."
    """Where it runs, from the `cd`s before it; relative to where the line starts, "" where unknown."""
    redirects: tuple[tuple[str, str], ...] = ()
    """Operator and target."""
    line: int = 1
    """Line of the text where it begins, from 1."""


def split_assignments(words: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    found: list[tuple[str, str]] = []
    for place, word in enumerate(words):
        match = ASSIGNMENT.match(word)
        if match is None:
            return found, list(words[place:])
        found.append((match.group(1), match.group(3)))
    return found, []


def read_invocation(words: list[str]) -> Invocation:
    """What a simple command calls, through wrappers and launchers."""
    environment: list[tuple[str, str]] = []
    program = words[0]
    while words and (launcher := _launcher(words[0], "program")) is not None:
        inner = _unwrap(words, launcher)
        more, inner = split_assignments(inner)
        environment += more
        if not inner:
            break
        words = inner
    made = _target(words) if words else Invocation(program=program, name=program)
    return msgspec.structs.replace(made, environment=tuple(environment))


def _launcher(word: str, starts: str) -> Launcher | None:
    """The launcher of a kind that a word names."""
    found = LAUNCHERS.get(PurePosixPath(word).name)
    return found if found is not None and found.starts == starts else None


def _unwrap(words: list[str], launcher: Launcher) -> list[str]:
    """The words of the command that a launcher starts; [] where it starts none."""
    rest = words[1:]
    if launcher.word:
        if not rest or rest[0] != launcher.word:
            return []
        rest = rest[1:]
    rest = _skip_options(rest, launcher.valued, frozenset(), all_switches=True)
    return rest[launcher.placed :]


def _skip_options(
    words: list[str], valued: frozenset[str], switches: frozenset[str], *, all_switches: bool
) -> list[str]:
    """Drop the options at the front."""
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word = rest.pop(0)
        if word == "--":
            break
        takes = word in valued if all_switches else word not in switches and "=" not in word
        if takes and rest and "=" not in word:
            rest.pop(0)
    return rest


def _target(words: list[str]) -> Invocation:
    program, rest = words[0], words[1:]
    name = PurePosixPath(program).name
    if PYTHON.match(program):
        return _python(program, rest)
    if name in SHELLS:
        rest = (
            _skip_options(rest, frozenset({"-o", "-O"}), frozenset(), all_switches=True)
            if "-c" not in rest[:2]
            else rest
        )
        if rest and rest[0] == "-c":
            return Invocation(
                program=program, target="code", name=rest[1] if len(rest) > 1 else "", words=tuple(rest[2:])
            )
        return Invocation(program=program, target="shell", name=rest[0] if rest else "", words=tuple(rest[1:]))
    if name in SOURCES:
        return Invocation(program=program, target="shell", name=rest[0] if rest else "", words=tuple(rest[1:]))
    launcher = _launcher(program, "script")
    if launcher is not None and (not launcher.word or rest[:1] == [launcher.word]):
        return _launched(program, rest[1:] if launcher.word else rest)
    if program.endswith(".py"):
        return Invocation(program=program, target="script", name=program, words=tuple(rest))
    if program.endswith((".sh", ".bash")):
        return Invocation(program=program, target="shell", name=program, words=tuple(rest))
    return Invocation(program=program, target="console", name=program, words=tuple(rest))


def _python(program: str, words: list[str]) -> Invocation:
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "-m" or (word.startswith("-m") and len(word) > 2 and not word.startswith("--")):
            module = word[2:] or (rest.pop(0) if rest else "")
            return _module(program, module, rest)
        if word == "-c":
            return Invocation(program=program, target="code", name=rest[0] if rest else "", words=tuple(rest[1:]))
        if word in PYTHON_WITH_VALUE:
            rest = rest[1:]
        elif not word.startswith("-") or word == "-":
            return Invocation(program=program, target="script", name=word, words=tuple(rest))
    return Invocation(program=program, target="console", name=program, words=tuple(words))


def _module(program: str, module: str, rest: list[str]) -> Invocation:
    if module in LAUNCHER_MODULES:
        return _launched(program, rest)
    if module.partition(".")[0] in DEBUGGERS:
        inner = _skip_options(rest, frozenset({"-o", "-s", "-c", "--listen"}), frozenset(), all_switches=True)
        if inner and inner[0].endswith(".py"):
            return Invocation(program=program, target="script", name=inner[0], words=tuple(inner[1:]))
    return Invocation(program=program, target="module", name=module, words=tuple(rest))


def _launched(program: str, words: list[str]) -> Invocation:
    """The script behind a distributed launcher's options."""
    rest = list(words)
    while rest:
        word = rest[0]
        if word in ("-m", "--module") and len(rest) > 1:
            return Invocation(program=program, target="module", name=rest[1], words=tuple(rest[2:]))
        if not word.startswith("-"):
            if word.endswith(".py") or len(rest) == 1 or "/" in word:
                return Invocation(program=program, target="script", name=word, words=tuple(rest[1:]))
            return Invocation(program=program, target="console", name=word, words=tuple(rest[1:]))
        rest = rest[1:]
        follows_value = "=" not in word and word not in SCRIPT_SWITCHES
        if follows_value and rest and not rest[0].startswith("-") and not rest[0].endswith(".py"):
            rest = rest[1:]
    return Invocation(program=program, target="console", name=program, words=tuple(words))
