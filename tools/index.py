"""Everything known about one repository at one version, read once and kept on disk."""

import contextlib
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import GenericAlias
from typing import Any, NamedTuple

from ml_agent.tools.content_cache import ContentCache
from ml_agent.tools.documents.model import Passage
from ml_agent.tools.examples import Example
from ml_agent.tools.files import Tree
from ml_agent.tools.index_cache import PartCache, fingerprint
from ml_agent.tools.index_worker import worker
from ml_agent.tools.python_api.index import ApiIndex
from ml_agent.tools.python_api.model import ApiFacts
from ml_agent.tools.reading import IndexWalk, LeftOut, Report, is_within
from ml_agent.tools.signatures.model import Signature


class _Part(NamedTuple):
    """How a part is made and kept."""

    kind: Any
    extractor: str
    """The module that makes it; its source tells whether a cached one is still good."""
    seconds: float
    """Processor time that reading all files for it may take."""


class _CachedPart(NamedTuple):
    """A part as it was made."""

    part: Any
    left_out: tuple[LeftOut, ...]
    unfinished: bool
    """Whether another reading may make more of it."""


_PARTS = {
    "passages": _Part(tuple[Passage, ...], "ml_agent.tools.documents.read", 8),
    "api": _Part(ApiFacts, "ml_agent.tools.python_api.read", 16),
    "examples": _Part(tuple[Example, ...], "ml_agent.tools.usage.extract", 10),
    "signatures": _Part(dict[str, tuple[Signature, ...]], "ml_agent.tools.index_signatures", 25),
}
"""Together a minute for a repository. The second process reads ahead in what its own part leaves of its time: late is good for
what it can help with."""
_MADE_OF = {"examples": ("passages", "api")}
"""Parts that are made of others."""
_APART = "signatures"
"""The part that is made in a second process."""
_MANY_PYTHON_FILES = 300
"""From here on a second process is worth its start."""


