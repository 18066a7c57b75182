"""What bash carried out of an answer, as it traced it itself: what was skipped is no step."""

import itertools
import posixpath
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from ml_agent.benchmarks.strict import execute, tracing
from ml_agent.tools.commandline.invocation import ASSIGNMENT, Invocation, read_invocation
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.launchers import PYTHON, SHELLS, SOURCES

DECLARES = frozenset({"export", "declare", "local", "readonly", "typeset", "unset", "set", "shopt", "alias", "ulimit"})
FUNCTION = re.compile(
    r"^[ \t]*(?:function[ \t]+)?([A-Za-z_][\w-]*)[ \t]*\([ \t]*\)|^[ \t]*function[ \t]+([\w-]+)", re.M
)
_REDIRECTED = re.compile(rf"\b{tracing.TRACE_FD}[<>]|\bBASH_ENV=")
"""Something else in the place of the trace, or of what shells read first."""
_ARRAY = re.compile(r"[A-Za-z_]\w*\+?=\(")
"""The words of an array, which bash traces as a command, are no program."""
_DURATION = re.compile(r"(\d*\.?\d+|\d+\.)([smhd]?)")
"""As `timeout` takes it."""
_LITERAL = re.compile(r"[^$`*?~&]+")
"""The target of a redirection that says where it leads."""
_ITS_OWN = ("/dev/", "/proc/")
"""What `source <(echo …)` reads stands in no script: it is the answer's."""
_QUOTED = re.compile(r"\$'((?:[^'\\]|\\.)*)'|'[^']*'|\\.", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_OUTPUT = frozenset({">", ">>", ">|", "1>", "1>>", "1>|", "&>", "&>>", ">&"})


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where an answer ran."""

    root: Path
    folder: str
    console: frozenset[str]
    """Console scripts of the repository."""
    parents: tuple[tuple[str, ...], ...] = ()
    """Command lines of what started the Python programs that were seen."""
    seen: int = 0
    """Python programs that were seen, also those that only say their version."""
    refused_writes: tuple[str, ...] = ()
    """Files that a shell could not write, as it was told their names."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One simple command that bash carried out."""

    invocation: Invocation
    typed: tuple[str, ...]
    """All its words, also of what it is started by."""
    sourced: str
    """The script that it stands in; "" for the answer itself."""
    stdin: str = ""
    """What it reads: a file, `pipe:[NUMBER]`, or "?" where that is not known."""
    stdout: str = ""
    """Where its output goes, likewise."""
    waited: bool = False
    """Whether the answer's own shell goes on only when it has ended: it is no part of a pipe, and not in the background."""


class StartedShell(msgspec.Struct, frozen=True, kw_only=True):
    """One bash that an answer started."""

    words: tuple[str, ...]
    """Of its command line, without the first."""
    text: str = ""
    """What it carried out, where that is the answer's."""
    folder: str = "."
    """Where, relative to where the answer began."""
    theirs: bool = False
    """Whether it ran a script of the repository, in which nothing was traced."""


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """What bash carried out of an answer."""

    steps: tuple[Step, ...] = ()
    """In the order in which they ran."""
    shells: tuple[StartedShell, ...] = ()
    hidden: tuple[str, ...] = ()
    """Commands with which the answer ends the trace."""


def read_trace(text: str, trace: str, place: Place) -> Trace:
    """What an answer carried out, with the variables that were set for each command.

    Args:
        text: the answer.
        trace: what bash wrote of it (`execute.Execution.trace`).
        place: where it ran.
    """
    return _Reader(text, place).read(trace)


class _Variables:
    """The variables of a shell."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self.values = dict(given)
        self.exported = set(given)


class _Reader:
    """Reads the records of a trace one after the other."""

    def __init__(self, text: str, place: Place) -> None:
        self._place = place
        self._texts = [text]
        self._learn(text)
        self._variables = {"": _Variables({})}
        """Of the answer's own shell and of each that was started, by its number."""
        self._scripts: dict[str, str] = {}
        """Each script that was sourced or started, as it was named: its path, "" where it is the answer's."""
        self._sourced_shells: dict[str, str] = {}
        """Number of each shell that a script of the repository started, and that script."""
        self._steps: list[Step] = []
        self._shells: list[StartedShell] = []
        self._hidden = [line for line in text.splitlines() if _REDIRECTED.search(line)]

    def read(self, trace: str) -> Trace:
        for record in filter(None, trace.split(tracing.RECORD)):
            fields = [*record.split(tracing.FIELD), *[""] * 5][:6]
            if fields[2] in (tracing.OWN, tracing.THEIRS):
                self._read_shell(fields)
            elif not _ARRAY.match(fields[5]):
                self._read_command(fields)
        return Trace(steps=tuple(self._steps), shells=tuple(self._shells), hidden=tuple(self._hidden))

    def _learn(self, text: str) -> None:
        """The functions of a text, and the variables that stand before its commands; a function does not stand for a program of the system."""
        found = {name for pair in FUNCTION.findall(text) for name in pair if name}
        self._functions = {name for name in found if shutil.which(name, path=tracing.SYSTEM_PATH) is None}
        self._prefixed = {name for one in parse_command(text).invocations for name, _ in one.environment}

    def _read_shell(self, fields: Sequence[str]) -> None:
        folder, name, kind, text, number, line = fields
        words = tuple(line.split(tracing.WORD)[1:-1])
        path = posixpath.normpath(posixpath.join(folder, name))
        theirs = kind == tracing.THEIRS
        shell = StartedShell(words=words, text=text, folder=_inside(folder, self._place), theirs=theirs)
        step = next((one for one in reversed(self._steps) if is_started_by(shell, one)), None)
        self._variables[number] = _Variables(dict(step.invocation.environment) if step is not None else {})
        if step is not None and step.sourced:
            self._sourced_shells[number] = step.sourced
        elif not theirs:
            self._scripts[name] = ""
            self._shells.append(shell)
            self._texts.append(text)
            self._learn("\n".join(self._texts))
        elif is_of_repository(path, self._place):
            self._scripts[name] = path
            self._shells.append(shell)

    def _read_command(self, fields: Sequence[str]) -> None:
        words, variables = _words(fields[5]), self._of(fields[2])
        assigned = [m for w in words if (m := ASSIGNMENT.match(w))]
        if _ends_trace(words, f"{fields[3]} {fields[5]}"):
            self._hidden.append(fields[5])
        if words and len(assigned) == len(words):
            variables.values |= {m.group(1): m.group(3) for m in assigned}
        elif words and words[0] in DECLARES:
            variables.exported |= {w.partition("=")[0] for w in words[1:] if words[0] in ("export", "declare")}
            variables.values |= {m.group(1): m.group(3) for m in assigned}
        elif words and words[0] not in self._functions and not _is_ended_at_once(words):
            self._add(words, fields)

    def _add(self, words: Sequence[str], fields: Sequence[str]) -> None:
        pwd, source, number, command, streams, _ = fields
        made, variables = read_invocation(list(words)), self._of(number)
        shown = {n: v for n, v in variables.values.items() if n in variables.exported | self._prefixed}
        shown |= dict(made.environment)
        made = msgspec.structs.replace(made, folder=_inside(pwd, self._place), environment=tuple(shown.items()))
        if made.program in SOURCES:
            path = posixpath.normpath(posixpath.join(pwd, made.name))
            self._scripts[made.name] = path if is_of_repository(path, self._place) else ""
        sourced = self._sourced_shells.get(_number(number)) or self._script(source, pwd)
        stdin, stdout = _streams(streams, command, pwd)
        step = Step(
            invocation=made, typed=tuple(words), sourced=sourced, stdin=stdin, stdout=stdout, waited=number == "1"
        )
        self._steps.append(step)
        gone = self._prefixed - variables.exported
        variables.values = {n: v for n, v in variables.values.items() if n not in gone}

    def _of(self, shell: str) -> _Variables:
        return self._variables.setdefault(_number(shell), _Variables({}))

    def _script(self, source: str, pwd: str) -> str:
        """The script of the repository in which a command stands; "" where that is the answer's."""
        if not source or posixpath.basename(source) == execute.ANSWER or source.startswith(_ITS_OWN):
            return ""
        path = posixpath.normpath(posixpath.join(pwd, source))
        return source if self._scripts.get(source, path if is_of_repository(path, self._place) else "") else ""


def _number(shell: str) -> str:
    """The number of the shell that was started in which a command stands; "" for the answer's own."""
    return shell.partition(".")[0][1:] if shell.startswith("c") else ""


def is_of_repository(path: str, place: Place) -> bool:
    """Whether a path is a file of the repository, which was there before the answer."""
    inside = posixpath.relpath(path, str(place.root))
    return inside.partition("/")[0] != ".." and is_file(place.root / inside)


def is_file(path: Path) -> bool:
    """Whether there is such a file; text that can be no path names none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_started_by(shell: StartedShell, step: Step) -> bool:
    """Whether it is this command that started a shell: by its name, or as what runs a script."""
    size = len(shell.words)
    named = step.typed[: len(step.typed) - size]
    if step.typed[len(named) :] == shell.words and named and posixpath.basename(named[-1]) in SHELLS:
        return True
    script = tuple(itertools.dropwhile(lambda word: word.startswith("-"), shell.words))
    return step.typed[-len(script) :] == script and script[:1] == (step.invocation.program,)


def _ends_trace(words: list[str], text: str) -> bool:
    """Whether a command lets bash write down no more: `set +x`, `shopt -u -o xtrace`, another file in the place of the trace.

    A function that stands for a program also in scripts of the repository, where nothing is traced, is the same.
    """
    if words[:1] in (["export"], ["declare"], ["typeset"]) and re.match(r"-\w*f", words[1] if len(words) > 1 else ""):
        return any(PYTHON.match(word) or shutil.which(word, path=tracing.SYSTEM_PATH) for word in words[2:])
    if "set" in words and any(re.fullmatch(r"\+\w*x\w*", word) for word in words):
        return True
    ends = {"set", "shopt"} & set(words) and "xtrace" in words and {"+o", "-uo", "-u", "-ou"} & set(words)
    return bool(ends) or _REDIRECTED.search(text) is not None


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
    """The words of a command as bash writes them down: `$'a\\nb'` has a line's end in it."""
    plain = _QUOTED.sub(lambda m: shlex.quote(_read_escapes(m[1])) if m[1] is not None else m[0], line)
    try:
        return shlex.split(plain)
    except ValueError:
        return line.split()


def _read_escapes(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1], 8)) if m[1] else _LETTERS.get(m[2], m[2]), text)


def _inside(pwd: str, place: Place) -> str:
    """A folder relative to where the answer began."""
    return posixpath.relpath(pwd, posixpath.join(str(place.root), place.folder or ".")) if pwd else "."


def starts_python(invocation: Invocation, place: Place) -> bool:
    """Whether a command starts a Python program."""
    name = posixpath.basename(invocation.program)
    known = PYTHON.match(invocation.program) or name in execute.LAUNCHERS or name in place.console
    return bool(known) or invocation.target in ("script", "module")
