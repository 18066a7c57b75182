"""The shell steps of an answer beside its Python programs, as bash itself traced them."""

import itertools
import posixpath
import re
import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec

from ml_agent.benchmarks.same_call.fetched import FETCHES, fetched_programs
from ml_agent.benchmarks.same_call.model import Program
from ml_agent.benchmarks.same_call.streams import NOTHING, Streams
from ml_agent.benchmarks.same_call.trace import (
    DECLARES,
    Place,
    Step,
    Trace,
    is_of_repository,
    is_started_by,
    starts_python,
)
from ml_agent.benchmarks.same_call.values import is_there
from ml_agent.benchmarks.same_call.written import written_files
from ml_agent.benchmarks.strict import execute
from ml_agent.benchmarks.strict.bash_text import commands
from ml_agent.benchmarks.strict.reports import Recorded
from ml_agent.benchmarks.strict.tracing import SYSTEM_PATH
from ml_agent.benchmarks.strict.writable import MAKES
from ml_agent.tools.commandline.invocation import ASSIGNMENT, Invocation, read_invocation
from ml_agent.tools.launchers import PYTHON, SHELLS, SOURCES

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
LOOKS = frozenset(
    {"echo", "ls", "cat", "grep", "head", "tail", "wc", "basename", "dirname", "file", "stat", "du", "md5sum"}
)
"""Programs that show something of files, and take no code."""
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
            "push",
        }
    ),
    "pip": frozenset({"uninstall"}),
    "pip3": frozenset({"uninstall"}),
    "conda": frozenset({"remove", "uninstall"}),
    "find": frozenset({"-delete", "-fprint", "-fprintf", "-fls"}),
    "tar": frozenset({"--remove-files"}),
}
"""Words with which a program that otherwise prepares takes away, or changes, what is there."""
_IN_PLACE = re.compile(r"-[A-Za-z]*i|--in-place")
_ADDRESS = r"(?:\d+|\$|/[^/]*/)"
_SED = rf"(?:^|[;{{}}\n])\s*{_ADDRESS}?(?:,{_ADDRESS})?\s*[ewW](?:\s|$)|s([^\w\s]).*\1.*\1[gIimMp\d]*[ewW]"
_AWK = re.compile(r"system\s*\(|\|\s*(?:getline|\"|&)|\"\s*\||>\s*\"(?!/dev/)")
_CODES = {"sed": re.compile(_SED), **dict.fromkeys(("awk", "gawk", "mawk"), _AWK)}
"""Programs that show something by code of their own, and code that starts or writes something."""
_LONGEST_CODE = 400
"""Letters of such code that are looked through, which takes their cube; who only shows something needs no more."""
_TAKES_RIGHTS = re.compile(
    r"[0-7]?[0-3][0-7]{2}|0{1,3}|(?:[ugoa]*[-+=][rwxXst]*,)*(?:[ua][ugoa]*)?(?:-[rwxX]+|=[wxX]*)(?:,.*)?"
)
"""Modes of `chmod` with which the owner himself can no longer read, write or run something; `go-rwx` only shuts others out."""
_WITH_VALUE = frozenset({"-C", "-c", "--git-dir", "--work-tree", "-n", "--name", "-p", "--prefix"})


def steps(text: str, trace: Trace, place: Place, *, python_too: bool) -> list[Program]:
    """The programs of a shell answer that are no Python program which was seen.

    Args:
        text: the answer.
        trace: what bash carried out of it.
        place: where it ran.
        python_too: Python programs count here: none was seen, and their words are all that there is.
    """
    found = trace.steps
    lead = [read_invocation(list(words)) for words in place.parents if words]
    lead += [s.invocation for s in found if not s.sourced and _sources_python(s.invocation, found, place)]
    fetched: set[str] = set()
    programs = [] if python_too else list(_unseen_python(found, place))
    streams = Streams(found, place)
    piped = Streams(found, place, through_files=True)
    for step in (s for s in found if not s.sourced and not piped.is_made_anew(s)):
        if starts_python(step.invocation, place) and not python_too and not _is_pip(step.invocation):
            continue
        if any(is_started_by(shell, step) for shell in trace.shells if not shell.theirs):
            continue
        if any(_same_start(step.invocation, one) for one in lead) and _only_hands_over(step, place):
            continue
        reads, writes = streams.source(step.stdin), streams.sinks(step.stdout)
        pipes = (piped.source(step.stdin), piped.sinks(step.stdout))
        counted = _count(step, place, fetched)
        programs += (msgspec.structs.replace(one, reads=reads, writes=writes, piped=pipes) for one in counted)
    ran = {posixpath.basename(s.invocation.program) for s in found}
    for one in (text, *(shell.text for shell in trace.shells)):
        programs += [*fetched_programs(one, ran), *_find_killed(one, ran)]
    hidden = (Program(name="trace", words=(line,)) for line in trace.hidden)
    return [*programs, *hidden, *written_files(text, trace, place)]


def _unseen_python(found: Sequence[Step], place: Place) -> Iterator[Program]:
    """A program for all that Python ran past what was seen of it, such as `/usr/bin/python3 -c …`."""
    asks = ("command", "-v"), ("command", "-V")
    python = [s for s in found if not s.sourced and _is_python(s.invocation) and s.typed[:2] not in asks]
    if len(python) > place.seen:
        yield Program(name="python", words=python[-1].typed)


def _is_python(invocation: Invocation) -> bool:
    return PYTHON.match(invocation.program) is not None or posixpath.basename(invocation.program) in execute.LAUNCHERS


def _is_pip(invocation: Invocation) -> bool:
    return invocation.target == "module" and invocation.name == "pip"


