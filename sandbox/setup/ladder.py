"""The ways to an environment, likeliest first; each is tried whole."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta

import msgspec

from ml_agent.sandbox.contract import Version
from ml_agent.sandbox.python_history import released
from ml_agent.sandbox.setup.declared import Declared, fitting

RECENT = timedelta(days=45)
"""Of a repository's last commit: until then today's packages are those of its day."""
YEAR = timedelta(days=365)
"""After so long libraries have changed, and what had no wheel for a new Python has one."""
WHEELS_FOLLOW = timedelta(days=180)
"""After a Python came out."""


class Rung(msgspec.Struct, frozen=True, kw_only=True):
    """One way."""

    python: Version
    day: str = ""
    """Nothing newer than this is taken; "" takes today's."""
    locked: bool = False
    """In the versions of the lock file."""
    loose: bool = False
    """Exact pins that cannot be had are given up, one by one."""

    @property
    def said(self) -> str:
        """One line for a person."""
        what = "as the lock file says" if self.locked else "as declared"
        more = [
            f"packages of {self.day}" if self.day else "",
            "pins loosened where that version is not available" if self.loose else "",
        ]
        return ", ".join(filter(None, [what, f"Python {self.python[0]}.{self.python[1]}", *more]))


def rungs(declared: Declared, day: str, current: Version, pythons: Sequence[Version]) -> Iterator[Rung]:
    """The ways for a repository whose last commit is of `day` (YYYY-MM-DD or ""), with the Pythons that are there.

    Another Python comes before other versions than those that are declared: what has no wheel for one has it for another.
    """
    first = first_python(declared, current, pythons)
    if declared.locked:
        yield Rung(python=first, locked=True)
    yield Rung(python=first)
    dated = day if is_old(day, RECENT) else ""
    if dated and released(first) + WHEELS_FOLLOW <= date.fromisoformat(dated):
        yield Rung(python=first, day=dated)
    allowed = [one for one in fitting(declared.python, pythons) if one != first]
    pinned = any("==" in line or "<" in line for line in declared.lines)
    older = sorted((one for one in allowed if one < first), reverse=True) if pinned else []
    tested = [one for one in declared.tested if one in allowed]
    for python in dict.fromkeys(filter(None, [*tested[:1], of_its_day(dated, allowed), *older])):
        yield Rung(python=python, day=day_for(python, dated))


def loose(rung: Rung) -> Rung:
    """The same with less of what is declared; of a year later where its Python was then too new to have wheels."""
    day = date.fromisoformat(rung.day) if rung.day else None
    if day is not None and day <= released(rung.python) + WHEELS_FOLLOW:
        day += YEAR
    return Rung(python=rung.python, day=day.isoformat() if day else "", loose=True)


def day_for(python: Version, day: str) -> str:
    """The day, or the first on which there were packages for a Python."""
    return max(day, (released(python) + WHEELS_FOLLOW).isoformat()) if day else ""


def first_python(declared: Declared, current: Version, pythons: Sequence[Version]) -> Version:
    """The sandbox's own where the repository allows it, else the newest that it allows."""
    allowed = fitting(declared.python, tuple(dict.fromkeys((current, *pythons))))
    return current if current in allowed or not allowed else max(allowed)


def of_its_day(day: str, pythons: Sequence[Version]) -> Version | None:
    """The newest Python whose packages were there on a day, else the oldest; None where there is none."""
    there = [one for one in pythons if not day or released(one) + WHEELS_FOLLOW <= date.fromisoformat(day)]
    return max(there) if there else min(pythons, default=None)


def is_old(day: str, after: timedelta = YEAR) -> bool:
    """Whether a day, YYYY-MM-DD or none, is so long ago that libraries have changed."""
    return bool(day) and date.fromisoformat(day) + after < datetime.now(UTC).date()
