"""What bash carried out of an answer, as it traced it itself: what was skipped is no step."""

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from benchmarks.strict import execute
from tools.commandline.invocation import ASSIGNMENT, Invocation, read_invocation
from tools.commandline.shell import parse_command
from tools.launchers import PYTHON

DECLARES = frozenset({"export", "declare", "local", "readonly", "typeset", "unset", "set", "shopt", "alias", "ulimit"})
FUNCTION = re.compile(
    r"^[ \t]*(?:function[ \t]+)?([A-Za-z_][\w-]*)[ \t]*\([ \t]*\)|^[ \t]*function[ \t]+([\w-]+)", re.M
)
_ARRAY = re.compile(r"[A-Za-z_]\w*\+?=\(")
"""The words of an array, which bash traces as a command, are no program."""
_DURATION = re.compile(r"(\d*\.?\d+|\d+\.)([smhd]?)")
"""As `timeout` takes it."""
_LITERAL = re.compile(r"[^$`*?~&]+")
"""The target of a redirection that says where it leads."""
_ITS_OWN = ("/dev/", "/proc/")
"""What `source <(echo …)` reads stands in no script: it is the answer's."""
_OUTPUT = frozenset({">", ">>", ">|", "1>", "1>>", "1>|", "&>", "&>>", ">&"})


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where an answer ran."""

    root: Path
    folder: str
    console: frozenset[str]
    """Console scripts of the repository."""
    parents: tuple[tuple[str, ...], ...] = ()
    """Command lines of what started the Python programs that were seen."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One simple command that bash carried out."""

    invocation: Invocation
    sourced: str
    """The script that it stands in; "" for the answer itself."""
    stdin: str = ""
    """What it reads: a file, `pipe:[NUMBER]`, or "?" where that is not known."""
    stdout: str = ""
    """Where its output goes, likewise."""
    waited: bool = False
    """Whether the answer's own shell goes on only when it has ended: it is no part of a pipe, and not in the background."""


def trace_steps(text: str, trace: str, place: Place) -> Iterator[Step]:
    """The commands of an answer in the order in which they ran, with the variables that were set for each.

    Args:
        text: the answer.
        trace: what bash wrote of it (`execute.Execution.trace`).
        place: where it ran.
    """
    functions = {name for pair in FUNCTION.findall(text) for name in pair if name}
    prefixed = {name for one in parse_command(text).invocations for name, _ in one.environment}
    exported: set[str] = set()
    variables: dict[str, str] = {}
    for record in filter(None, trace.split(execute.RECORD)):
        pwd, source, own_shell, command, streams, line = [*record.split(execute.FIELD), *[""] * 5][:6]
        if _ARRAY.match(line):
            continue
        words = _words(line)
        assigned = [m for w in words if (m := ASSIGNMENT.match(w))]
        if words and len(assigned) == len(words):
            variables |= {m.group(1): m.group(3) for m in assigned}
        elif words and words[0] in DECLARES:
            exported |= {w.partition("=")[0] for w in words[1:]} if words[0] in ("export", "declare") else set()
            variables |= {m.group(1): m.group(3) for m in assigned}
        elif words and words[0] not in functions and not _is_ended_at_once(words):
            made = read_invocation(words)
            shown = {n: v for n, v in variables.items() if n in exported | prefixed}
            shown |= dict(made.environment)
            made = msgspec.structs.replace(made, folder=_inside(pwd, place), environment=tuple(shown.items()))
            stdin, stdout = _streams(streams, command, pwd)
            own = posixpath.basename(source) == execute.ANSWER or source.startswith(_ITS_OWN)
            sourced = "" if own else source
            yield Step(invocation=made, sourced=sourced, stdin=stdin, stdout=stdout, waited=own_shell == "1")
            variables = {n: v for n, v in variables.items() if n not in prefixed or n in exported}


def _is_ended_at_once(words: Sequence[str]) -> bool:
    """Whether `timeout` gives a program less than a second."""
    if not words or posixpath.basename(words[0]) != "timeout":
        return False
    given = next((m for m in map(_DURATION.fullmatch, words[1:]) if m is not None), None)
    return given is not None and 0 < float(given[1]) < 1 and given[2] in ("", "s")


def _streams(inherited: str, command: str, pwd: str) -> tuple[str, str]:
    """What a command reads and where its output goes, after its own redirections; "?" where that is not known."""
    stdin, stdout = [*inherited.splitlines(), "?", "?"][:2]
    for one in parse_command(command, prompts=False).redirections:
        known = one.target if _LITERAL.fullmatch(one.target) else ""
        path = posixpath.normpath(posixpath.join(pwd, known)) if known else "?"
        if one.sign in ("<", "0<"):
            stdin = path
        elif "<" in one.sign:
            stdin = "?"
        elif one.sign in _OUTPUT:
            stdout = path
    return stdin, stdout


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def _inside(pwd: str, place: Place) -> str:
    """A folder relative to where the answer began."""
    return posixpath.relpath(pwd, posixpath.join(str(place.root), place.folder or ".")) if pwd else "."


def starts_python(invocation: Invocation, place: Place) -> bool:
    """Whether a command starts a Python program."""
    name = posixpath.basename(invocation.program)
    known = PYTHON.match(invocation.program) or name in execute.LAUNCHERS or name in place.console
    return bool(known) or invocation.target in ("script", "module")
