"""The environment variables that the shell scripts read which an answer starts."""

import functools
import posixpath
from pathlib import Path

from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.signatures.read import SignatureReader


def variables_of_scripts(text: str, root: Path, folder: str) -> frozenset[str]:
    """The variables that the scripts of an answer take from outside: those that only others read do nothing for it.

    Args:
        text: the answer, in shell.
        root: the repository's folder.
        folder: where the answer runs, relative to it.
    """
    started = (
        posixpath.normpath(posixpath.join(folder or ".", one.folder or ".", one.name or one.program))
        for one in parse_command(text).invocations
    )
    scripts = [path for path in started if not path.startswith(("/", "..")) and (root / path).is_file()]
    return frozenset(name for path in scripts for one in signature_reader(root).read(path) for name, _ in one.variables)


@functools.lru_cache(maxsize=32)
def signature_reader(root: Path) -> SignatureReader:
    """What reads the programs of a repository; it keeps what it has read."""
    return SignatureReader(root)
