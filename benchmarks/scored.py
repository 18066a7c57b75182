"""Scores on disk: one JSON object a subject, with everything that comparing needs."""

import json
from pathlib import Path

import msgspec

from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.predictions import Usage


class ScoredRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a subject, with the texts that a report opens."""

    github_id: int
    id: int
    passed: tuple[bool, ...]
    reason: tuple[str, ...] = ()
    error_class: tuple[str, ...] = msgspec.field(default=(), name="class")
    repository: str = ""
    kind: str = ""
    usage: Usage = Usage()
    gates: tuple[bool, ...] = ()
    """Whether the published rules 1 and 2 pass each answer."""
    instruction: str = ""
    reference: str = ""
    answer: str = ""
    """The first one."""

    @property
    def key(self) -> str:
        """The row's name."""
        return f"{self.github_id}-{self.id}"

    @property
    def first(self) -> bool:
        """Whether the first answer passes."""
        return any(self.passed[:1])


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """One subject on its rows."""

    subject: str
    mode: str
    rows: tuple[ScoredRow, ...]
    left_out: tuple[object, ...] = ()
    name: str = ""
    """Of its file, without the ending; what its runs left behind lies in a folder of this name."""

    @property
    def solved(self) -> int:
        """Rows whose first answer passes."""
        return sum(row.first for row in self.rows)

    def on(self, keys: set[str]) -> "Scored":
        """Only these rows."""
        return msgspec.structs.replace(self, rows=tuple(r for r in self.rows if r.key in keys))


def load_scored(path: Path) -> Scored:
    """Read what `bench score --json` printed; BenchError where it is not that."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        data.setdefault("subject", path.stem)
        data["subject"], data["name"] = data["subject"] or path.stem, path.stem
        return msgspec.convert(data, Scored)
    except (OSError, ValueError, RecursionError, TypeError, AttributeError) as error:
        raise BenchError(f"{path}: not the output of `bench score --json` ({error})") from error


def common_rows(subjects: list[Scored]) -> set[str]:
    """The rows that all subjects have."""
    keys = [{row.key for row in s.rows} for s in subjects]
    return set.intersection(*keys) if keys else set()
