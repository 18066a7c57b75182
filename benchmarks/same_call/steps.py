"""The shell steps of an answer beside its Python programs, as bash itself traced them."""

import itertools
import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec

from benchmarks.same_call.fetched import FETCHES, fetched_programs
from benchmarks.same_call.model import Program
from benchmarks.same_call.streams import NOTHING, Streams
from benchmarks.same_call.trace import DECLARES, Place, Step, starts_python
from benchmarks.strict import execute
from benchmarks.strict.bash_text import commands
from benchmarks.strict.reports import Recorded
from benchmarks.strict.writable import MAKES
from tools.commandline.invocation import ASSIGNMENT, Invocation, read_invocation
from tools.commandline.shell import parse_command
from tools.launchers import SHELLS, SOURCES

GRAMMAR = frozenset({"for", "case", "select", "[", "[[", "((", "test", "true", "false", ":", "cd", "pushd", "popd"})
KILLS = frozenset({"kill", "pkill", "killall"})
CONTROLS = frozenset({
    "exit", "return", "wait", "trap", "read", "shift", "break", "continue", "sleep", "exec", "eval", *KILLS,
})  # fmt: skip
SHOWS = frozenset({
    "echo", "printf", "ls", "cat", "pwd", "tee", "grep", "egrep", "head", "tail", "less", "more", "wc", "sort",
    "uniq", "cut", "tr", "awk", "sed", "find", "date", "which", "whereis", "type", "hash", "command", "df", "du",
    "free", "uname", "hostname", "whoami", "id", "env", "printenv", "ps", "seq", "basename", "dirname", "realpath",
    "readlink", "file", "stat", "md5sum", "sha256sum", "diff", "cmp", "nproc", "jq", "tree", "history", "clear",
    "nvcc", "module", "bc", "expr", "let",
})  # fmt: skip
PREPARES = frozenset({*execute.DONE_ELSEWHERE, MAKES, *GRAMMAR, *DECLARES, *CONTROLS, *SHOWS}) - {"make"}
"""Programs that prepare or show something: they count only where they destroy."""
REMOVES = frozenset({"rm", "shred", "truncate"})
REVERTS = {
    "git": frozenset(
        {
            "reset",
            "clean",
            "checkout",
            "switch",
            "restore",
            "stash",
            "pull",
            "merge",
            "rebase",
            "rm",
            "mv",
            "apply",
            "am",
            "revert",
        }
    ),
    "pip": frozenset({"uninstall"}),
    "pip3": frozenset({"uninstall"}),
    "conda": frozenset({"remove", "uninstall"}),
    "find": frozenset({"-delete", "-exec"}),
}
"""Words with which a program that otherwise prepares takes away, or changes, what is there."""
_IN_PLACE = re.compile(r"-[A-Za-z]*i|--in-place")
_TAKES_RIGHTS = re.compile(
    r"[0-7]?[0-3][0-7]{2}|0{1,3}|(?:[ugoa]*[-+=][rwxXst]*,)*(?:[ua][ugoa]*)?(?:-[rwxX]+|=[wxX]*)(?:,.*)?"
)
"""Modes of `chmod` with which the owner himself can no longer read, write or run something; `go-rwx` only shuts others out."""
_WITH_VALUE = frozenset({"-C", "-c", "--git-dir", "--work-tree", "-n", "--name", "-p", "--prefix"})


def steps(text: str, found: Sequence[Step], place: Place, *, python_too: bool) -> list[Program]:
    """The programs of a shell answer that are no Python program which was seen.

    Args:
        text: the answer.
        found: what bash carried out of it.
        place: where it ran.
        python_too: Python programs count here: none was seen, and their words are all that there is.
    """
    lead = [read_invocation(list(words)) for words in place.parents if words]
    lead += [s.invocation for s in found if not s.sourced and _sources_python(s.invocation, found, place)]
    fetched: set[str] = set()
    programs: list[Program] = []
    streams = Streams(found, place)
    piped = Streams(found, place, through_files=True)
    for step in (s for s in found if not s.sourced and not piped.is_made_anew(s)):
        if starts_python(step.invocation, place) and not python_too:
            continue
        if any(_same_start(step.invocation, one) for one in lead):
            continue
        reads, writes = streams.source(step.stdin), streams.sinks(step.stdout)
        pipes = (piped.source(step.stdin), piped.sinks(step.stdout))
        counted = _count(step, place, fetched)
        programs += (msgspec.structs.replace(one, reads=reads, writes=writes, piped=pipes) for one in counted)
    ran = {posixpath.basename(s.invocation.program) for s in found}
    return [*programs, *fetched_programs(text, ran), *_overwritten_files(text, place), *_find_killed(text, ran)]


