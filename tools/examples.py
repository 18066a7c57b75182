"""Usage examples: the commands and the Python code that a repository's documents and files show."""

from typing import Literal

import msgspec


class Example(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One command or one Python block that the repository shows, with the words that introduce it."""

    text: str
    """The command on one line (continuations joined), or the whole Python block."""
    kind: Literal["bash", "python"]
    path: str
    """The document or script where it stands, relative to the repository."""
    line: int
    workdir: str
    """Folder, relative to the repository, from which it runs: its script was found from there."""
    entry: str = ""
    """Path of the entry point that it calls, relative to the repository; "" where unknown or for Python."""
    headings: tuple[str, ...] = ()
    introduction: str = ""
    """The paragraph or comment right before it."""
    imports_own: bool = False
    """Python: whether it imports the repository's own code."""
    setup: tuple[str, ...] = ()
    """Variable assignments (export X=...) in force where it stands."""
