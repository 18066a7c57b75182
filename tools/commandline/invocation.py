"""What one simple command calls, through environment settings, wrappers and launchers."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Literal

import msgspec

from ml_agent.tools.launchers import (
    PYTHON,
    PYTHON_WITH_VALUE,
    SHELLS,
    SOURCES,
    Launcher,
    launcher_modules,
    launchers,
    script_switches,
)

Target = Literal["script", "module", "code", "shell", "console"]
ASSIGNMENT = re.compile(r"^([A-Za-z_]\w*)(\+?=)(.*)$", re.DOTALL)
_PROGRAM_NAME = re.compile(r"[A-Za-z_./$~][\w./+${}~-]*")
_PYTHON_GIVEN = re.compile(r"-[bBdEiIOPqRsSuvx]*([cm])(.*)", re.DOTALL)
"""A module or code, also behind switches in one word: -Sc."""
_SHELL_WITH_VALUE = re.compile(r"[-+]\w*[oO]|--rcfile|--init-file")
"""Options of a shell that take a value, also as the last letter of several: -euo pipefail."""


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
    launcher: str = ""
    """The launcher of scripts that starts it, or its module; "" where none does."""
    launched: tuple[str, ...] = ()
    """All words behind that launcher: its options, the script, the script's words."""
    folder: str = "."
    """Where it runs, from the `cd`s before it; relative to where the line starts, "" where unknown."""
    redirects: tuple[tuple[str, str], ...] = ()
    """Operator and target."""
    line: int = 1
    """Line of the text where it begins, from 1."""
    offset: int = -1
    """Characters of the text before its first word; -1 within a substitution."""


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
    while words and (launcher := _launcher(words[0], "program", "python")) is not None:
        inner = unwrap(words, launcher)
        more, inner = split_assignments(inner)
        environment += more
        if not inner:
            break
        words = inner
    made = _target(words) if words else Invocation(program=program, name=program)
    return msgspec.structs.replace(made, environment=tuple(environment))


def _launcher(word: str, *starts: str) -> Launcher | None:
    """The launcher of some kinds that a word names."""
    found = launchers().get(PurePosixPath(word).name)
    return found if found is not None and found.starts in starts else None


def unwrap(words: list[str], launcher: Launcher) -> list[str]:
    """The words of the command that a launcher starts; [] where it starts none.

    Args:
        words: the launcher, its options, and the command.
        launcher: says which of them are whose.
    """
    rest = _behind(words[1:], launcher.word) if launcher.word else words[1:]
    while rest and rest[0].startswith("-") and rest[0] != "-":
        option, rest = rest[0], rest[1:]
        if option == "--":
            break
        if option in launcher.modules and rest:
            return ["python", "-m", *rest]
        rest = rest[_values(option, rest, launcher) :]
    rest = rest[launcher.positional :]
    return ["python", *rest] if launcher.starts == "python" and rest and not PYTHON.match(rest[0]) else rest


def _behind(words: list[str], wanted: str) -> list[str]:
    """The words behind `run` in `poetry -C folder run`; [] where it is not what the launcher is told to do."""
    rest = words
    while rest[:1] != [wanted]:
        if wanted not in rest or not rest[0].startswith("-"):
            return []
        rest = rest[1:] if "=" in rest[0] or rest[1].startswith("-") or rest[1] == wanted else rest[2:]
    return rest[1:]


def _values(option: str, rest: list[str], launcher: Launcher) -> int:
    """How many of the words behind an option of a launcher belong to it."""
    valued = launcher.valued
    if "=" in option:
        return 0
    if option in launcher.pairs:
        return 2
    if option in valued or option[1:] in valued:  # --np as -np
        return 1
    attached = not option.startswith("--") and len(option) > 2 and option[:2] in valued
    if attached or option in launcher.switches or launcher.positional or not rest:
        return 0
    word = rest[0]
    if word.startswith("-") or _can_start(word) or ASSIGNMENT.match(word):
        return 0
    return int(_PROGRAM_NAME.fullmatch(word) is None or any(map(_can_start, rest[1:])))


def _can_start(word: str) -> bool:
    """Whether a word by itself tells that it is a program or a script."""
    name = PurePosixPath(word).name
    return bool(PYTHON.match(word)) or name in SHELLS or name in launchers() or name.endswith((".py", ".sh", ".bash"))


def _target(words: list[str]) -> Invocation:
    program, rest = words[0], words[1:]
    name = PurePosixPath(program).name
    if PYTHON.match(program):
        return _python(program, rest)
    if name in SHELLS:
        return _shell(program, rest)
    if name in SOURCES:
        return Invocation(program=program, target="shell", name=rest[0] if rest else "", words=tuple(rest[1:]))
    launcher = _launcher(program, "script")
    if launcher is not None and (not launcher.word or rest[:1] == [launcher.word]):
        return _launch_target(program, rest[1:] if launcher.word else rest, name)
    if program.endswith(".py"):
        return Invocation(program=program, target="script", name=program, words=tuple(rest))
    if program.endswith((".sh", ".bash")):
        return Invocation(program=program, target="shell", name=program, words=tuple(rest))
    return Invocation(program=program, target="console", name=program, words=tuple(rest))


def _shell(program: str, words: list[str]) -> Invocation:
    """A shell with its own options: -c takes the text of a script, also as the last letter of several."""
    rest = list(words)
    letters = ""
    while rest and rest[0][:1] in ("-", "+") and len(rest[0]) > 1:
        word = rest.pop(0)
        if word == "--":
            break
        letters += word[1:] if not word.startswith("--") else ""
        if _SHELL_WITH_VALUE.fullmatch(word):
            rest = rest[1:]
    if "c" in letters or "s" in letters:
        code = rest[:1] if "c" in letters else []
        return Invocation(program=program, target="code", name="".join(code), words=tuple(rest[len(code) :]))
    return Invocation(program=program, target="shell", name=rest[0] if rest else "", words=tuple(rest[1:]))


def _python(program: str, words: list[str]) -> Invocation:
    rest = list(words)
    while rest:
        word = rest.pop(0)
        given = _PYTHON_GIVEN.fullmatch(word)
        if given is not None:
            value = given[2] or (rest.pop(0) if rest else "")
            if given[1] == "m":
                return _module(program, value, rest)
            return Invocation(program=program, target="code", name=value, words=tuple(rest))
        if word in PYTHON_WITH_VALUE:
            rest = rest[1:]
        elif not word.startswith("-") or word == "-":
            return Invocation(program=program, target="script", name=word, words=tuple(rest))
    return Invocation(program=program, target="console", name=program, words=tuple(words))


def _module(program: str, module: str, rest: list[str]) -> Invocation:
    launcher = launcher_modules().get(module) or launcher_modules().get(module.partition(".")[0])
    if launcher is not None and launcher.starts == "script":
        return _launch_target(program, rest, module)
    if launcher is not None:
        inner = _python(program, unwrap([module, *rest], launcher)[1:])
        if inner.target == "module" or (inner.target == "script" and inner.name.endswith(".py")):
            return inner
    return Invocation(program=program, target="module", name=module, words=tuple(rest))


def _launch_target(program: str, words: list[str], launcher: str) -> Invocation:
    """What a distributed launcher starts."""
    return msgspec.structs.replace(_behind_options(program, words), launcher=launcher, launched=tuple(words))


def _behind_options(program: str, words: list[str]) -> Invocation:
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
        follows_value = "=" not in word and word not in script_switches()
        if follows_value and rest and not rest[0].startswith("-") and not rest[0].endswith(".py"):
            rest = rest[1:]
    return Invocation(program=program, target="console", name=program, words=tuple(words))
