"""Files of results: one that another hand wrote is never replaced."""

import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks.errors import BenchError


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """By which fields the lines of a command's own file are known."""

    lines: str
    """What they are called."""
    required: frozenset[str]
    allowed: frozenset[str] | None = None
    """None allows all others."""


PREDICTIONS = Shape(
    lines="predictions",
    required=frozenset({"github_id", "id", "output", "usage"}),
    allowed=frozenset({"github_id", "id", "output", "usage", "error", "subject"}),
)
MADE_ROWS = Shape(
    lines="rows of `bench make`", required=frozenset({"github_id", "id", "split", "why", "documented", "helps"})
)


def see_that_it_may_be_replaced(out: Path, shape: Shape) -> None:
    """BenchError where `out` is a file that holds something else than lines of this shape."""
    try:
        if not stat.S_ISREG(out.stat().st_mode):
            return  # a pipe or a device loses nothing, and writing into a folder fails by itself
        with out.open("rb") as file:
            own = all(
                _is_of(line, shape) or (number and not line.endswith(b"\n"))  # a kill cut it
                for number, line in enumerate(file)
                if line.strip()
            )
    except FileNotFoundError:
        return
    except OSError as error:
        raise BenchError(f"{out} cannot be written: {error.strerror or error}") from error
    if not own:
        raise BenchError(
            f"{out}: a file that holds something else than {shape.lines} is not replaced; name another for --out"
        )


def _is_of(line: bytes, shape: Shape) -> bool:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(row, Mapping) or not shape.required <= row.keys():
        return False
    return shape.allowed is None or row.keys() <= shape.allowed
