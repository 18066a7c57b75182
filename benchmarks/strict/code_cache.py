"""Compiled forms of repository files, so that a package is not compiled anew for every answer that imports it.

Only the host writes here: it reads the files as text and compiles them, without running anything.
"""

import ast
import functools
import marshal
import os
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

from platformdirs import user_cache_path

from ml_agent.benchmarks.strict.inside.calls import cache_name, rewrite
from ml_agent.sandbox.temporary import for_this_process
from ml_agent.tools.atomic import write_whole
from ml_agent.tools.errors import UnsafePathError
from ml_agent.tools.files import Tree


def cache_root() -> Path:
    """The user's cache."""
    return Path(os.environ.get("ML_AGENT_CACHE_DIR") or user_cache_path("ml-agent"))


def folder() -> Path:
    """Where the compiled forms are kept, by interpreter."""
    place = cache_root() / "strict" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError:
        return _own_folder()
    return place


@functools.cache
def _own_folder() -> Path:
    """Where the user's cache cannot be written, one for this process."""
    return for_this_process("cache")


def keep(paths: Iterable[str], root: Path) -> None:
    """Compile files into the cache, where that can be written; what cannot be compiled, or is no regular file below `root`, is left out."""
    tree = Tree(root)
    for path in paths:
        try:
            source = tree.read_bytes(str(Path(path).relative_to(tree.root)))
            kept = folder() / cache_name(source, path)
            if kept.exists():
                continue
            with warnings.catch_warnings():  # what Python finds odd in somebody's code is none of the user's business
                warnings.simplefilter("ignore")
                code = compile(rewrite(ast.parse(source, path)), path, "exec", dont_inherit=True)
            write_whole(kept, marshal.dumps(code))
        except (OSError, UnsafePathError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue
