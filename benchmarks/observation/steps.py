"""Reads bash's trace of an answer: which programs it started beside the Python programs that `inside` saw.

`steps` takes the answer and its trace and gives `Program`s to compare. The trace says what was really carried out, variables filled in and
branches chosen. What only prepares or shows something (`mkdir`, `ls`) is left out, unless it takes something away (`rm -r`, `git reset`).
"""

import posixpath
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from ml_agent.benchmarks.observation.model import Program
from ml_agent.benchmarks.observation.run import ANSWER, DONE_ELSEWHERE, FIELD, RECORD, SYSTEM_PATH, script_launchers
from ml_agent.tools.commandline.invocation import ASSIGNMENT, Invocation, read_invocation
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.launchers import PYTHON, SHELLS, SOURCES

_DECLARES = frozenset(["export", "declare", "local", "readonly", "typeset", "unset", "set", "shopt", "alias", "ulimit"])
_PREPARES = (
    "echo ls cat grep head tail wc basename dirname file stat du md5sum printf pwd tee egrep less more sort uniq cut tr awk sed "
    "find date which whereis type hash command df free uname hostname whoami id env printenv ps seq realpath readlink sha256sum "
    "diff cmp nproc jq tree xargs history clear nvcc module bc expr let for case select [ [[ (( test true false : cd pushd popd exit "
    "return wait trap read shift break continue exec eval kill pkill killall mkdir chmod"
)
PREPARES = _DECLARES | {*DONE_ELSEWHERE, *_PREPARES.split()} - {"make"}
"""Programs that prepare or show something: they count only where they take something away."""
_TAKES_AWAY = {
    "rm": re.compile(r"(?:^| )(?:-\w*[rR]|--recursive)"),
    "git": re.compile(r"(?:-[Cc] \S+ |--\S+ )*(?:reset|clean|checkout|restore|stash|rm|revert|push)\b"),
    "sed": re.compile(r"(?:^| )(?:-[A-Za-z]*i|--in-place)"),
    **dict.fromkeys(("pip", "pip3", "conda"), re.compile(r"(?:env )?(?:remove|uninstall)\b")),
}
"""Words with which a program that otherwise prepares or shows takes something away: then it counts."""
_FUNCTION = re.compile(r"^[ \t]*(?:function[ \t]+([\w-]+)|([A-Za-z_][\w-]*)[ \t]*\([ \t]*\))", re.M)
_ARRAY = re.compile(r"[A-Za-z_]\w*\+?=\(")
"""The words of an array, which bash traces as a command, are no program."""
_QUOTED = re.compile(r"\$'((?:[^'\\]|\\.)*)'|'[^']*'|\\.", re.DOTALL)


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where an answer ran, and what else is known of that."""

    root: Path
    folder: str
    console: frozenset[str]
    """Console scripts of the repository."""
    parents: tuple[tuple[str, ...], ...] = ()
    """Command lines of what started the Python programs that were seen."""

    def path(self, word: str, folder: str = ".") -> str:
        """The absolute path of a word, from a folder that is relative to where the answer began."""
        return posixpath.normpath(posixpath.join(self.root, self.folder or ".", folder or ".", word))

    def has(self, path: str) -> bool:
        """Whether a path is a file of the repository, which was there before the answer."""
        try:
            return Path(path).is_relative_to(self.root) and Path(path).is_file()
        except (OSError, ValueError):  # text that can be no path names none
            return False

    def starts_python(self, invocation: Invocation) -> bool:
        """Whether a command starts a Python program."""
        name = posixpath.basename(invocation.program)
        known = PYTHON.match(invocation.program) or name in script_launchers() or name in self.console
        return bool(known) or invocation.target in ("script", "module")

    def called(self, invocation: Invocation) -> str:
        """The path of what a command starts."""
        return self.path(invocation.name or invocation.program, invocation.folder)


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One simple command that bash carried out."""

    invocation: Invocation
    words: tuple[str, ...]
    """All of them, also of what it is started by."""
    sourced: str
    """The script of the repository in which it stands; "" for the answer itself."""


