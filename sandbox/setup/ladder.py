"""The ways to an environment, likeliest first; each is tried whole."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta

import msgspec

from ml_agent.sandbox.contract import Version
from ml_agent.sandbox.python_history import released
from ml_agent.sandbox.setup.declared import Declared, fitting

RECENT = timedelta(days=45)
"""Of a repository's last commit: until then today's packages are those of its day."""
OLD = timedelta(days=365)
LATER = timedelta(days=365)
"""After a day: what had no wheel for a new Python then has one."""
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
    dated = day if day and date.fromisoformat(day) + RECENT < datetime.now(UTC).date() else ""
    if dated and released(first) + WHEELS_FOLLOW <= date.fromisoformat(dated):
        yield Rung(python=first, day=dated)
    others = older_pythons(declared, dated, first, pythons)
    for python in others:
        yield Rung(python=python, day=day_for(python, dated))
    if any("==" in line or "<" in line for line in declared.lines):
        older = [one for one in fitting(declared.python, pythons) if one < first and one not in others]
        yield from (Rung(python=python, day=day_for(python, dated)) for python in sorted(older, reverse=True))


def loose(rung: Rung) -> Rung:
    """The same with less of what is declared; of a year later where its Python was then too new to have wheels."""
    day = date.fromisoformat(rung.day) if rung.day else None
    if day is not None and day <= released(rung.python) + WHEELS_FOLLOW:
        day += LATER
    return Rung(python=rung.python, day=day.isoformat() if day else "", loose=True)


def day_for(python: Version, day: str) -> str:
    """The day, or the first on which there were packages for a Python."""
    return max(day, (released(python) + WHEELS_FOLLOW).isoformat()) if day else ""


def first_python(declared: Declared, current: Version, pythons: Sequence[Version]) -> Version:
    """The sandbox's own where the repository allows it, else the newest that it allows."""
    allowed = fitting(declared.python, tuple(dict.fromkeys((current, *pythons))))
    return current if current in allowed or not allowed else max(allowed)


def older_pythons(declared: Declared, day: str, first: Version, pythons: Sequence[Version]) -> list[Version]:
    """Other Pythons: the newest that the repository was tested with, and the newest whose packages were there on its day."""
    allowed = [one for one in fitting(declared.python, pythons) if one != first]
    tested = [one for one in declared.tested if one in allowed]
    found = tested[:1]
    if day:
        of_its_day = [one for one in allowed if released(one) + WHEELS_FOLLOW <= date.fromisoformat(day)]
        found += [max(of_its_day)] if of_its_day else [min(allowed)] if allowed else []
    return list(dict.fromkeys(found or ([max(allowed)] if allowed else [])))


def is_old(day: str) -> bool:
    """Whether a day, YYYY-MM-DD or none, is so long ago that libraries have changed."""
    return bool(day) and date.fromisoformat(day) + OLD < datetime.now(UTC).date()


def dated(day: str, current: Version, pythons: Sequence[Version]) -> Iterator[tuple[Version, str]]:
    """Pythons with the day of which packages are taken under them, for a repository of a day: its own, or the first of the Python."""
    if not day:
        return
    of_its_day = [one for one in (current, *pythons) if released(one) + WHEELS_FOLLOW <= date.fromisoformat(day)]
    best = max(of_its_day, default=min((current, *pythons)))
    for python in dict.fromkeys([current, best] if current in of_its_day else [best]):
        yield python, day_for(python, day)
