"""Which status a shell saw of a program that it started: of a pipeline it says all at once, in order, when the last has ended."""

import re
from collections.abc import Iterator, Sequence
from signal import SIGPIPE

import msgspec

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
                if report.command in known:
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
