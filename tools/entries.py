"""Which Python files of a repository a shell command runs, also through the shell scripts that it calls."""

import posixpath
from collections.abc import Iterator
from pathlib import Path

from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.errors import UnsafePathError
from ml_agent.tools.files import Tree
from ml_agent.tools.launchers import SHELLS

_DEEPEST = 3
"""Scripts that call each other."""
_LARGEST_SCRIPT = 1024 * 1024
"""Bytes."""


def entries_of(command: str, root: Path, folder: str = ".") -> list[Path]:
    """The Python files that a command runs, as absolute paths in running order; files outside the repository do not count.

    Args:
        command: bash text.
        root: the repository's folder.
        folder: where the command runs, relative to `root`.
    """
    tree = Tree(root)
    return [tree.root / path for path in dict.fromkeys(_of_text(command, tree, folder, _DEEPEST))]


def _of_text(text: str, tree: Tree, folder: str, depth: int) -> Iterator[str]:
    for call in parse_command(text).invocations if depth >= 0 else ():
        here = posixpath.normpath(posixpath.join(folder, call.folder))
        if here != ".." and not here.startswith(("../", "/")):
            yield from _of_call(call, tree, here, depth)


def _of_call(call: Invocation, tree: Tree, here: str, depth: int) -> Iterator[str]:
    if call.target == "module":
        yield from _module_file(call.name, tree, here)
    elif call.target == "code":
        yield from _of_text(call.name, tree, here, depth - 1) if posixpath.basename(call.program) in SHELLS else ()
    elif call.name:
        yield from _of_file(posixpath.normpath(posixpath.join(here, call.name)), call, tree, here, depth)


def _of_file(path: str, call: Invocation, tree: Tree, here: str, depth: int) -> Iterator[str]:
    """A script, by its ending or its first line; one of the shell runs in the folder from which it is called."""
    if path.endswith(".py"):
        yield from [path] if tree.is_file(path) else []
        return
    try:
        text = tree.read_text(path, _LARGEST_SCRIPT)
    except (OSError, UnsafePathError):
        return
    first = text.partition("\n")[0]
    if first.startswith("#!") and "python" in first:
        yield path
    elif call.target != "script":
        yield from _of_text(text, tree, here, depth - 1)


def _module_file(name: str, tree: Tree, here: str) -> Iterator[str]:
    for place in (here, ".", "src"):
        base = posixpath.normpath(posixpath.join(place, name.replace(".", "/")))
        for path in (f"{base}.py", f"{base}/__main__.py"):
            if tree.is_file(path):
                yield path
                return
