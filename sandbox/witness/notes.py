"""The notes of a watched command, judged: which programs of the repository ran, and which of them failed.

A command's last status says little: `python train.py || true` ends well whatever became of train.py. So each shell (`watch.py`) and each Python
interpreter (`hook.py`) writes lines of notes, by tabs KIND, PROCESS and the rest:

    D  a shell is about to run a command: its step, `$!`, the statuses of the pipeline before, the command
    S  a shell began: its step, folder, script      P  an interpreter began: its step, folder, words (JSON)
    E  a shell or its child ended with a status     X  an interpreter ended: status, error, what it had loaded (JSON)

A step names the command of a shell (`100.3`: the third of process 100; `100.3/117.2`: the second of a shell that it started). `judge` takes
the notes and gives `Seen`: a program's own word counts first, else what its shell saw of it (`Reports.status`), which must be found among the
statuses of a pipeline. Programs can write notes, too: whatever they hold, judging ends soon and nothing but the verdict can be wrong.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence, Set
from itertools import islice
from signal import SIGINT, SIGPIPE, SIGTERM

import msgspec

from ml_agent.sandbox.contract import Seen

_MOST_PARTS = 100
"""Commands of a pipeline that are looked through."""
_STEP = re.compile(r"(?:[0-9]{1,10}\.[0-9]{1,6}/){0,50}[0-9]{1,10}\.[0-9]{1,6}")
_NO_FAILURE = frozenset({0, 128 + SIGPIPE})
_MOST_STEPS = 5_000_000
"""Reports that are looked at for all questions together; a program that spoils the notes cannot make it last."""
_ASSIGNED = re.compile(r"\s*[A-Za-z_]\w*(?:\[[^]]*\])?\+?=")
_SUBSTITUTION = re.compile(r"\$\(|`|[<>]\(")


class Report(msgspec.Struct, kw_only=True):
    """What a shell says before each of its commands, and at its end."""

    line: int
    """Of the notes."""
    process: str
    step: str
    """The command that it began before."""
    statuses: list[int]
    """`$?`, then each of PIPESTATUS, which no `!` turns round."""
    background: str
    """`$!`: another one since a command began says that it went into the background."""
    command: str
    """The one that begins."""
    is_new: bool = True
    """Whether the statuses are others than in the report before: while a pipeline begins a shell repeats itself."""
    substitutes: bool = False
    """Whether the command has a substitution."""
    assigns: bool = False
    """Whether it begins as an assignment, which has the status of what it substitutes."""

    def __post_init__(self) -> None:
        """Look at the command once."""
        self.assigns = bool(_ASSIGNED.match(self.command))
        self.substitutes = bool(_SUBSTITUTION.search(self.command))


class ShellStatus(msgspec.Struct, frozen=True):
    """The status that a shell saw."""

    status: int
    is_last: bool
    """Whether it is that of the whole pipeline."""


class Reports:
    """Reports by shell, and shells by the command after which they were forked."""

    def __init__(self, reports: Sequence[Report], programs: frozenset[str]) -> None:
        """`programs` are shells that began as programs of their own, not as parts of another shell."""
        self._by_shell: dict[str, list[Report]] = {}
        self._forked: dict[str, list[Report]] = {}
        self._left = _MOST_STEPS
        self._longest = min(_MOST_PARTS, max((len(report.statuses) - 1 for report in reports), default=0))
        shells: dict[str, str] = {}
        for report in reports:
            shell = shells.get(report.process, "")
            if not shell or report.step != f"{shell}.{len(self._by_shell[shell])}":
                shell = f"{report.step}/{report.process}".lstrip("/")
                shells[report.process] = shell
                if report.process not in programs:
                    self._forked.setdefault(report.step, []).append(report)
                self._by_shell[shell] = []
            known = self._by_shell[shell]
            report.is_new = not known or known[-1].statuses != report.statuses
            known.append(report)

    @property
    def is_spent(self) -> bool:
        """Whether more was asked than can be looked at; only notes that a program spoilt ask so much."""
        return self._left < 0

    def commands(self) -> Iterator[str]:
        """The simple commands of all shells, each once, without those that are known to have failed."""
        known: set[str] = set()
        for shell, reports in self._by_shell.items():
            for number, report in enumerate(reports, 1):
                if report.command in known or report.command.startswith("__ml_agent_"):
                    continue
                seen = self.status(f"{shell}.{number}", report.line, ended=False)
                if self.is_spent:
                    return
                if seen is None or seen.status in _NO_FAILURE:
                    known.add(report.command)
                    yield report.command

    def followed(self, step: str) -> tuple[str, tuple[str, str]]:
        """The command after a step in the same shell, and the words of both; "" where there is none."""
        shell, _, number = step.rpartition(".")
        both = self._by_shell.get(shell, [])[int(number) - 1 : int(number) + 1] if _STEP.fullmatch(step) else []
        return (f"{shell}.{int(number) + 1}", (both[0].command, both[1].command)) if len(both) == 2 else ("", ("", ""))

    def status(self, step: str, line: int, *, ended: bool) -> ShellStatus | None:
        """What became of the command `step`, from the reports after a line of the notes; None where no shell can tell.

        That is the line where the program ended; where it never said so, the one where it began.
        """
        below = ""
        while not self.is_spent and _STEP.fullmatch(step):
            shell, _, number = step.rpartition(".")
            reports = self._by_shell.get(shell, [])
            if not 0 < int(number) <= len(reports):
                return None
            near = reports[int(number) : int(number) + self._longest]
            self._left -= 1 + len(near)
            found = list(_about(near, line))
            if found:
                first = found[0] if ended else next((one for one in found if one.is_new), found[-1])
                return self._in_pipeline(step, first, below)
            if len(reports) > int(number):
                return None
            step, _, below = shell.rpartition("/")
        return None

    def _in_pipeline(self, step: str, report: Report, below: str) -> ShellStatus | None:
        """The status of one part: simple commands have numbers, a loop or a group in a pipeline is a shell of its own."""
        shell, _, number = step.rpartition(".")
        reports, first = self._by_shell[shell], int(number)
        last = int(report.step.rpartition(".")[2])
        if reports[first - 1].background != report.background:
            return None
        sure = unsure = 0
        for at in range(first, last + 1):
            start = reports[at - 1]
            many = self._forked.get(f"{shell}.{at}", [])[:_MOST_PARTS]
            self._left -= len(many)
            for forked in many:
                is_later = not below or at > first or int(forked.process) > int(below)
                if is_later and forked.line < report.line and forked.command != start.command:
                    unsure, sure = (unsure + 1, sure) if start.substitutes else (unsure, sure + 1)
        end = len(report.statuses) - 1
        places = [end - (last - first) - sure - more for more in range(unsure + 1)]
        seen = [report.statuses[place] for place in places if place > 0]
        is_of_another = below and first == last and reports[first - 1].substitutes and not reports[first - 1].assigns
        if not seen or (0 in seen and any(seen)) or (is_of_another and any(seen)):
            return None
        return ShellStatus(max(seen), places[0] == end)


def _about(reports: Sequence[Report], line: int) -> Iterator[Report]:
    """Of the reports behind a command those after a line that may speak of it: its pipeline is as long as the way back to it."""
    for way, report in enumerate(reports):
        if report.line > line and way < len(report.statuses) - 1:
            yield report


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
_SPENT = "the record of what ran is too complex to be judged"
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
