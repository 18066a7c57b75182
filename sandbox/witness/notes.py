"""The notes of a watched command, judged: which programs of the repository ran, and which of them failed."""

import posixpath
import re
from collections.abc import Iterator, Sequence, Set
from itertools import islice
from signal import SIGINT, SIGPIPE, SIGTERM

import msgspec

from ml_agent.sandbox.seen import Seen
from ml_agent.sandbox.witness.statuses import Report, Reports

MOST_COMMANDS = 200
MOST_LOADED = 40
_VALUED = frozenset({"-W", "-X", "--check-hash-based-pycs"})
"""Options of an interpreter that take the next word."""


_STATUS = re.compile(r"[0-9]{1,3}")
_PROCESS = re.compile(r"[0-9]{1,10}")
_BLANK = re.compile(r"\\\n|\s+")
"""Bash writes a command with blanks of its own."""
_MOST_JUDGED = 5000
"""Programs of which it is asked how they ended."""
_MOST_LETTERS = 2000
"""Of a command; a shell notes no more."""
_SPENT = "the notes of what ran are too tangled to be judged"
_MOST_SOUGHT = 200
"""Errors of programs inside others that are looked for in what was printed."""


class _Begun(msgspec.Struct):
    """What an interpreter notes as it begins."""

    own: bool = False
    step: str = ""
    inside: bool = False
    folder: str = ""
    words: list[str] = []


class _Ended(msgspec.Struct):
    """What it notes at its end."""

    status: int = 0
    error: str = ""
    files: list[str] = []
    names: list[str] = []
    exec: bool = False


class _Run(msgspec.Struct, kw_only=True):
    """One program."""

    name: str
    step: str
    began: int = 0
    """The line of the notes where it began."""
    line: int = 0
    """Of the notes: where it ended, or began where it never said that it ended."""
    inside: bool = False
    is_shell: bool = False
    ended: bool = False
    status: int = 0
    error: str = ""
    files: list[str] = []
    packages: list[str] = []
    own: bool = False
    """Whether its file is the repository's."""


def judge(text: str, root: str, output: str, command: str = "") -> Seen:
    """What the notes say. `root` is the workspace as programs see it, `output` what the command printed."""
    runs, reports = _read(text, root)
    inside = dict.fromkeys(run.error for run in runs if run.inside and run.error)
    printed = frozenset(error for error in list(inside)[:_MOST_SOUGHT] if error in output)
    mine = [run for run in runs if run.own or run.files]
    ends = [(run, _failure(run, reports, printed)) for run in mine[:_MOST_JUDGED]]
    ends = [(run, "" if failure and _is_done_again(run, ends, reports, command) else failure) for run, failure in ends]
    last = max((run.began for run, failure in ends if run.ended and not failure), default=-1)
    failed = [failure for run, failure in ends if failure and not (run.began < last and _is_served(run, failure))]
    failed += [_SPENT] if reports.is_spent else []
    return Seen(
        programs=tuple(dict.fromkeys(run.name for run in mine)),
        loaded=tuple(dict.fromkeys(path for run in mine for path in run.files))[:MOST_LOADED],
        packages=tuple(dict.fromkeys(name for run in runs for name in run.packages)),
        commands=tuple(islice(reports.commands(), MOST_COMMANDS)),
        failed=tuple(dict.fromkeys(failed)),
        blind=any(not run.ended and not run.own for run in runs),
    )


def _read(text: str, root: str) -> tuple[list[_Run], Reports]:
    runs: list[_Run] = []
    by_process: dict[str, _Run] = {}
    reports: list[Report] = []
    shells: set[str] = set()
    for line, (kind, process, rest) in enumerate(_lines(text)):
        if kind == "D":
            reports.append(_report(line, process, rest))
        elif kind == "X" and process in by_process:
            _end(by_process[process], msgspec.json.decode(rest, type=_Ended), line)
        elif kind == "E" and process in by_process:
            known = by_process[process]
            known.ended, known.status = True, known.status or int(rest)
        elif kind in ("P", "S"):
            shells |= {process} if kind == "S" else set()
            run = _python(msgspec.json.decode(rest, type=_Begun), root) if kind == "P" else _script(rest, root)
            if run is not None:
                run.began, run.line, by_process[process] = line, line, run
                runs.append(run)
    return runs, Reports(reports, frozenset(shells))


