"""What a repository declares of its environment: requirements near the task, its own package, lock files, Pythons. Reads only."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.sandbox.contract import Version
from ml_agent.tools.bounded import read_toml
from ml_agent.tools.foreign_files import is_file, read_text
from ml_agent.tools.python_api.distributions import normalized, provides
from ml_agent.tools.python_api.requirements import (
    DeclaredRequirement,
    near_files,
    requirements_of,
    wanted_by,
    wanted_python,
)

_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock")
_TESTS = ("setup.py", "setup.cfg", "pyproject.toml", "tox.ini", ".travis.yml", "Dockerfile", "environment.yml")
_TESTED = re.compile(
    r"(?:Python :: |\bpython[\w-]{0,9}['\"]?[ ]{0,4}[:=][ ]{0,4}\[?|[\[,][ ]{0,4}|^[ ]{0,20}-[ ]{1,4}|\bpy)['\"]?3\.?(\d{1,2})\b(?!\.)",
    re.MULTILINE | re.I,
)
MAX_LOCK = 8 * 1024**2


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """What a repository says that a task needs."""

    lines: tuple[str, ...] = ()
    """Requirements of the files nearest to the task; one a distribution."""
    project: str = ""
    """The folder of the repository's own package, relative to its root; "" where there is none."""
    locked: tuple[str, ...] = ()
    """Pins of a lock file."""
    python: str = ""
    """A specifier such as `>=3.8,<3.11`; "" where nothing is said."""
    tested: tuple[Version, ...] = ()
    """Pythons that its classifiers, tests and images name, newest first."""
    others: tuple[DeclaredRequirement, ...] = ()
    """All that its files and documents ask for anywhere."""

    def provider(self, module: str) -> str:
        """The requirement that gives a module, as the repository writes it anywhere; "" where it does not."""
        return next((one.text for one in self.others if provides(one.name, module)), "")


def read_declared(root: Path, near: Path) -> Declared:
    """What is declared for a task whose script lies in `near`, a folder below `root`."""
    found: dict[str, DeclaredRequirement] = {}
    for wanted in requirements_of(near_files(root, near), root):
        found.setdefault(wanted.name, wanted)
    lock = next((place / name for place in _above(root, near) for name in _LOCKS if is_file(place / name)), None)
    folder = nearest_project(root, near)
    project = root / folder if folder else None
    return Declared(
        lines=tuple(one.text for one in found.values()),
        project=folder,
        locked=_pins_of(lock) if lock is not None else (),
        python=wanted_python(project or root) or wanted_python(root),
        tested=_tested(root, project or root),
        others=tuple(wanted_by(root, near)),
    )


def _tested(root: Path, project: Path) -> tuple[Version, ...]:
    paths = [place / name for place in dict.fromkeys([project, root]) for name in _TESTS]
    paths += sorted((root / ".github/workflows").glob("*.y*ml"))[:10]
    found = {(3, int(minor)) for path in paths for minor in _TESTED.findall(read_text(path, 200_000))}
    return tuple(sorted((one for one in found if 5 < one[1] < 30), reverse=True))


def nearest_project(root: Path, near: Path) -> str:
    """The folder of the package that something in `near` belongs to, relative to the root; "" where there is none."""
    found = next((place for place in _above(root, near) if is_project(place)), None)
    return found.relative_to(root).as_posix() if found is not None else ""


def is_project(folder: Path) -> bool:
    """Whether a folder holds a package that can be built."""
    if is_file(folder / "setup.py"):
        return True
    text = read_text(folder / "pyproject.toml")
    if re.search(r"^\[(?:project|tool\.poetry|tool\.flit\.metadata|build-system)\]", text, re.MULTILINE):
        return "package-mode = false" not in text
    return "[metadata]" in read_text(folder / "setup.cfg")


def _above(root: Path, near: Path) -> list[Path]:
    """The folders from `near` up to the root."""
    inside = near if near.is_relative_to(root) else root
    return [inside, *[place for place in inside.parents if place.is_relative_to(root)]]


def _pins_of(lock: Path) -> tuple[str, ...]:
    """Pins of all packages of a lock file that has one version of them."""
    text = read_text(lock, MAX_LOCK)
    try:
        content: Any = json.loads(text) if lock.name == "Pipfile.lock" else read_toml(text)
    except (ValueError, RecursionError):
        return ()
    if lock.name == "Pipfile.lock":
        default = content.get("default") if isinstance(content, dict) else None
        entries = [(name, one.get("version", "")) for name, one in (default or {}).items() if isinstance(one, dict)]
        return tuple(f"{name}{version}" for name, version in entries if str(version).startswith("=="))
    rows = content.get("package") or content.get("packages") or ()
    versions: dict[str, set[str]] = {}
    for row in rows if isinstance(rows, list) else ():
        named = isinstance(row, dict) and isinstance(row.get("name"), str) and isinstance(row.get("version"), str)
        source = row.get("source") if named else None
        if named and not (isinstance(source, dict) and {"editable", "virtual", "directory"} & set(source)):
            versions.setdefault(normalized(row["name"]), set()).add(row["version"])
    return tuple(f"{name}=={next(iter(found))}" for name, found in versions.items() if len(found) == 1)


def fitting(said: str, versions: Sequence[Version]) -> tuple[Version, ...]:
    """The versions that a specifier allows; all where it says nothing that can be read."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # takes long to import

    try:
        wanted = SpecifierSet(said)
    except InvalidSpecifier:
        return tuple(versions)
    return tuple(one for one in versions if any(f"{one[0]}.{one[1]}.{patch}" in wanted for patch in (0, 9, 20)))
