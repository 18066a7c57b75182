"""Which Debian package has a shared library, a program or a header: the table, and what a build says that it lacks."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("system.toml").read_text(encoding="utf-8"))


def library_packages(library: str) -> tuple[str, ...]:
    """Packages with a library, by its file name or common name; none where it is not known."""
    known = _table()["libraries"].items()
    return tuple(next((packages for pattern, packages in known if re.search(pattern, library)), ()))


def program_packages(program: str) -> tuple[str, ...]:
    """Packages with a program; none where it is not known or cannot be had from Debian."""
    target, _, plain = program.rpartition("-linux-gnu-")
    same = [plain] if plain in _table()["same_name"] else []
    found = _table()["programs"].get(plain, same)
    return (*found, "python3-dev") if target and found else tuple(found)


def ready_made() -> tuple[str, ...]:
    """Distributions of which another version that comes ready is taken rather than one built from source."""
    return tuple(_table()["ready_made"])


_LACKED = (
    re.compile(r"fatal error: (?P<header>[\w./+-]+): No such file|cannot find -l(?P<library>[\w+-]+)"),
    re.compile(r"(?:unable to execute|command|No such file or directory:|Could not find|Could NOT find) '?(?P<program>[\w+-]*(?:gcc|g\+\+|cc|cmake|make|ninja|swig|cargo|rustc|gfortran|pkg-config|git))'?"),
    re.compile(r"(?<![\w+-])(?P<other>[\w+-]*(?:gcc|g\+\+|cmake|make|ninja|swig|cargo|gfortran|git)): (?:(?:command )?not found|No such file)"),
    re.compile(r"(?i:\b(?P<said>cmake|ninja|swig|cargo|gfortran|pkg-config|git)(?: executable)? (?:must be installed|is required|is not installed|not found))"),
    re.compile(r"(?P<cmake>CMAKE_\w+_COMPILER not set|No CMAKE_\w+_COMPILER could be found|CMAKE_MAKE_PROGRAM is not set)"),
)  # fmt: skip
LACKS = re.compile("|".join(re.sub(r"\?P<\w+>", "?:", pattern.pattern) for pattern in _LACKED))
"""Lines in which a build says that it lacks a program or a header."""


def packages_for(said: str) -> tuple[str, ...]:
    """Debian packages with what a build says that it lacks."""
    for pattern in _LACKED:
        match = pattern.search(said)
        if match is None:
            continue
        groups = match.groupdict()
        if header := groups.get("header") or groups.get("library"):
            known = (packages for start, packages in _table()["headers"].items() if header.startswith(start))
            name = re.sub(r"[^a-z0-9+]", "", re.split("[/.]", header.lower())[0])
            return tuple(next(known, [f"lib{name}-dev"]))
        named = groups.get("program") or groups.get("other") or (groups.get("said") or "").lower()
        return program_packages("x86_64-linux-gnu-gcc" if groups.get("cmake") else named)
    return ()
