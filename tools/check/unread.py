"""What a command starts or reads that is not looked at here, so that nothing is to be said of it; and the files that installs read."""

import os
import posixpath
from collections.abc import Collection, Iterator
from pathlib import Path

from ml_agent.tools.check.consoles import cannot_tell
from ml_agent.tools.check.places import is_literal
from ml_agent.tools.check.programs import STARTS_ELSEWHERE
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.findings import Finding
from ml_agent.tools.launchers import PYTHON, SHELLS, SOURCES, starters

_SUFFIXES = {
    "julia": (".jl",), "Rscript": (".R", ".r"), "perl": (".pl",), "ruby": (".rb",), "lua": (".lua",), "luajit": (".lua",),
    "th": (".lua",), "node": (".js", ".mjs"), "octave": (".m",), "php": (".php",),
}  # fmt: skip
"""Interpreters of other languages, with how the names of their scripts end."""
_CODE = frozenset({"-e", "-E", "--eval"})


def unread(invocation: Invocation, consoles: Collection[str]) -> Finding | None:
    """That what a command starts or reads is not looked at; None where it has no more than its words.

    Args:
        invocation: the command.
        consoles: the repository's own programs.
    """
    program = posixpath.basename(invocation.program)
    if program in STARTS_ELSEWHERE:
        words = [part for word in invocation.words for part in word.split()]
        started = next((word for word in words if _starts(word, consoles)), None)
        return (
            cannot_tell(program, f"{program} starts another program ({started}), which is not checked")
            if started
            else None
        )
    if _reads_input(invocation, program):
        return cannot_tell(program, f"{program} reads commands from its standard input, which are not checked")
    script = other_script(invocation)
    if script and invocation.words[-1] != script:
        return cannot_tell(script, f"which options {script} takes")
    if program == "cargo" and "--" in invocation.words:
        return cannot_tell(program, "which options the program takes that cargo starts")
    return None


def other_script(invocation: Invocation) -> str:
    """The script that an interpreter of another language runs; "" where there is none."""
    endings = _SUFFIXES.get(posixpath.basename(invocation.program))
    if endings is None or not _CODE.isdisjoint(invocation.words):
        return ""
    words = (word for word in invocation.words if is_literal(word) and not word.startswith("-"))
    return next((word for word in words if word.endswith(endings)), "")


def may_be_started(root: Path, path: str) -> bool:
    """Whether a file of the repository is executable, or lies where there are no such rights."""
    file = root / path
    return os.name == "nt" or not file.is_file() or bool(file.stat().st_mode & 0o111)


def _starts(word: str, consoles: Collection[str]) -> bool:
    name = posixpath.basename(word)
    return (
        bool(PYTHON.match(word))
        or name in starters() - SOURCES
        or name in consoles
        or name.endswith((".py", ".sh", ".bash"))
    )


def _reads_input(invocation: Invocation, program: str) -> bool:
    """Whether an interpreter is given its program by standard input."""
    if program in SHELLS:
        return invocation.target in ("shell", "code") and invocation.name in ("", "-")
    if not PYTHON.match(program) or invocation.launcher:
        return False
    return invocation.name == "-" or (invocation.target == "console" and not invocation.words)


_PIP = ("-r", "--requirement", "-c", "--constraint")
_CONDA = ("-f", "--file")


def listed_in(invocation: Invocation) -> Iterator[str]:
    """The files beside the repository's that name what is to be installed."""
    words = list(invocation.words)
    program = posixpath.basename(invocation.name)
    if program == "uv" and words[:1] == ["pip"]:
        program, words = words[0], words[1:]
    if program.rstrip("0123456789.") == "pip" and words[:1] == ["install"]:
        yield from _values(words, _PIP)
    elif program in ("conda", "mamba", "micromamba") and words[:1] == ["env"]:
        yield from _values(words, _CONDA)


def _values(words: list[str], options: tuple[str, ...]) -> Iterator[str]:
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        found = following if word in options else value if equals and name in options else ""
        if found and is_literal(found):
            yield found
