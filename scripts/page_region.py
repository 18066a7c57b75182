"""A part of a page that a script writes."""

import sys
from collections.abc import Callable
from pathlib import Path

ARCHITECTURE = Path(__file__).resolve().parent.parent / "docs" / "architecture.md"


def write_or_check(renewed: Callable[[str], str], path: Path = ARCHITECTURE) -> int:
    """Write the page anew; with --check only say, by 1, that it is stale."""
    page = path.read_text(encoding="utf-8")
    if "--check" in sys.argv[1:]:
        return int(renewed(page) != page)
    path.write_text(renewed(page), encoding="utf-8")
    return 0
