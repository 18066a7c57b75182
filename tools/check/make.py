"""The targets of `make` against the makefile that it would read."""

import posixpath
import re
from collections.abc import Iterator, Sequence

from ml_agent.tools.check.places import PathIndex, is_literal, locate
from ml_agent.tools.findings import Finding, Severity
from ml_agent.tools.signatures.make_reader import Makefile, read_makefile
from ml_agent.tools.signatures.nearest import nearest
from ml_agent.tools.signatures.sources import Sources

_DEFAULTS = ("GNUmakefile", "makefile", "Makefile")
_ELSEWHERE = re.compile(
    r"-[CfIoW].*|--(?:directory|file|makefile|include-dir|old-file|what-if|new-file|assume-new)\b.*"
)
"""Options that name another folder, another makefile or a file."""
_NO_TARGET = re.compile(r"-.*|\d+(?:\.\d+)?|[A-Za-z_][\w.]*(?:[:?+!]|::)?=.*", re.DOTALL)
"""Options, the number of jobs behind one, and variables."""
_WRITES_MAKEFILES = frozenset({"CMakeLists.txt", "configure", "configure.ac", "Makefile.in", "Makefile.am"})
"""Where one of these is, a makefile that is not there may be written first."""
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".C", ".f", ".s", ".S", ".y", ".l", ".sh", ".p")
"""Of these make itself knows how to build something."""


def check_make(
    words: Sequence[str], folder: str, tree: PathIndex, sources: Sources, *, sure: bool
) -> Iterator[Finding]:
    """What keeps `make TARGET… NAME=VALUE…` from doing what it says; nothing where it is sent elsewhere (`-C`, `-f`).

    Args:
        words: those behind the program.
        folder: where it runs, relative to the repository.
        tree: the files of the repository.
        sources: gives the text of a makefile.
        sure: whether nothing before may have created files.
    """
    if any(map(_ELSEWHERE.fullmatch, words)):
        return
    path = _makefile_in(folder, tree)
    if path is not None:
        makefile = read_makefile(sources, path)
        targets = (word for word in words if is_literal(word) and not _NO_TARGET.fullmatch(word))
        yield from (_unknown(word, makefile) for word in targets if not _is_made(word, makefile, folder, tree))
    elif not any(posixpath.basename(file) in _WRITES_MAKEFILES for file in tree.files):
        severity: Severity = "error" if sure else "warning"
        message = f"there is no Makefile in {folder}"
        yield Finding(code="no-such-file", message=message, severity=severity, subject="Makefile")


def is_target(path: str, tree: PathIndex, sources: Sources) -> bool:
    """Whether the makefile beside a file that is not there makes it."""
    folder, name = posixpath.split(path)
    makefile = _makefile_in(folder, tree)
    return makefile is not None and name in read_makefile(sources, makefile).targets


def _makefile_in(folder: str, tree: PathIndex) -> str | None:
    return next((path for name in _DEFAULTS if (path := locate(folder, name)) in tree.files), None)


def _is_made(word: str, makefile: Makefile, folder: str, tree: PathIndex) -> bool:
    """Whether a target may be made: by a rule, as a file that is there, or of a source by rules of make itself."""
    path = locate(folder, word)
    if makefile.open or makefile.has(word) or path is None or tree.has(path):
        return True
    return any(f"{path.removesuffix('.o')}{ending}" in tree.files for ending in _SOURCES)


def _unknown(word: str, makefile: Makefile) -> Finding:
    near = nearest(word, makefile.targets)
    hint = f"; did you mean {near}?" if near else ""
    message = f"the Makefile has no target {word}{hint}"
    return Finding(code="bad-choice", message=message, severity="warning", subject=word, suggestion=near)
