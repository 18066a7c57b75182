"""Commands that a package declares: what each calls, and how it is started where the package cannot be installed."""

import re
import shlex
from pathlib import Path

from ml_agent.tools.foreign_files import read_text

MOST_DECLARED = 200_000
"""Characters of a file that declares commands."""
_TARGET = r"[\"']?\s*(?:=\s*(?:[\"']\s*)?(?P<module>[\w.]+)\s*:\s*(?P<function>[\w.]+)|=|[\"'])"


def declared_command(root: Path, name: str) -> re.Match[str] | None:
    """Where the repository declares a command; `module` and `function` are what it calls, None where that is not told."""
    for file in ("pyproject.toml", "setup.cfg", "setup.py"):
        _, _, below = read_text(root / file, MOST_DECLARED).partition("scripts")
        if found := list(re.finditer(rf"[\"'\s/]{re.escape(name)}{_TARGET}", below)):
            return found[-1]
    return None


def without_installation(command: str, name: str, declared: re.Match[str]) -> str:
    """A shell command that calls what a declared command calls; as it was where that is not told or the name starts nothing."""
    module, function = declared["module"], declared["function"]
    if module is None:
        return command
    code = f"import sys; from {module} import {function.partition('.')[0]}; sys.exit({function}())"
    words = f"python -c {shlex.quote(code)}"
    place = rf"(?m)(?P<before>^\s*|[;&|(]\s*){re.escape(name)}(?=\s|$)"
    return re.sub(place, lambda found: found["before"] + words, command)
