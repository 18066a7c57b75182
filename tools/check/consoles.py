"""Programs that are called by their names: known everywhere, a slip of one, declared elsewhere, or not looked at here."""

import os
import posixpath
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from ml_agent.tools.check.places import is_literal
from ml_agent.tools.check.programs import (
    INTERPRETERS,
    KNOWN_MODULES,
    KNOWN_PROGRAMS,
    LIKE_INTERPRETERS,
    STARTS_ELSEWHERE,
)
from ml_agent.tools.check.repository import CheckedRepository
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.findings import Finding, Severity
from ml_agent.tools.launchers import PYTHON, SHELLS, SOURCES, starters
from ml_agent.tools.signatures.nearest import is_slip, nearest

# Modules that `python -m` is told to run and that are not there.


def check_module_path(name: str) -> Finding:
    """A path in the place of a dotted name."""
    dotted = name.removesuffix(".py").strip("./").replace("/", ".")
    message = f"python -m takes a dotted name, not a path: {name}; did you mean {dotted}?"
    return Finding(code="no-such-module", message=message, subject=name, suggestion=dotted)


def check_missing_module(repository: CheckedRepository, name: str, folder: str, *, sure: bool) -> Iterator[Finding]:
    """What is wrong with the name of a module of which no file was found; nothing where it may be a library's.

    Args:
        repository: where it is looked for.
        name: dotted.
        folder: where the command runs.
        sure: whether no earlier command may have made it.
    """
    top = name.partition(".")[0]
    if not _lies_in(repository, folder, top):
        folder = repository.reader.sources.packages().get(top, folder)
    if _lies_in(repository, folder, top):
        yield _not_in_package(repository, name, folder, sure=sure)
        return
    near = next((own for own in _own_modules(repository, folder) if is_slip(top, own)), "")
    if near and top not in KNOWN_MODULES:
        meant = ".".join([near, *name.split(".")[1:]])
        yield _finding(f"there is no module {name}; did you mean {meant}?", name, meant, sure=sure)
        return
    yield from _elsewhere(repository, name, folder, sure=sure)


def _not_in_package(repository: CheckedRepository, name: str, folder: str, *, sure: bool) -> Finding:
    """The package is there, and the module is not."""
    tree = repository.tree
    whole = posixpath.normpath(posixpath.join(folder, name.replace(".", "/")))
    if whole in tree.folders:
        return _finding(f"{name} is a package without __main__ and cannot be run", name, sure=True)
    siblings = [p.removesuffix(".py") for p in tree.files if posixpath.dirname(p) == posixpath.dirname(whole)]
    near = nearest(whole, siblings)
    suggestion = posixpath.relpath(near, folder).replace("/", ".") if near else ""
    return _finding(f"there is no module {name}", name, suggestion, sure=sure)


def _elsewhere(repository: CheckedRepository, name: str, folder: str, *, sure: bool) -> Iterator[Finding]:
    """A package of that name lies in another folder."""
    tree, top = repository.tree, name.partition(".")[0]
    found = [f for f in tree.folders if posixpath.basename(f) == top and f"{f}/__init__.py" in tree.files]
    if len(found) != 1:
        return
    inside = posixpath.join(posixpath.dirname(found[0]), name.replace(".", "/"))
    if inside not in tree.folders and f"{inside}.py" not in tree.files:
        yield _finding(f"{found[0]} has no module {name}", name, sure=sure)
        return
    base = posixpath.relpath(posixpath.dirname(found[0]) or ".", folder)
    yield _finding(f"{top} is not a package here; it is in {base}", name, f"cd {base}", sure=False)


def _finding(message: str, name: str, suggestion: str = "", *, sure: bool) -> Finding:
    severity: Severity = "error" if sure else "warning"
    return Finding(code="no-such-module", message=message, severity=severity, subject=name, suggestion=suggestion)


def _lies_in(repository: CheckedRepository, folder: str, top: str) -> bool:
    here = posixpath.normpath(posixpath.join(folder, top))
    return here in repository.tree.folders or f"{here}.py" in repository.tree.files


def _own_modules(repository: CheckedRepository, folder: str) -> list[str]:
    """Modules and packages that can be imported in a folder: those beside, and those that are installed."""
    prefix = "" if folder == "." else folder + "/"
    beside = {
        p.removeprefix(prefix).removesuffix("/__init__.py").removesuffix(".py")
        for p in repository.tree.files
        if p.startswith(prefix) and p.endswith(".py")
    }
    return sorted({name for name in beside if "/" not in name} | set(repository.reader.sources.packages()))


_DEFINES = re.compile(
    r"(?:^|[;&|])[ \t]*(?:function[ \t]+([\w:.-]+)|([\w:.-]+)[ \t]*\(\)|alias[ \t]+([\w:.-]+)=)", re.MULTILINE
)


def defined_names(text: str) -> frozenset[str]:
    """The functions and aliases that bash text defines."""
    return frozenset(filter(None, (name for match in _DEFINES.finditer(text) for name in match.groups())))


def unknown_program(program: str, repository: CheckedRepository, defined: frozenset[str]) -> Finding | None:
    """What is to say of a program that is none of the repository's console scripts; None where it is well known.

    Args:
        program: the first word of the command.
        repository: says which programs it has and declares.
        defined: functions and aliases that the text defines.
    """
    name = posixpath.basename(program)
    if not name or name in KNOWN_PROGRAMS or PYTHON.match(program) or program in defined:
        return None
    if not is_literal(program):
        return cannot_tell(program, f"which program {program} is: it is set when the command runs")
    if name in repository.declared:
        return cannot_tell(
            program, f"which options {program} takes: the set-up files declare it, but its code was not read"
        )
    meant = next((other for other in repository.consoles if is_slip(name, other)), "") or _interpreter(name)
    if meant and "/" not in program:
        message = f"there is no program {name}; did you mean {meant}?"
        return Finding(code="no-such-command", message=message, subject=name, suggestion=meant)
    return cannot_tell(program, f"{program} is not a program of this repository, so its options are unknown")


def cannot_tell(program: str, message: str) -> Finding:
    """The finding that nobody can judge a program's words."""
    return Finding(code="cannot-tell", message=message, severity="unsure", subject=program)


def _interpreter(name: str) -> str:
    """The interpreter or launcher of which a name is a slip; "" for one that there may be."""
    stem = name.rstrip("0123456789.")
    known = stem in LIKE_INTERPRETERS or stem.lower() in INTERPRETERS
    return "" if known else next((other for other in INTERPRETERS if is_slip(stem, other)), "")


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
