"""What a text can do beyond running a program with its options: one kind of finding for bash and Python."""

import posixpath
from typing import Literal, NamedTuple

Power = Literal[
    "command-substitution", "redirect-outside", "secret-variable", "piped-to-shell", "control-character", "runs-text",
    "runs-programs", "secret-file", "too-long", "earlier-command",
]  # fmt: skip


class PowerUse(NamedTuple):
    """One such thing."""

    power: Power
    text: str
    """As it stands in the text, or the beginning of it."""
    paths: tuple[str, ...] = ()
    """Where it only makes folders or links elsewhere: which, so that a user who names all of them has asked for it."""


def leaves(target: str, workdir: str, folder: str = ".") -> bool:
    """Whether a path, seen from a folder of the repository, is not surely inside; a number names a descriptor."""
    if target.isdigit() or target in ("-", ""):
        return False
    if target.startswith(("/", "~")) or "$" in target or "`" in target or not folder or folder.startswith("/"):
        return True
    return posixpath.normpath(posixpath.join(workdir, folder, target)).split("/")[0] == ".."
