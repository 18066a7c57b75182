"""Paths among the user's words: a quoted one is whole whatever blanks it has, an absolute one was written as such."""

import glob
import itertools
import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from ml_agent.tools.walk import is_run_folder
from ml_agent.user_values import tokens_of

_WORD = re.compile(r"[^\s\"'`“”„‘’«»,;()\[\]{}<>|]+")
_BLANK = re.compile(r"\s")
_OPENING = "\"'`“„‘«"
_BEFORE_A_PATH = " \t\r\n,;([{<|=:"
"""Behind anything else a slash goes on with what stands there: `${DATA}/x` is not `/x`."""
_ROOTED = ("/", ".", "~")
_WILD, _OF_A_PATH = frozenset("*?"), frozenset("./")
"""A pattern of files has one of each."""
MOST_OF_A_PATTERN = 10_000
"""Files that one pattern may mean."""
_MOST_LEVELS = 2
"""Parts of a pattern that may be any: for each more all folders of a level are looked through."""


class NamedPath(msgspec.Struct, frozen=True):
    """A word of the user's, as a path."""

    path: str
    """Normalised."""
    quoted: bool = False
    whole: str = ""
    """The quoted path of which it is one word; "" where it stands by itself."""


def named_paths(instruction: str, values: Sequence[str]) -> tuple[NamedPath, ...]:
    """All words of the user's that may be paths, each once; what is quoted stands before the words in it.

    Args:
        instruction: the user's own sentence.
        values: of his own options.
    """
    words = [*_in_sentence(instruction), *(one for value in values for one in _parts(NamedPath(value)))]
    named = [msgspec.structs.replace(one, path=posixpath.normpath(one.path)) for one in words if one.path]
    return tuple({one.path: one for one in reversed(named)}.values())[::-1]


def spread(named: Sequence[NamedPath], folder: Path) -> tuple[NamedPath, ...]:
    """The paths, and behind each pattern (`pictures/*.png`) the files of a folder that it means; those of a run are not among them.

    Args:
        named: paths among the user's own words and options.
        folder: the user's working folder.
    """
    return tuple(every for one in named for every in (one, *_meant_by(one, folder)))


def _meant_by(one: NamedPath, folder: Path) -> Iterator[NamedPath]:
    """Nothing for a pattern that points outside the folder."""
    found = () if one.path.startswith(_ROOTED) else files_of(one.path, folder)
    yield from (NamedPath(path, quoted=True) for path in found)


def files_of(pattern: str, folder: Path) -> list[str]:
    """The files that a pattern means as seen from a folder, none for one without a word of its own, such as `*/*`; those of a run are not among them."""
    is_pattern = _WILD.intersection(pattern) and _OF_A_PATH.intersection(pattern)
    levels = sum(bool(_WILD.intersection(part)) for part in pattern.split("/"))
    if not is_pattern or levels > _MOST_LEVELS or not re.search(r"\w", pattern):
        return []
    found = (path for path in glob.iglob(pattern, root_dir=folder) if _is_own_file(folder, path))  # noqa: PTH207 - as a shell, which passes over hidden files
    return sorted(itertools.islice(found, MOST_OF_A_PATTERN))


def fixed_part(pattern: str) -> str:
    """The folder of a pattern before its first part that may be any."""
    parts = itertools.takewhile(lambda part: not _WILD.intersection(part), pattern.split("/")[:-1])
    return "/".join(parts) or "/"


def _is_own_file(folder: Path, path: str) -> bool:
    return (folder / path).is_file() and not any(is_run_folder(folder / parent) for parent in Path(path).parents)


def _in_sentence(text: str) -> Iterator[NamedPath]:
    quoted = [token for token in tokens_of(text) if token.kind == "quoted"]
    yield from (NamedPath(token.value, quoted=True) for token in quoted)
    for match in _WORD.finditer(text):
        around = next((token.value for token in quoted if token.start <= match.start() < token.end), "")
        whole = around if _BLANK.search(around) else ""
        word = match[0].rstrip(".:!?")
        # A part of a path leads elsewhere.
        if not whole.startswith(_ROOTED) and (not word.startswith("/") or _begins(text, match.start())):
            yield from _parts(NamedPath(word, whole=whole))


def _parts(one: NamedPath) -> Iterator[NamedPath]:
    """A word, and the value behind its equals sign."""
    yield one
    name, equals, value = one.path.partition("=")
    if equals and "://" not in name:
        yield msgspec.structs.replace(one, path=value)


def _begins(text: str, at: int) -> bool:
    """Whether a word stands by itself, and does not go on with what is before it."""
    before = text[max(0, at - 2) : at]
    if before[-1:] and before[-1] in _OPENING:
        before = before[:-1]
    return not before or before[-1] in _BEFORE_A_PATH