def _find_killed(text: str, ran: Collection[str]) -> Iterator[Program]:
    """What ends a program in the background as soon as it was started."""
    pieces = [piece for piece in commands(text) if not all(map(ASSIGNMENT.match, piece.words))]
    for started, next_one in itertools.pairwise(pieces):
        if started.end == "&" and next_one.words[0] in KILLS & set(ran):
            yield Program(name=next_one.words[0], words=tuple(next_one.words[1:]))


def _sources_python(invocation: Invocation, found: Sequence[Step], place: Place) -> bool:
    """Whether a script that runs in the answer's own shell starts Python."""
    if invocation.program not in SOURCES:
        return False
    return any(s.sourced == invocation.name and starts_python(s.invocation, place) for s in found)


def _same_start(one: Invocation, other: Invocation) -> bool:
    return (one.target, _bare(one.name), one.words) == (other.target, _bare(other.name), other.words)


def _bare(name: str) -> str:
    return posixpath.normpath(name) if name else ""


def _count(step: Step, place: Place, fetched: set[str]) -> Iterator[Program]:
    """The program, where it is more than a preparation."""
    invocation = step.invocation
    called = invocation.name or invocation.program
    name = posixpath.basename(called)
    file = posixpath.normpath(posixpath.join(place.folder, invocation.folder or ".", called))
    if posixpath.basename(invocation.program) in FETCHES:
        fetched |= {posixpath.basename(w) for w in invocation.words}
    if _is_file(place.root / file):
        yield _program(invocation, place, file)
    elif _is_more(name, step) or _destroys(name, invocation, place, fetched):
        yield _program(invocation, place, "", name)


def _is_more(name: str, step: Step) -> bool:
    """Whether a program does more than prepare; a shell that is given nothing, also by standard input, and what is sourced from elsewhere do not."""
    invocation = step.invocation
    idle = posixpath.basename(invocation.program) in SHELLS and not invocation.name and step.stdin == NOTHING
    return name not in PREPARES and invocation.program not in SOURCES and not idle


def _program(invocation: Invocation, place: Place, file: str, name: str = "") -> Program:
    folder = posixpath.normpath(posixpath.join(place.folder or ".", invocation.folder or "."))
    return Program(
        file=file, name=name, words=invocation.words, folder=folder, environment=dict(invocation.environment)
    )


def _destroys(name: str, invocation: Invocation, place: Place, fetched: set[str]) -> bool:
    """Whether a preparation takes away what it did not bring, or puts something in the place of a file of the repository."""
    words = [w for w in invocation.words if not w.startswith("-")]
    if name == "sed":
        return any(_IN_PLACE.match(w) for w in invocation.words)
    if name == "chmod":
        return any(_TAKES_RIGHTS.fullmatch(w) for w in invocation.words)
    if name in REMOVES:
        recursive = any(re.match(r"-\w*[rR]|--recursive", w) for w in invocation.words)
        return recursive or not {posixpath.basename(w) for w in words} <= fetched
    if name in REVERTS:
        heads = invocation.words if name == "find" else _verb(invocation.words)
        return bool(REVERTS[name] & set(heads))
    written = words if name == "mv" else words[-1:] if name in ("cp", "ln", "tee") else []
    if name in FETCHES:
        pairs = zip(invocation.words, invocation.words[1:], strict=False)
        written = [target for flag, target in pairs if flag in ("-O", "-o", "--output", "--output-document")]
    return any(_is_own(w, invocation.folder, place) for w in written)


def _verb(words: Sequence[str]) -> Sequence[str]:
    """The subcommand of a program such as git, behind options of its own: `git -C . reset`."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _WITH_VALUE else 1
    return words[at : at + 1]


def _is_own(path: str, folder: str, place: Place) -> bool:
    return _is_file(place.root / posixpath.normpath(posixpath.join(place.folder, folder or ".", path)))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # too long a name
        return False


def _overwritten_files(text: str, place: Place) -> Iterator[Program]:
    """Files of the repository over which the answer writes."""
    for sign, target, folder in parse_command(text, prompts=False).redirections:
        if sign.lstrip("0123456789&") in (">", ">|", ">>") and target and _is_own(target, folder, place):
            yield Program(name="overwrite", words=(target,))


def kept_parents(recorded: Sequence[Recorded]) -> tuple[tuple[str, ...], ...]:
    """What started the programs that were recorded, from their parents outwards."""
    return tuple(_itself(words) for one in recorded for words in one["parents"])


def _itself(words: Sequence[str]) -> tuple[str, ...]:
    """The command line of a shell without the shell that reads the script which stands before it on the PATH."""
    before = len(words) > 1 and all(posixpath.basename(word) in SHELLS for word in words[:2])
    return tuple(words[1:] if before else words)
