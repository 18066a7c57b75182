"""What installing a repository puts on the path, as the judge starts it."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from ml_agent.benchmarks.strict.inside.target import CONSOLE

Installed = tuple[str, str, bool]
"""Name of a console script, what it starts in words of a shell, and whether that is Python."""
_NAME = re.compile(r"\w[\w.-]*")
_MOST_BYTES = 200


def installed_programs(console: Mapping[str, str], root: Path) -> tuple[Installed, ...]:
    """The console scripts of a repository; files that lead out of it and what is no plain file are left out.

    Args:
        console: `module:function`, or the file that is installed as it is, by name.
        root: the repository's folder, resolved.
    """
    named = [_install(name, place, root) for name, place in console.items() if _NAME.fullmatch(name)]
    return tuple(one for one in named if one is not None)


def _install(name: str, place: str, root: Path) -> Installed | None:
    if ":" in place:
        return name, shlex.join([CONSOLE, name, place]), True
    script = (root / place).resolve()
    if not script.is_relative_to(root) or not script.is_file():
        return None
    with script.open("rb") as file:
        python = place.endswith(".py") or b"python" in file.readline(_MOST_BYTES)
    return name, shlex.quote(str(script)) if python else f"bash {shlex.quote(str(script))}", python