class RepoIndex:
    """The index of a repository; every part is computed at first use and cached on disk by version and by extractor.

    Args:
        root: The folder of the repository; nothing in it is written, imported or run.
        version: Names its content; the same version is read only once.
        cache: Folder for the index files; None keeps them in memory only.
        report: Told of the progress where files are read.
        first: File or folder that is read before all others.
    """

    def __init__(
        self, root: Path, version: str, cache: Path | None = None, report: Report | None = None, first: str = ""
    ) -> None:
        self.root = root
        self.version = version
        self._cache_folder = cache
        self._report = report
        self._first = _plain(first)
        self._left_out: dict[str, tuple[LeftOut, ...]] = {}
        self._unfinished: set[str] = set()
        """Parts of which another reading may make more."""
        self._left_before: dict[str, int] = {}
        """How many files the last reading left out, of parts that are gone on with."""
        # With the folder: what one folder says of its version never answers for another's.
        self._cache = PartCache(cache, f"{version}@{root.resolve()}") if cache is not None else None
        self._made: dict[str, Any] = {}

    @classmethod
    def open(
        cls, root: Path, version: str, cache: Path | None = None, report: Report | None = None, first: str = ""
    ) -> "RepoIndex":
        """The index of the repository in `root`; nothing is read yet."""
        return cls(root, version, cache, report, first)

    @property
    def cache_folder(self) -> Path | None:
        """Where indexes are kept; None for in memory only."""
        return self._cache_folder

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What the parts that were made so far lack, because reading it would have taken too long."""
        return tuple(left for part in self._left_out.values() for left in part)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Relative posix paths of all regular files, sorted, but for installed packages (virtual environments, node_modules).

        Listed anew by every index: that is cheaper than any cache.
        """
        with IndexWalk("files", report=self._report).telling():
            return _own_files(Tree(self.root).files())

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """The passages of all documents."""
        return tuple(self._part("passages"))

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        """The commands and Python blocks that documents and shell scripts show."""
        return tuple(self._part("examples"))

    @cached_property
    def signatures(self) -> Mapping[str, tuple[Signature, ...]]:
        """Entry points by path; several where a script has subcommands. What takes more than it lists has what examples show."""
        from ml_agent.tools.shown_options import learns_from_examples, with_shown_options

        read: dict[str, tuple[Signature, ...]] = self._part("signatures")
        if not any(learns_from_examples(one) for several in read.values() for one in several):
            return dict(read)
        return with_shown_options(read, self.examples, self.root)

    @cached_property
    def api(self) -> ApiIndex:
        """The importable names of the repository."""
        return ApiIndex(self._part("api"), self.files)

    def prepare(self) -> None:
        """Make all parts that are missing, in two processes where the repository is large and there is a cache."""
        missing = [name for name in _PARTS if not self._have(name)]
        others = [name for name in missing if name != _APART]
        if _APART in missing and others and self._cache_folder is not None and self._is_large():
            with worker(self.root, self.version, self._cache_folder, self._report, self._first):
                self.make(others)
            self._have(_APART, as_it_is=True)
        self.make(missing)

    def _part(self, name: str) -> Any:
        if not self._have(name):
            if self._is_large():
                self.prepare()
            else:
                self.make([name])
        return self._made[name]

    def _have(self, name: str, *, as_it_is: bool = False) -> bool:
        """Whether a part is here or can be loaded; one that was cut is read on in its next index, or taken as it is."""
        if name not in self._made and self._cache is not None:
            kind, extractor, _ = _PARTS[name]
            shape: Any = GenericAlias(tuple, (kind, tuple[LeftOut, ...], bool))
            kept = self._cache.load(self._cache.path(name, extractor), shape)
            if kept is not None:
                self._take(name, _CachedPart(*kept), as_it_is)
        return name in self._made

    def _take(self, name: str, kept: _CachedPart, as_it_is: bool) -> None:
        missing = _unread(kept.left_out)
        wanted = bool(self._first) and any(is_within(path, self._first) for path in missing)
        if (kept.unfinished or wanted) and not as_it_is:
            self._left_before[name] = len(missing)
        else:
            self._hold(name, kept)

    def _hold(self, name: str, kept: _CachedPart) -> None:
        self._made[name], self._left_out[name] = kept.part, kept.left_out
        if kept.unfinished:
            self._unfinished.add(name)

    def _is_unfinished(self, name: str, left_out: tuple[LeftOut, ...]) -> bool:
        """Whether another reading may make more: it was cut and got further than the last, or what it reads was."""
        missing = len(_unread(left_out))
        got_further = missing < self._left_before.get(name, missing + 1)
        return (missing > 0 and got_further) or not self._unfinished.isdisjoint(_MADE_OF.get(name, ()))

    def make(self, names: Iterable[str]) -> None:
        """Make and keep the parts of those names that are missing, one after the other."""
        for name in names:
            if not self._have(name):
                with self._reading(name) as reading:
                    part = make_part(self, name, reading)
                left_out = tuple(reading.left_out)
                kept = _CachedPart(part, left_out, self._is_unfinished(name, left_out))
                self._hold(name, kept)
                if self._cache is not None:
                    self._cache.store(self._cache.path(name, _PARTS[name].extractor), tuple(kept))

    def read_ahead(self, spent: float) -> None:
        """Read Python files from the last one on, until one that another process has read; it finds them in the cache.

        Args:
            spent: processor time that the part took which the second process makes; what it leaves is for this.
        """
        from ml_agent.tools.python_api.read import read_module

        with self._reading("api", _PARTS[_APART].seconds - spent) as reading:
            for path in reading.each(reversed(reading.ordered(self.files))):
                if path.endswith(".py") and read_module(self.root, path, reading) and reading.found:
                    return

    @contextlib.contextmanager
    def _reading(self, name: str, seconds: float | None = None) -> Iterator[IndexWalk]:
        _, extractor, most = _PARTS[name]
        with contextlib.ExitStack() as stack:
            cache = None
            if self._cache_folder is not None:
                cache = ContentCache(self._cache_folder / "files.sqlite", fingerprint(extractor))
                stack.enter_context(cache)
            reading = IndexWalk(name, most if seconds is None else seconds, self._report, cache)
            reading.first = self._first
            stack.enter_context(reading.telling())
            yield reading

    def _is_large(self) -> bool:
        return sum(path.endswith(".py") for path in self.files) >= _MANY_PYTHON_FILES


def _plain(place: str) -> str:
    """A file or folder without "./" and the like; "" for the root."""
    normal = posixpath.normpath(place)
    return "" if normal == "." else normal


def _unread(left_out: Iterable[LeftOut]) -> list[str]:
    """The files of which nothing was read."""
    return [path for left in left_out if not left.partly for path in left.paths]


def _own_files(files: tuple[str, ...]) -> tuple[str, ...]:
    environments = tuple(path.removesuffix("pyvenv.cfg") for path in files if path.endswith("/pyvenv.cfg"))
    return tuple(path for path in files if not path.startswith(environments) and "node_modules" not in path.split("/"))


def make_part(index: RepoIndex, name: str, reading: IndexWalk) -> Any:
    """Read one part from the repository. The extractors are imported only here: a cached index needs none of them."""
    if name == "api":
        from ml_agent.tools.python_api.read import read_api

        return read_api(index.root, index.files, reading)
    if name == "passages":
        from ml_agent.tools.documents.read import read_documents

        return read_documents(index.root, index.files, reading)
    if name == "examples":
        from ml_agent.tools.usage.extract import read_examples

        return read_examples(index.root, index.files, index.passages, index.api, reading)
    from ml_agent.tools.index_signatures import read_all_signatures

    return read_all_signatures(index.root, index.files, reading)
