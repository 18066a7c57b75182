"""What Python programs of an answer report, and what else is left in the folder that is lent to it.

The answer's programs can write there as well: nothing is read through a link, waited for, or taken for more than it is.
"""

from pathlib import Path

import msgspec

from ml_agent.benchmarks.observation.model import Report
from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.sandbox.held_folder import held_folder
from ml_agent.sandbox.inner_path import safe_relative

REPORTS = "reports.jsonl"
FILE_BLOCKS = 20_000
"""How large a file a program may write, as `ulimit -f` counts."""
MOST_BYTES = FILE_BLOCKS * 1024
MOST_REPORTS = 2000
DEEPEST = 60
"""Levels of what is recorded; ours have fewer."""
SPOILT = "spoilt-report"


def read_reports(place: Path) -> tuple[Report, ...]:
    """The reports in the order in which the programs ended."""
    lines = read_left(place, REPORTS).split("\n")[: MOST_REPORTS + 1]
    return tuple(read_report(line.encode()) for line in lines if line.strip())


def read_report(line: bytes) -> Report:
    """The report that a line holds; what is none of ours is a failed program."""
    try:
        report = msgspec.json.decode(line, type=Report)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return Report(outcome="failed", code=SPOILT, message=f"a report cannot be read: {error}")
    too_deep = Report(outcome="failed", code=SPOILT, message="a report is too deep")
    return too_deep if _is_deep(msgspec.to_builtins(report.recorded)) else report


def _is_deep(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(DEEPEST):
        parts = (list(one.values()) if isinstance(one, dict) else one for one in level)
        level = [part for several in parts if isinstance(several, (list, tuple)) for part in several]
    return bool(level)


def read_left(place: Path, name: str) -> str:
    """The text of a file that the programs could write; "" where there is no regular file."""
    try:
        with held_folder(place) as folder:
            return folder.read(safe_relative(name), MOST_BYTES).decode(errors="replace")
    except (FileNotFoundError, SandboxLostError):
        return ""
