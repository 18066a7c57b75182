"""Checks every case and holds the verdict against the judge's."""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import msgspec

from ml_agent.benchmarks.check_truth.cases import Case, documented, mutated
from ml_agent.benchmarks.check_truth.judge import Ruling, judge
from ml_agent.tools.check.command import check_command
from ml_agent.tools.check.python import check_python
from ml_agent.tools.findings import Finding
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.versions import local_version

Outcome = Literal[
    "right",
    "false error",
    "false warning",
    "cannot tell",
    "refused",
    "caught",
    "warned",
    "missed",
    "untold",
    "undecided",
]


OF_DOCUMENTED: Mapping[str, Outcome] = {"error": "false error", "warning": "false warning", "unsure": "cannot tell"}
OF_BROKEN: Mapping[str, Outcome] = {"error": "caught", "warning": "warned", "unsure": "untold"}
"""What the worst finding makes of a text."""


class CheckedCase(msgspec.Struct, frozen=True, kw_only=True):
    """One case with what the check and the judge said."""

    case: Case
    findings: tuple[Finding, ...]
    ruling: Ruling

    @property
    def severities(self) -> set[str]:
        """Of what the check found; that an input is not in the repository is true of data that is fetched later."""
        return {f.severity for f in self.findings if f.severity != "warning" or f.code != "no-such-file"}

    @property
    def outcome(self) -> Outcome:
        """Of a documented text: right, false error, false warning, cannot tell, or refused by the program itself.

        Of a broken one: caught, warned, missed, untold (the check says that it cannot tell), or undecided: the program
        accepts it, or was not brought to read its words.
        """
        found = self.severities
        if not self.case.mutation:
            if self.ruling.opinion == "refused":
                return "refused"
            return next((outcome for severity, outcome in OF_DOCUMENTED.items() if severity in found), "right")
        if self.ruling.opinion != "refused":
            return "undecided"
        return next((outcome for severity, outcome in OF_BROKEN.items() if severity in found), "missed")


def run(root: Path, most: int, jobs: int, cache: Path | None = None) -> list[CheckedCase]:
    """All cases of one repository.

    Args:
        root: the repository's folder.
        most: commands of its documents; half as many Python blocks.
        jobs: programs that are run side by side.
        cache: folder of the indexes.
    """
    root = root.resolve()
    index = RepoIndex.open(root, local_version(root), cache)
    shown = documented(index, most)
    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(lambda case: _check(case, index), shown))
        sound = [one.case for one in found if one.ruling.opinion != "refused"]
        broken = [other for case in sound for other in mutated(case, index)]
        found += pool.map(lambda case: _check(case, index), broken)
    return found


def _check(case: Case, index: RepoIndex) -> CheckedCase:
    check = check_command if case.kind == "bash" else check_python
    findings: Iterable[Finding] = check(case.text, index, case.folder)
    return CheckedCase(case=case, findings=tuple(findings), ruling=judge(case))