def _report(line: int, process: str, rest: str) -> Report:
    step, background, said, command = [*rest.split("\t", 3), "", "", ""][:4]
    statuses = [int(word) for word in said.split()]
    command = command[:_MOST_LETTERS]
    return Report(line=line, process=process, step=step, statuses=statuses, background=background, command=command)


def _script(rest: str, root: str) -> _Run | None:
    """A script of the repository that a shell runs."""
    step, folder, name = [*rest.split("\t", 2), "", ""][:3]
    path = _inside(folder, name, root)
    return _Run(name=path, step=step, own=True, is_shell=True) if path else None


def _lines(text: str) -> Iterator[tuple[str, str, str]]:
    """Kind, process and the rest of each whole line; a program may have written nonsense there."""
    for line in text.split("\n"):
        kind, _, rest = line.partition("\t")
        process, tab, rest = rest.partition("\t")
        if tab and _PROCESS.fullmatch(process) and _is_sound(kind, rest):
            yield kind, process, rest


def _is_sound(kind: str, rest: str) -> bool:
    if kind in ("P", "X"):
        try:
            msgspec.json.decode(rest, type=_Begun if kind == "P" else _Ended)
        except (msgspec.DecodeError, RecursionError):
            return False
        return True
    if kind == "E":
        return bool(_STATUS.fullmatch(rest))
    said = rest.split("\t")
    numbers = said[2].split() if len(said) > 2 else []
    return kind == "S" or (kind == "D" and bool(numbers) and all(map(_STATUS.fullmatch, numbers)))


def _python(said: _Begun, root: str) -> _Run:
    """What an interpreter was called for: a script, a module, or code on its command line."""
    words = iter(said.words[1:])
    name, own = "python", False
    for word in words:
        if word in ("-c", "-m"):
            name, own = (f"-m {next(words, '')}", said.own) if word == "-m" else ("-c", False)
            break
        if word in _VALUED:
            next(words, "")
        elif not word.startswith("-"):
            path = _inside(said.folder, word, root)
            name, own = path or posixpath.basename(word), bool(path)
            break
    return _Run(name=name, step=said.step, inside=said.inside, own=own)


def _inside(folder: str, name: str, root: str) -> str:
    """A path from the repository's root; "" for what lies elsewhere."""
    path = posixpath.normpath(posixpath.join(folder, name))
    is_file = "/" in name or "." in name
    return posixpath.relpath(path, root) if is_file and path.startswith(f"{root}/") else ""


def _end(run: _Run, said: _Ended, line: int) -> None:
    run.ended, run.line = True, line
    if not said.exec:  # what it became has notes of its own
        run.status, run.error = said.status, said.error
        run.files, run.packages = said.files, said.names


_ENDED_BY_OTHERS = frozenset({128 + SIGINT, 128 + SIGTERM})
NOT_ENDED = "had not ended when the command ended"


def _is_served(run: _Run, failure: str) -> bool:
    """Whether a program may have been meant to go on until others are done, as a server is: it was left running, or ended from outside."""
    return failure.endswith(NOT_ENDED) or run.status in _ENDED_BY_OTHERS


def _is_done_again(run: _Run, ends: Sequence[tuple[_Run, str]], reports: Reports, command: str) -> bool:
    """Whether a command says what is to be done where a program fails, `P --resume || P`, and that started the same program, which ended well."""
    step, pair = reports.followed(run.step)
    if not step or _BLANK.sub("", "||".join(pair)) not in _BLANK.sub("", command):
        return False
    later = [failure for other, failure in ends if (other.step, other.name) == (step, run.name)]
    return bool(later) and not any(later)


def _failure(run: _Run, reports: Reports, printed: Set[str]) -> str:
    """One line where a program of the repository did not end well; "" where it did, or nobody can tell."""
    if run.inside:
        return f"{run.name} ended with {run.error}" if run.error in printed else ""
    if run.error:
        return f"{run.name} ended with {run.error}"
    if run.status:
        return f"{run.name} ended with exit status {run.status}"
    seen = reports.status(run.step, run.line, ended=run.ended)
    if seen is None:
        return "" if run.ended or run.is_shell else f"{run.name} {NOT_ENDED}"
    is_meant = seen.is_last or (not run.ended and seen.status != 128 + SIGPIPE)
    return f"{run.name} ended with exit status {seen.status}" if seen.status and is_meant else ""
