"""Commands that a package declares: what each calls, and how it is started where the package cannot be installed."""

import os
import re
import shlex
from pathlib import Path

from sandbox.reading import read_text
from sandbox.repository_search import module_places

MOST_DECLARED = 200_000
"""Characters of a file that declares commands."""
_TARGET = r"[\"']?\s*(?:=\s*[\"']?\s*(?P<module>[\w.]+)\s*:\s*(?P<function>[\w.]+)|=|[\"'])"


def declared_command(root: Path, name: str) -> re.Match[str] | None:
    """Where the repository declares a command; `module` and `function` are what it calls, None where that is not told."""
    for file in ("pyproject.toml", "setup.cfg", "setup.py"):
        text = read_text(root / file, MOST_DECLARED)
        if (found := re.search(rf"scripts[\s\S]*[\"'\s/]{re.escape(name)}{_TARGET}", text)) is not None:
            return found
    return None


def starter_of(declared: re.Match[str], name: str, root: Path, here: Path) -> str | None:
    """A shell command, run in `here`, that writes the program which installing the package would write; None without a module."""
    module, function = declared["module"], declared["function"]
    places = module_places(root, module.partition(".")[0], root) if module else []
    if not places:
        return None
    place = os.path.relpath(root.resolve() / places[0], here)
    code = (
        f"import os, sys; path = os.path.join(os.path.dirname(sys.executable), {name!r}); place = os.path.abspath({place!r}); "
        f"lines = ['#!' + sys.executable, 'import sys', f'sys.path.insert(0, {{place!r}})', "
        f"'from {module} import {function.partition('.')[0]}', 'sys.exit({function}())', '']; "
        "open(path, 'w').write(chr(10).join(lines)); os.chmod(path, 0o755)"
    )
    return f"python -c {shlex.quote(code)}"