def read_trace(text: str, trace: str, place: Place) -> Iterator[Step]:
    """The commands that an answer carried out, with the variables that were set for each.

    Args:
        text: the answer.
        trace: what bash wrote of it.
        place: where it ran.
    """
    before = {name for one in parse_command(text).invocations for name, _ in one.environment}
    functions = {name for pair in _FUNCTION.findall(text) for name in pair}
    variables: dict[str, str] = {}
    exported: set[str] = set()
    for record in filter(None, trace.split(RECORD)):
        pwd, source, line = [*record.split(FIELD), "", ""][:3]
        words = [] if _ARRAY.match(line) else _words(line)
        assigned = {m.group(1): m.group(3) for word in words if (m := ASSIGNMENT.match(word))}
        if words and (len(assigned) == len(words) or words[0] in _DECLARES):
            variables |= assigned
            exported |= {word.partition("=")[0] for word in words[1:] if words[0] in ("export", "declare")}
        elif words and (words[0] not in functions or shutil.which(words[0], path=SYSTEM_PATH)):
            made = read_invocation(words)
            known = {name: value for name, value in variables.items() if name in exported | before}
            folder = posixpath.relpath(pwd, place.path(".")) if pwd else "."
            made = msgspec.structs.replace(
                made, folder=folder, environment=tuple((known | dict(made.environment)).items())
            )
            path = posixpath.normpath(posixpath.join(pwd, source))
            own = not source or posixpath.basename(source) == ANSWER or not place.has(path)
            yield Step(invocation=made, words=tuple(words), sourced="" if own else source)
            variables = {name: value for name, value in variables.items() if name not in before - exported}


def _words(line: str) -> list[str]:
    """The words of a command as bash writes them down: `$'a\\nb'` has a line's end in it."""
    plain = _QUOTED.sub(lambda m: m[0] if m[1] is None else shlex.quote(m[1].encode().decode("unicode_escape")), line)
    try:
        return shlex.split(plain)
    except ValueError:
        return line.split()


def steps(text: str, trace: str, place: Place, *, python_too: bool) -> list[Program]:
    """The programs of a shell answer that are no Python program which was seen.

    Args:
        text: the answer.
        trace: what bash carried out of it.
        place: where it ran.
        python_too: Python programs count here: none was seen, and their words are all that there is.
    """
    carried_out = list(read_trace(text, trace, place))
    found = [step for step in carried_out if not step.sourced]
    lead = {_key(read_invocation(list(words))) for words in place.parents if words}
    lead |= {_key(s.invocation) for s in found if s.words[0] in SOURCES and _leads_to_python(s, carried_out, place)}
    programs: list[Program] = []
    for step in found:
        made = step.invocation
        seen = place.starts_python(made) and not python_too
        own_shell = posixpath.basename(made.program) in SHELLS or (made.target == "shell" and "/" in made.program)
        if (
            seen
            or (own_shell and not place.has(place.called(made)))
            or (_key(made) in lead and _hands_over(made, place))
        ):
            continue
        programs += _count(made, place)
    return programs


def _key(made: Invocation) -> tuple[str, str, tuple[str, ...]]:
    return made.target, posixpath.normpath(made.name), made.words


def _leads_to_python(step: Step, carried_out: Sequence[Step], place: Place) -> bool:
    """Whether a script that runs in the answer's own shell starts Python."""
    return any(place.starts_python(s.invocation) for s in carried_out if s.sourced == step.invocation.name)


def _hands_over(made: Invocation, place: Place) -> bool:
    """Whether what started a Python program is a script of the repository, or a starter that stands before it: `xargs python …`."""
    return place.has(place.called(made)) or made.program in SOURCES or any(map(PYTHON.match, made.words))


def _count(made: Invocation, place: Place) -> Iterator[Program]:
    """The program, where it is more than a preparation."""
    name = posixpath.basename(made.name or made.program)
    file = place.called(made)
    is_own = place.has(file)
    more = name not in PREPARES and made.program not in SOURCES
    if is_own or more or (name in _TAKES_AWAY and _TAKES_AWAY[name].search(" ".join(made.words))):
        yield Program(
            file=posixpath.relpath(file, place.root) if is_own else "",
            name="" if is_own else name,
            words=made.words,
            folder=posixpath.relpath(place.path(".", made.folder), place.root),
            environment=dict(made.environment),
        )
