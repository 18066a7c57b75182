"""What an answer does first that is done already where it is judged: the repository is there, and so is its environment."""

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from ml_agent.tools.commandline.shell import parse_command

ACTIVATES = re.compile(r"(?:^|(?<=[;&|\n(]))[ \t]*(?:\.|source)[ \t]+[\w./~$-]*bin/activate(?=[ \t]*(?:[;&|\n)]|$))")
"""`source venv/bin/activate`, as a command of its own."""
_CLONES = "clones"
_OWN_SOURCE = re.compile(r"\$(\{?)BASH_SOURCE(?:\[0\])?")
_OWN_NAME = "answer.sh"
_SCRIPT = "STRICT_SCRIPT"


def at_home(text: str, folder: Path) -> tuple[str, str]:
    """What lets `$0` and `BASH_SOURCE` name a script in the row's folder, in words of a shell, and the answer in which they do.

    Scripts begin with `cd "$(dirname "$0")"`: whoever runs an answer has laid it there, but we keep it apart from the repository.
    """
    own = shlex.quote(str(folder / _OWN_NAME))
    return f"BASH_ARGV0={own}; {_SCRIPT}={own}; ", _OWN_SOURCE.sub(rf"$\1{_SCRIPT}", text)


def cloning(text: str, root: Path, place: Path) -> str:
    """What lets `git clone ADDRESS && cd NAME` lead to the repository, in words of a shell; "" where it is not cloned.

    Args:
        text: the answer.
        root: the repository's folder, resolved; other repositories' clones are not there.
        place: a folder for the answer's own.
    """
    names = set(_clones(text, root.name))
    if not names:
        return ""
    folder = place / _CLONES
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(root)
    return f"set -P; CDPATH=.:{shlex.quote(str(folder))}; "


def _clones(text: str, repository: str) -> Iterator[str]:
    """The names of the folders into which a text clones a repository."""
    for invocation in parse_command(text).invocations:
        if invocation.program != "git" or "clone" not in invocation.words[:1]:
            continue
        named = _address_on(invocation.words[1:])
        if named and posixpath.basename(named[0]).removesuffix(".git").casefold() == repository.casefold():
            name = named[1] if len(named) > 1 else posixpath.basename(named[0]).removesuffix(".git")
            yield from [name] if re.fullmatch(r"\w[\w.-]*", name) else []


def _address_on(words: Sequence[str]) -> tuple[str, ...]:
    """The address that is cloned, and what stands behind it."""
    start = next((at for at, word in enumerate(words) if re.match(r"https?://|git@|ssh://|git://", word)), None)
    return () if start is None else tuple(word.rstrip("/") for word in words[start:] if not word.startswith("-"))
