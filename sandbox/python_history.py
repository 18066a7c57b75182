"""Which version of Python brought a name, a module or a syntax, and which was the last to have it."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("python_history.toml")


@cache
def history() -> dict[str, dict[str, dict[str, Any]]]:
    """The table: `since` and `until`, each with modules, names, syntax and what Python says, by version."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


@cache
def former_modules() -> frozenset[str]:
    """Modules that were once in the standard library; an index may have something else of their name."""
    return frozenset(name for names in history()["until"]["modules"].values() for name in names)
