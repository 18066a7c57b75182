"""The notes of a watched command, judged: which programs of the repository ran, and which of them failed."""

import posixpath
import re
from collections.abc import Iterator, Sequence, Set

import msgspec

from sandbox.seen import Seen

MOST_COMMANDS = 200
MOST_LOADED = 40
_VALUED = frozenset({"-W", "-X", "--check-hash-based-pycs"})
"""Options of an interpreter that take the next word."""


_STATUS = re.compile(r"[0-9]{1,3}")
_MOST_PARTS = 100
"""Reports that are looked through for the end of a pipeline."""
_MOST_LEVELS = 200
"""Shells around a program that are asked for its status."""
_MOST_SOUGHT = 200
"""Errors of programs inside others that are looked for in what was printed."""


class _Begun(msgspec.Struct):
    """What an interpreter notes as it begins."""

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
    inside: bool = False
    ended: bool = False
    status: int = 0
    error: str = ""
    files: list[str] = []
    packages: list[str] = []
    own: bool = False
    """Whether its file is the repository's."""


class _Report(msgspec.Struct):
    """What a shell said of the commands that it had run by then."""

    step: str
    statuses: list[int]
    """`$?`, then each of PIPESTATUS, which no `!` turns round."""
    fresh: bool
    """Whether it says something else than the report before: in a pipeline a shell repeats itself."""


def judge(text: str, root: str, output: str) -> Seen:
    """What the notes say. `root` is the workspace as programs see it, `output` what the command printed."""
    runs, reports, commands = _read(text, root)
    reports_by = _Reports(reports)
    inside = dict.fromkeys(run.error for run in runs if run.inside and run.error)
    printed = frozenset(error for error in list(inside)[:_MOST_SOUGHT] if error in output)
    failed = [line for run in runs if (line := _failure(run, reports_by, printed))]
    mine = [run for run in runs if run.own or run.files]
    return Seen(
        programs=tuple(dict.fromkeys(run.name for run in mine)),
        loaded=tuple(dict.fromkeys(path for run in mine for path in run.files))[:MOST_LOADED],
        packages=tuple(dict.fromkeys(name for run in runs for name in run.packages)),
        commands=tuple(dict.fromkeys(commands))[:MOST_COMMANDS],
        failed=tuple(dict.fromkeys(failed)),
        blind=any(not run.ended and not run.own for run in runs),
    )


def _read(text: str, root: str) -> tuple[list[_Run], list[_Report], list[str]]:
    runs: list[_Run] = []
    by_process: dict[str, _Run] = {}
    reports: list[_Report] = []
    last: dict[str, str] = {}
    commands: list[str] = []
    for kind, process, rest in _lines(text):
        if kind == "P":
            by_process[process] = _python(msgspec.json.decode(rest, type=_Begun), root)
            runs.append(by_process[process])
        elif kind == "X" and process in by_process:
            _end(by_process[process], msgspec.json.decode(rest, type=_Ended))
        elif kind == "S":
            step, folder, name = [*rest.split("\t", 2), "", ""][:3]
            if path := _inside(folder, name, root):
                by_process[process] = _Run(name=path, step=step, own=True)
                runs.append(by_process[process])
        elif kind == "E" and process in by_process:
            by_process[process].ended, by_process[process].status = True, int(rest)
        elif kind == "D":
            step, said, command = [*rest.split("\t", 2), "", ""][:3]
            statuses = [int(word) for word in said.split()]
            reports.append(_Report(step, statuses, last.get(process) != said))
            last[process] = said
            commands.append(command)
    return runs, reports, commands


def _lines(text: str) -> Iterator[tuple[str, str, str]]:
    """Kind, process and the rest of each whole line; a program may have written nonsense there."""
    for line in text.split("\n"):
        kind, _, rest = line.partition("\t")
        process, tab, rest = rest.partition("\t")
        if tab and _is_sound(kind, rest):
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
    numbers = said[1].split() if len(said) > 1 else []
    return kind == "S" or (kind == "D" and bool(numbers) and all(map(_STATUS.fullmatch, numbers)))


def _python(said: _Begun, root: str) -> _Run:
    """What an interpreter was called for: a script, a module, or code on its command line."""
    words = iter(said.words[1:])
    name, own = "python", False
    for word in words:
        if word in ("-c", "-m"):
            name = f"-m {next(words, '')}" if word == "-m" else "-c"
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


def _end(run: _Run, said: _Ended) -> None:
    if said.exec:
        run.ended = True  # what it became has notes of its own
        return
    run.ended, run.status, run.error = True, said.status, said.error
    run.files, run.packages = said.files, said.names


class _Reports:
    """Reports in order, and by the step that they speak of."""

    def __init__(self, reports: Sequence[_Report]) -> None:
        self.all = reports
        self.numbers: dict[str, list[int]] = {}
        for number, report in enumerate(reports):
            self.numbers.setdefault(report.step, []).append(number)
        self._statuses: dict[tuple[str, bool], int] = {}

    def status(self, step: str, ended: bool) -> int:
        """The first bad status that is reported of a step; of a program that has noted its end only what is surely its own."""
        if (step, ended) not in self._statuses:
            self._statuses[step, ended] = self._status(step, ended)
        return self._statuses[step, ended]

    def _status(self, step: str, ended: bool) -> int:
        for number in self.numbers[step][:_MOST_PARTS]:
            report = self.all[number]
            if report.fresh and report.statuses[-1]:
                return report.statuses[-1]
            if not ended and (worst := max(report.statuses + _whole_pipeline(self.all, number))):
                return worst
        return 0


def _failure(run: _Run, reports: _Reports, printed: Set[str]) -> str:
    """One line where a program of the repository did not end well; "" where it did, or nobody can tell."""
    if not (run.own or run.files):
        return ""
    if run.inside:
        return f"{run.name} ended with {run.error}" if run.error in printed else ""
    if run.error:
        return f"{run.name} ended with {run.error}"
    if run.status:
        return f"{run.name} ended with exit status {run.status}"
    status = _by_shell(run, reports)
    return f"{run.name} ended with exit status {status}" if status else ""


def _by_shell(run: _Run, reports: _Reports) -> int:
    """The status that the nearest shell saw of it: it may have been killed, or have ended past its interpreter's own way."""
    step = run.step
    for _ in range(_MOST_LEVELS):
        if step in reports.numbers:
            return reports.status(step, run.ended)
        step = step.rpartition("/")[0]
    return 0


def _whole_pipeline(reports: Sequence[_Report], number: int) -> list[int]:
    """The statuses of a pipeline that a command was a part of, which come with a later report of its shell."""
    place, _, count = reports[number].step.rpartition(".")
    for report in reports[number + 1 : number + 1 + _MOST_PARTS]:
        other, _, later = report.step.rpartition(".")
        if other == place and later.isdigit() and count.isdigit():
            parts = len(report.statuses) - 1
            if parts > 1 and int(later) - int(count) < parts:
                return report.statuses[1:]
            if int(later) - int(count) > 8:
                break
    return []
