"""Rules for names, modules and syntax that only some versions of Python have."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from ml_agent.sandbox.diagnosis.model import Fix, Rule, rule
from ml_agent.sandbox.python_history import history

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
        f"the code is for another Python: {{said}} {{line}}; Python {version[2:]} {why}",
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
