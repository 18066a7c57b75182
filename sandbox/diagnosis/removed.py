"""Names, modules and syntax that other versions of libraries and of Python have: by tables, and by general rules."""

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ml_agent.sandbox.diagnosis.model import Fix, Rule, rule
from ml_agent.sandbox.python_history import history
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
        r"ImportError: cannot import name '(?P<name>\w+)' from '(?P<subject>[\w.]+)' \([^)]*(?:site|dist)-packages"
        r"|AttributeError: (?:(?:partially initialized )?module '|No )(?P<other>(?!__main__)[\w.]+)"
        r"(?:' has no attribute '| attribute )(?P<lacks>\w+)(?:'(?! \(most likely due to a circular)|$)",
        "{subject} has no {name}{lacks}: the library is too new (or too old) for the code",
        fix=_by_date,
    ),
    rule(
        "removed-api",
        r"File \"[^\"]*(?:site|dist)-packages/(?P<subject>\w+)/[^\"]*\", line \d+[^\n]*\n[^\n]*\n(?:[^\n]*\n)?TypeError: (?P<name>\S+ got an unexpected keyword argument '\w+')",
        "{subject} no longer accepts this: {name}",
        fix=_by_date,
        scope="any",
    ),
)
"""For what the table does not have; tried after everything that is more specific."""

_AFTER_LINE = r"\n(?:[ \t~^]*\n)?SyntaxError: (?P<said>[^\n]+)"


def python(version: str) -> Callable[[str], Fix]:
    """The fix that takes another Python: `>=3.12`, or `<=3.9`."""
    return lambda subject: Fix(kind="python", arguments=(version,))


@cache
def version_rules() -> tuple[Rule, ...]:
    """The rules of the table; those that look at what was removed come first."""
    table = history()
    return (*_rules(table["until"], "<=", "was the last to have it"), *_rules(table["since"], ">=", "brought it"))


def _rules(table: dict[str, Any], sign: str, why: str) -> Iterator[Rule]:
    for version, modules in table.get("modules", {}).items():
        yield _rule(f"{sign}{version}", f"No module named '(?P<subject>{_any(modules)})'", why)
    for version, names in table.get("names", {}).items():
        for module, attributes in names.items():
            yield _rule(f"{sign}{version}", _missing_name(module, attributes), why)
    for version, lines in table.get("said", {}).items():
        yield _rule(f"{sign}{version}", f"(?P<subject>{'|'.join(lines)})", why)
    for version, lines in table.get("syntax", {}).items():
        code = "|".join(lines)
        yield _rule(f"{sign}{version}", rf"\n[ \t]*(?P<subject>{code}){_AFTER_LINE}", why, syntax=True)


def _rule(version: str, pattern: str, why: str, syntax: bool = False) -> Rule:
    return rule(
        "wrong-python",
        pattern,
        f"the code needs another Python version: {{said}} {{line}}; Python {version[2:]} {why}",
        fix=python(version),
        scope="any" if syntax else "final",
    )


def _missing_name(module: str, names: Sequence[str]) -> str:
    if module == "builtins":
        return f"name '(?P<subject>{_any(names)})' is not defined"
    where = re.escape(module)
    imported = f"cannot import name '(?P<subject>{_any(names)})' from '{where}'"
    return f"{imported}|module '{where}' has no attribute '(?P<other>{_any(names)})'"


def _any(names: Sequence[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, names))})"