def _only_hands_over(step: Step, place: Place) -> bool:
    """Whether what started a Python program is a script of the repository, or only a starter that stands before it: `xargs python …`."""
    invocation = step.invocation
    if _is_own(invocation.name or invocation.program, invocation.folder, place):
        return True
    at = next((n for n, word in enumerate(invocation.words) if PYTHON.match(word)), None)
    if at is None or invocation.target == "code":
        return False
    before = invocation.words if invocation.program == "find" else invocation.words[:at]
    return not any(_starts_more(word) for word in before if not PYTHON.match(word))


def _starts_more(word: str) -> bool:
    """Whether a word is a program of its own, or the code of one."""
    is_code = re.search(r"[\s(){};\"'`$]", word.replace("{}", "")) is not None and word != ";"
    return is_code or word == "-delete" or shutil.which(posixpath.basename(word), path=SYSTEM_PATH) is not None


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
    if _is_pip(invocation):
        invocation = msgspec.structs.replace(invocation, program="pip")
    elif invocation.target == "code" and posixpath.basename(invocation.program) in SHELLS:
        given = (invocation.name, *invocation.words)
        invocation = msgspec.structs.replace(invocation, name=invocation.program, words=given)
    called = invocation.name or invocation.program
    name = posixpath.basename(called)
    file = posixpath.normpath(posixpath.join(place.folder, invocation.folder or ".", called))
    if posixpath.basename(invocation.program) in FETCHES:
        fetched |= {posixpath.basename(w) for w in invocation.words}
    if is_of_repository(str(place.root / file), place):
        yield _program(invocation, place, file)
    elif _is_more(name, step) or _destroys(name, invocation, place, fetched):
        yield _program(invocation, place, "", name)


def _is_more(name: str, step: Step) -> bool:
    """Whether a program does more than prepare; a shell that is given nothing, also by standard input, and what is sourced from elsewhere do not."""
    invocation = step.invocation
    if name == "xargs":
        return not _only_looks(name, invocation.words)
    idle = posixpath.basename(invocation.program) in SHELLS and not invocation.name and step.stdin == NOTHING
    return name not in PREPARES and invocation.program not in SOURCES and not idle


def _only_looks(name: str, words: Sequence[str]) -> bool:
    """Whether what `find -exec` or `xargs` starts, if anything, only looks at files."""
    if name == "xargs":
        return next((word for word in words if _starts_more(word)), "echo") in LOOKS
    started = (words[at + 1 : at + 2] for at, word in enumerate(words) if re.fullmatch(r"-(exec|ok)(dir)?", word))
    return name != "find" or all(set(one) <= LOOKS for one in started)


def _program(invocation: Invocation, place: Place, file: str, name: str = "") -> Program:
    folder = posixpath.normpath(posixpath.join(place.folder or ".", invocation.folder or "."))
    return Program(
        file=file, name=name, words=invocation.words, folder=folder, environment=dict(invocation.environment)
    )


def _destroys(name: str, invocation: Invocation, place: Place, fetched: set[str]) -> bool:
    """Whether a preparation takes away what it did not bring, or puts something in the place of a file of the repository."""
    words = [w for w in invocation.words if not w.startswith("-")]
    if name in _CODES:
        return any(len(w) > _LONGEST_CODE or _IN_PLACE.match(w) or _CODES[name].search(w) for w in invocation.words)
    if name == "chmod":
        return any(_TAKES_RIGHTS.fullmatch(w) for w in invocation.words)
    if name in REMOVES:
        recursive = any(re.match(r"-\w*[rR]|--recursive", w) for w in invocation.words)
        return recursive or not {posixpath.basename(w) for w in words} <= fetched
    if name in REVERTS:
        heads = invocation.words if name in ("find", "tar") else _verb(invocation.words)
        return bool(REVERTS[name] & set(heads)) or not _only_looks(name, invocation.words)
    written = words if name == "tee" else words[-1:] if name in ("cp", "ln", "mv") else []
    if name in ("cp", "ln", "mv"):
        written += [posixpath.join(a, posixpath.basename(b)) for a, b in itertools.permutations(words, 2)]
    if name == "mv" and any(is_there(_place_of(w, invocation.folder, place)) for w in words[:-1]):
        return True
    if name in FETCHES:
        pairs = zip(invocation.words, invocation.words[1:], strict=False)
        written = [target for flag, target in pairs if flag in ("-O", "-o", "--output", "--output-document")]
    return any(_is_own(w, invocation.folder, place) for w in written)


def _verb(words: Sequence[str]) -> Sequence[str]:
    """The subcommand of a program such as git, behind options of its own: `git -C . reset`; of `conda env remove` both words."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _WITH_VALUE else 1
    return words[at : at + (2 if words[at : at + 1] == ("env",) else 1)]


def _is_own(path: str, folder: str, place: Place) -> bool:
    return is_of_repository(str(_place_of(path, folder, place)), place)


def _place_of(path: str, folder: str, place: Place) -> Path:
    return place.root / posixpath.normpath(posixpath.join(place.folder, folder or ".", path))


def kept_parents(recorded: Sequence[Recorded]) -> tuple[tuple[str, ...], ...]:
    """What started the programs that were recorded, from their parents outwards."""
    return tuple(_itself(words) for one in recorded for words in one["parents"])


def _itself(words: Sequence[str]) -> tuple[str, ...]:
    """The command line of a shell without the shell that reads the script which stands before it on the PATH."""
    before = len(words) > 2 and words[1] == "-p" and all(posixpath.basename(w) in SHELLS for w in (words[0], words[2]))
    return tuple(words[2:] if before else words)
