"""The Python interpreters of this machine that a sandbox may build an environment with; never ML-Agent's own environment."""

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import msgspec

VERSIONS = tuple((3, minor) for minor in range(14, 5, -1))
_ASK = (
    "import sys, importlib.util as u; print(sys.version_info[0], sys.version_info[1]); print(sys.base_prefix);"
    "print(int(bool(u.find_spec('venv') and u.find_spec('ensurepip'))))"
)


class Interpreter(msgspec.Struct, frozen=True, kw_only=True):
    """One Python of the host."""

    version: tuple[int, int]
    executable: Path
    prefix: Path
    """The folder that holds it and its standard library."""


@cache
def find_interpreters() -> tuple[Interpreter, ...]:
    """All that can make environments: ML-Agent's base interpreter first, then others, newest first, one a version."""
    own = Path(getattr(sys, "_base_executable", sys.executable))
    found: dict[tuple[int, int], Interpreter] = {}
    for path in [own, *_candidates()]:
        interpreter = _ask(path)
        if interpreter is not None:
            found.setdefault(interpreter.version, interpreter)
    return tuple(found.values())


def pick_interpreter(wanted: tuple[int, int] | None = None) -> Interpreter | None:
    """The interpreter of the wanted version, or the default one; None where there is none."""
    if wanted is None:
        own = _ask(Path(getattr(sys, "_base_executable", sys.executable)))
        if own is not None:
            return own
    return next((i for i in find_interpreters() if wanted in (None, i.version)), None)


def _candidates() -> list[Path]:
    names = [f"python{major}.{minor}" for major, minor in VERSIONS]
    on_path = [Path(place) for name in names if (place := shutil.which(name))]
    system = [Path("/usr/bin") / name for name in [*names, "python3"]]
    homes = [Path.home() / ".pyenv/versions", Path.home() / ".local/share/uv/python"]
    managed = [path for home in homes for path in sorted(home.glob("*/bin/python3.*"), reverse=True)]
    return [path for path in [*on_path, *managed, *system] if re.fullmatch(r"python3(\.\d+)?", path.name)]


@cache
def _ask(path: Path) -> Interpreter | None:
    if not path.is_file() or _is_script(path):
        return None
    try:
        done = subprocess.run(
            [path, "-I", "-S", "-c", _ASK], capture_output=True, text=True, timeout=10, env={}, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    version, prefix, complete = done.stdout.splitlines()
    major, minor = version.split()
    if complete != "1":
        return None
    executable = Path(prefix) / "bin" / f"python{major}.{minor}"
    return Interpreter(
        version=(int(major), int(minor)), executable=executable if executable.exists() else path, prefix=Path(prefix)
    )


def _is_script(path: Path) -> bool:
    """A version manager's stand-in is a shell script: slow, and no interpreter where its version is not installed."""
    with path.open("rb") as file:
        return file.read(2) == b"#!"
