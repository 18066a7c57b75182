"""The repair that takes libraries as they were when a repository was written: which day, and which Python."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta

from ml_agent.sandbox.abilities import Version
from ml_agent.sandbox.python_history import released
from ml_agent.sandbox.repair import Repair

OLD = timedelta(days=365)
"""Of a repository's last commit: what fails since then for no reason that is known may be its libraries."""
WHEELS_FOLLOW = timedelta(days=180)
"""After a Python came out."""


def as_of(day: str, current: Version, pythons: Sequence[Version]) -> Iterator[Repair]:
    """Libraries of that day, YYYY-MM-DD, under a Python of that time; of the first day of the Python where only newer ones are there."""
    if not day:
        return
    python = _python_of(date.fromisoformat(day), current, pythons)
    since = max(day, released(python).isoformat())
    text = ".".join(map(str, python))
    under = f", Python {text}" if python != current else ""
    first = f" (of {day[:7]} is the repository, of {since[:7]} Python {text})" if since > day else ""
    yield Repair(kind="by-date", arguments=(since, text), why=f"libraries as of {since[:7]}{under}{first}")


def is_old(day: str) -> bool:
    """Whether a day, YYYY-MM-DD or none, is so long ago that libraries have changed."""
    return bool(day) and date.fromisoformat(day) + OLD < datetime.now(UTC).date()


def _python_of(day: date, current: Version, pythons: Sequence[Version]) -> Version:
    """The current one where its libraries were there, else the newest for which they were, else the oldest."""
    fitting = [version for version in (current, *pythons) if released(version) + WHEELS_FOLLOW <= day]
    if not fitting:
        return min((current, *pythons))
    return current if current in fitting else max(fitting)
