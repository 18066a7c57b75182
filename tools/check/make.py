"""The words of `make` against the makefile that it would read."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ml_agent.tools.check.places import PathIndex, is_literal, locate
from ml_agent.tools.findings import Finding, Severity
from ml_agent.tools.signatures.make_reader import Makefile, read_makefile
from ml_agent.tools.signatures.nearest import nearest
from ml_agent.tools.signatures.sources import Sources

_DEFAULTS = ("GNUmakefile", "makefile", "Makefile")
_FOLDER = frozenset({"-C", "--directory"})
_FILE = frozenset({"-f", "--file", "--makefile"})
_VALUED = _FOLDER | _FILE | {"-I", "--include-dir", "-o", "--old-file", "-W", "--what-if", "--new-file", "--assume-new"}
_NUMBERED = frozenset({"-j", "--jobs", "-l", "--load-average", "--max-load"})
"""A number may follow."""
_WRITES_MAKEFILES = frozenset({"CMakeLists.txt", "configure", "configure.ac", "Makefile.in", "Makefile.am"})
"""Where one of these is, a makefile that is not there may be written first."""
_ASSIGNED = re.compile(r"([A-Za-z_][\w.]*)(?:[:?+!]|::)?=")
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".C", ".f", ".s", ".S", ".y", ".l", ".sh", ".p")
"""Of these make itself knows how to build something."""
_OF_MAKE = frozenset({
    "CC", "CXX", "CPP", "FC", "AR", "AS", "LD", "RM", "SHELL", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LDLIBS",
    "FFLAGS", "ARFLAGS", "V", "DESTDIR",
})  # fmt: skip
"""Variables that the rules of make itself use."""


class _Words(NamedTuple):
    folders: list[str]
    files: list[str]
    rest: list[str]


def check_make(
    words: Sequence[str], folder: str, tree: PathIndex, sources: Sources, *, sure: bool
) -> Iterator[Finding]:
    """What keeps `make [-C FOLDER] [-f FILE] TARGET… NAME=VALUE…` from doing what it says.

    Args:
        words: those behind the program.
        folder: where it runs, relative to the repository.
        tree: the files of the repository.
        sources: gives the text of a makefile.
        sure: whether nothing before may have created files.
    """
    said = _split(words)
    for place in said.folders:
        inner = locate(folder, place) if is_literal(place) else None
        if inner is None:
            return
        if inner not in tree.folders:
            message = f"there is no folder {place} to run make in"
            yield _finding("no-such-file", message, place, tree.suggest_folder(inner, folder), sure=sure)
            return
        folder = inner
    if len(said.files) > 1 or not all(map(is_literal, said.files)):
        return
    path = next((p for name in said.files or _DEFAULTS if (p := locate(folder, name)) in tree.files), None)
    if path is not None:
        yield from _against(said.rest, read_makefile(sources, path), folder, tree)
    elif said.files and locate(folder, said.files[0]) is None:
        return
    elif not any(posixpath.basename(file) in _WRITES_MAKEFILES for file in tree.files):
        name = "".join(said.files) or "Makefile"
        yield _finding("no-such-file", f"there is no {name} in {folder}", name, "", sure=sure)


def is_target(path: str, tree: PathIndex, sources: Sources) -> bool:
    """Whether the makefile beside a file that is not there makes it."""
    folder, name = posixpath.split(path)
    makefile = next((p for one in _DEFAULTS if (p := posixpath.join(folder, one)) in tree.files), None)
    return makefile is not None and name in read_makefile(sources, makefile).targets


def _finding(code: str, message: str, word: str, suggestion: str, *, sure: bool = False) -> Finding:
    severity: Severity = "error" if sure else "warning"
    return Finding(code=code, message=message, severity=severity, subject=word, suggestion=suggestion)


def _split(words: Sequence[str]) -> _Words:
    """The folders and makefiles that options name, and the targets and variables."""
    said = _Words([], [], [])
    left = list(words)
    while left:
        word = left.pop(0)
        if not word.startswith("-"):
            said.rest.append(word)
            continue
        flag, equals, value = word.partition("=")
        if not word.startswith("--"):
            flag, value = word[:2], word[2:]
            equals = value
        if flag in _NUMBERED and not equals and left[:1] and left[0].replace(".", "").isdigit():
            left.pop(0)
        if flag in _VALUED:
            value = value if equals else left.pop(0) if left else ""
            (said.folders if flag in _FOLDER else said.files if flag in _FILE else []).append(value)
    return said


def _against(words: Sequence[str], makefile: Makefile, folder: str, tree: PathIndex) -> Iterator[Finding]:
    for word in words:
        assigned = _ASSIGNED.match(word)
        if assigned is not None:
            yield from _variable(assigned[1], makefile)
        elif is_literal(word) and not makefile.open and not makefile.has(word) and not _is_built(word, folder, tree):
            near = nearest(word, makefile.targets)
            hint = f"; did you mean {near}?" if near else ""
            yield _finding("bad-choice", f"the Makefile has no target {word}{hint}", word, near)


def _variable(name: str, makefile: Makefile) -> Iterator[Finding]:
    """A variable that nothing of the makefile names, and that is spelled like one that it does."""
    if name not in makefile.words and name not in _OF_MAKE:
        near = nearest(name, sorted(makefile.variables))
        if near:
            message = f"the Makefile has no variable {name}; did you mean {near}?"
            yield _finding("unknown-option", message, name, near)


def _is_built(word: str, folder: str, tree: PathIndex) -> bool:
    """Whether a target is a file that is there, or one that make builds of a source by itself."""
    path = locate(folder, word)
    if path is None or tree.has(path):
        return True
    stem = path.removesuffix(".o")
    return any(f"{stem}{ending}" in tree.files for ending in _SOURCES)
