"""Which version of Python brought a name, a module or a syntax, and which was the last to have it."""

import sys
import tomllib
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("python_history.toml")


@cache
def history() -> dict[str, dict[str, dict[str, Any]]]:
    """The table: `since` and `until`, each with modules, names, syntax and what Python says, by version; and `released`, days."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def released(version: tuple[int, int]) -> date:
    """The day on which a version of Python came out; of one that the table does not have, the day of the nearest one."""
    days: dict[str, Any] = history()["released"]
    known = {tuple(map(int, text.split("."))): day for text, day in days.items()}
    nearest = min(max(version, min(known)), max(known))
    return date.fromisoformat(known[nearest])


def is_standard(module: str) -> bool:
    """Whether a module comes, or came once, with Python itself."""
    once = (name for table in history().values() for names in table.get("modules", {}).values() for name in names)
    return module in sys.stdlib_module_names or module in once
