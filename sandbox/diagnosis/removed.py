"""Names that newer versions of libraries removed, and the version that still has them; a table and general rules."""

import re
import tomllib
from functools import cache
from pathlib import Path

from ml_agent.sandbox.diagnosis.model import Fix, Rule, rule
from ml_agent.tools.python_api.distributions import distributions_of, is_known

TABLE = Path(__file__).with_name("removed.toml")


@cache
def removed_rules() -> tuple[Rule, ...]:
    """One rule a row of the table."""
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["removed"]
    return tuple(_row(**row) for row in rows)


def _row(pattern: str, constrain: str | list[str], python: str = "", scope: str = "final") -> Rule:
    constraints = (constrain,) if isinstance(constrain, str) else tuple(constrain)
    name = re.split(r"[<>=!~]", constraints[0])[0]
    fix = Fix(kind="constrain", arguments=constraints, python=python)
    needs = f" (Python {python})" if python else ""
    return rule(
        "removed-api",
        f"(?P<subject>{pattern})",
        f"{name} is too new for the code: {{subject}}; {' and '.join(constraints)} has it{needs}",
        fix=lambda subject: fix,
        scope=scope,
    )


def _by_date(module: str) -> Fix | None:
    top = module.partition(".")[0]
    return Fix(kind="by-date", arguments=(distributions_of(top)[0],)) if is_known(top) else None


GENERAL: tuple[Rule, ...] = (
    rule(
        "removed-api",
        r"ImportError: cannot import name '(?P<name>\w+)' from '(?P<subject>[\w.]+)' \([^)]*(?:site|dist)-packages",
        "{subject} has no {name}: the library is too new (or too old) for the code",
        fix=_by_date,
    ),
    rule(
        "removed-api",
        r"AttributeError: (?:partially initialized )?module '(?P<subject>(?!__main__)[\w.]+)' has no attribute '(?P<name>\w+)'(?! \(most likely due to a circular)",
        "{subject} has no {name}: the library is too new (or too old) for the code",
        fix=_by_date,
    ),
    rule(
        "removed-api",
        r"AttributeError: No (?P<subject>[\w.]+) attribute (?P<name>\w+)$",
        "{subject} has no {name}: the library is too new (or too old) for the code",
        fix=_by_date,
    ),
    rule(
        "removed-api",
        r"File \"[^\"]*(?:site|dist)-packages/(?P<subject>\w+)/[^\"]*\", line \d+[^\n]*\n[^\n]*\n(?:[^\n]*\n)?TypeError: (?P<name>\S+ got an unexpected keyword argument '\w+')",
        "{subject} does not take this any more: {name}",
        fix=_by_date,
        scope="any",
    ),
)
"""For what the table does not have; tried after everything that is more specific."""
