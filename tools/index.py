"""What is known about one repository at one version: read when it is asked for, within one budget, and kept on disk."""

import gc
import logging
import posixpath
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from threading import Event, RLock
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ml_agent.tools.bounded import begun
from ml_agent.tools.content_cache import ContentCache, fingerprint
from ml_agent.tools.documents.model import Passage
from ml_agent.tools.files import Tree
from ml_agent.tools.outline import Outline, outline_of
from ml_agent.tools.own_cache import OnDemand
from ml_agent.tools.python_api.index import ApiIndex, ObjectIndexes
from ml_agent.tools.python_api.model import ModuleFacts
from ml_agent.tools.reading import IndexWalk, LeftOut, Report
from ml_agent.tools.signatures.model import EntryPoint, Signature
from ml_agent.tools.usage.entry import Example

if TYPE_CHECKING:
    from ml_agent.tools.signatures.read import SignatureReader
    from ml_agent.tools.signatures.sources import Sources

_LOG = logging.getLogger(__name__)
MOST_DOCUMENTS = 1_500
"""That are read, those near the root first: of a site with thousands of pages the rest is a reference of single commands or functions."""
SECONDS = 10.0
"""Processor time that reading may take before a request is answered."""
IDLE_SECONDS = 60.0
"""Processor time that reading on may take while somebody else is waited for."""


class _Part(NamedTuple):
    """Something that is known of each file."""

    kind: Any
    """What it is of one file."""
    seconds: float
    """Processor time that it may take of the budget."""


_PARTS = {
    "entries": _Part(tuple[EntryPoint, ...], 5),
    "passages": _Part(tuple[Passage, ...], 4),
    "commands": _Part(tuple[Example, ...], 3),
    "scripts": _Part(tuple[Example, ...], 2),
    "blocks": _Part(tuple[Example, ...], 4),
    "outlines": _Part(Outline, 4),
}


class _ReadFiles(msgspec.Struct):
    """A part as far as it was read."""

    found: dict[str, Any]
    """By path."""
    cut: list[str]
    """Files of which only the beginning was read."""
    unread: list[str]


class RepoIndex:
    """The index of a repository; every part is read at first use and kept on disk by version.

    Args:
        root: The folder of the repository; nothing in it is written, imported or run.
        version: Names its content; the same version is read only once.
        cache: Folder for what is kept; None keeps it in memory only.
        report: Told of the progress where files are read.
        first: File or folder that is read before all others.
        seconds: Processor time that reading may take; what is then not yet read is left out, and the next index goes on with it.
    """

    def __init__(
        self,
        root: Path,
        version: str,
        cache: Path | None = None,
        report: Report | None = None,
        first: str = "",
        seconds: float = SECONDS,
    ) -> None:
        self.root = root
        self.version = version
        self.cache_folder = cache
        self._report = report
        self._first = _plain(first)
        self._seconds = self._left = seconds
        self._idle = IDLE_SECONDS
        self._parts: dict[str, _ReadFiles] = {}
        self.lock = RLock()
        """Held while something is read. Of several threads each holds it while it asks or checks: what is looked up is remembered as it goes."""

    @classmethod
    def open(
        cls, root: Path, version: str, cache: Path | None = None, report: Report | None = None, first: str = ""
    ) -> "RepoIndex":
        """The index of the repository in `root`; nothing is read yet."""
        return cls(root, version, cache, report, first)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What the parts that were read so far lack, because reading it would have taken too long."""
        found = []
        documents = self._parts.get("passages")
        if documents is not None and len(documents.found) >= MOST_DOCUMENTS:
            found.append(
                LeftOut(
                    part="passages",
                    reason=f"at most {MOST_DOCUMENTS} documents are read",
                    paths=("documents far from the root",),
                )
            )
        for name, part in self._parts.items():
            known = frozenset(documents.unread if documents is not None and name in _OF_DOCUMENTS else ())  # told once
            unread = tuple(path for path in part.unread if path not in known)
            found += [LeftOut(part=name, reason=_WHY_UNREAD, paths=unread)] if unread else []
            found += [LeftOut(part=name, reason=_WHY_CUT, paths=(path,), partly=True) for path in part.cut]
        return tuple(found)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Relative posix paths of all regular files, sorted, but for installed packages (virtual environments, node_modules).

        Listed anew by every index: that is cheaper than any cache.
        """
        return _own_files(Tree(self.root).files())

    @cached_property
    def entries(self) -> tuple[EntryPoint, ...]:
        """What can be started, by name alone."""
        return self._flat("entries")

    @cached_property
    def signatures(self) -> "Signatures":
        """What the entry points take, by path; each is read when it is asked for."""
        return Signatures(self)

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """The passages of all documents."""
        return self._flat("passages")

    @cached_property
    def documented(self) -> tuple[Example, ...]:
        """The commands that documents show."""
        return self._flat("commands")

    @cached_property
    def commands(self) -> tuple[Example, ...]:
        """The commands that documents and shell scripts show."""
        return (*self.documented, *self._flat("scripts"))

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        """The commands, and the Python blocks that documents show; those of one document in the order of its lines."""
        commands, blocks = self._read("commands").found, self._read("blocks").found
        shown = (
            one
            for path in self._documents
            for one in sorted([*commands.get(path, ()), *blocks.get(path, ())], key=lambda example: example.line)
        )
        return (*shown, *self._flat("scripts"))

    @cached_property
    def outlines(self) -> Mapping[str, Outline]:
        """What the text of each Python file says."""
        return self._read("outlines").found

    @cached_property
    def api(self) -> ApiIndex:
        """The importable names of the repository."""
        from ml_agent.tools.python_api.read import read_module
        from ml_agent.tools.python_api.requirements import read_requirements

        facts: OnDemand[ModuleFacts] = OnDemand(
            (path for path in self.files if path.endswith(".py")),
            lambda path: self.keep(("facts", path), ModuleFacts, lambda: read_module(self.root, path)),
        )
        return ApiIndex(
            self.files,
            facts,
            lambda: self.outlines,
            lambda: read_requirements(self.root, self.files),
            lambda make: self.keep(("objects", str(len(self.outlines))), ObjectIndexes, make),
        )

    @cached_property
    def sources(self) -> "Sources":
        """The texts and syntax trees of its files."""
        from ml_agent.tools.signatures.sources import Sources

        kept = self._kept("outlines")
        return Sources(self.root, frozenset(self.files), kept.found if kept is not None else {})

    @cached_property
    def reader(self) -> "SignatureReader":
        """Reads signatures; all of this repository."""
        from ml_agent.tools.signatures.read import SignatureReader

        def keep(path: str, make: Callable[[], tuple[Signature, ...]]) -> tuple[Signature, ...]:
            return self.keep(("tested", path), tuple[Signature, ...], make)  # type: ignore[no-any-return]

        return SignatureReader(self.root, sources=self.sources, keep=keep)

    @cached_property
    def programs(self) -> Mapping[str, tuple[Signature, ...]]:
        """The signatures of console scripts by name; each is read when it is asked for."""
        from ml_agent.tools.signatures.console import console_programs

        return console_programs(self.reader)

    @cached_property
    def _cache(self) -> ContentCache | None:
        return None if self.cache_folder is None else ContentCache(self.cache_folder / "index.sqlite", fingerprint())

    def walk(self, part: str, seconds: float) -> IndexWalk:
        """A walk that makes one part of this index."""
        return IndexWalk(part, seconds, self._report, first=self._first)

    @property
    def used(self) -> float:
        """Seconds of processor time that were taken of the budget."""
        return self._seconds - self._left

    @property
    def has_time(self) -> bool:
        """Whether some of the budget is left."""
        return self._left > 0

    def keep(self, key: tuple[str, ...], kind: Any, make: Callable[[], Any]) -> Any:
        """What is kept of this version under a key, else what `make` gives now, out of the budget."""
        key = (*key, self.version, str(self.root.resolve()))
        with self.lock:
            known = None if self._cache is None else self._cache.load(key, kind)
            if known is None:
                known = self.spend(make)
                if self._cache is not None:
                    self._cache.store(key, known)
            return known

    def spend(self, read: Callable[[], Any]) -> Any:
        """What a call gives that takes of the budget."""
        before, left, thresholds = time.thread_time(), self._left, gc.get_threshold()
        gc.set_threshold(*_MANY_OBJECTS)
        try:
            return read()
        finally:
            gc.set_threshold(*thresholds)
            self._left = left - (time.thread_time() - before)  # with what calls inside it took

    @contextmanager
    def reading_on(self) -> Iterator[None]:
        """Within it, in a thread of its own, what was left out is read: for while somebody else, such as a model, is waited for."""
        if self._idle <= 0 or not any(part.unread for part in self._parts.values()):
            yield
            return
        stop = Event()
        reading = begun(lambda: self._read_on(stop))
        try:
            yield
        finally:
            stop.set()
            if (error := reading.exception()) is not None:
                _LOG.warning("the rest of the repository is not read: %s", error)

    def _read_on(self, stop: Event) -> None:
        """Read what the parts lack, file by file, until the time for it is over or somebody says `stop`."""
        began, left = time.thread_time(), self._left
        for name in sorted(self._parts, key=_OF_DOCUMENTS.__contains__):
            if stop.is_set() or not self._parts[name].unread:
                continue
            with self.lock:
                walk = self.walk(name, self._idle - (time.thread_time() - began))
                make, paths = self._maker(name, walk), self._paths(name)
            read = {}
            missing = [path for path in paths if path not in self._parts[name].found]
            for path in walk.each(walk.ordered(missing)):
                with self.lock:  # whoever asks meanwhile waits for one file
                    read[path] = make(path)
                if stop.is_set():
                    break
            self._add(name, paths, read, walk.cut)
        with self.lock:
            self._idle, self._left = self._idle - (time.thread_time() - began), left
            for made in _MADE_OF_PARTS:
                self.__dict__.pop(made, None)

    def _flat(self, name: str) -> tuple[Any, ...]:
        return tuple(one for several in self._read(name).found.values() for one in several)

    def _read(self, name: str) -> _ReadFiles:
        """A part as far as the budget goes; of one that is kept what was left out is read in addition."""
        with self.lock:
            if name not in self._parts:
                kept = self._kept(name)
                part = self._parts[name] = kept or _ReadFiles({}, [], [])
                if kept is None or part.unread:
                    self.spend(lambda: self._complete(name, min(_PARTS[name].seconds, self._left)))
            return self._parts[name]

    def _kept(self, name: str) -> _ReadFiles | None:
        if name in self._parts:
            return self._parts[name]
        if self._cache is None:
            return None
        kept = self._cache.load(self._key(name), tuple[dict[str, _PARTS[name].kind], list[str], list[str]])  # type: ignore[misc]
        return None if kept is None else _ReadFiles(*kept)

    def _key(self, name: str) -> tuple[str, ...]:
        # With the folder: what one folder says of its version never answers for another's.
        return ("part", name, self.version, str(self.root.resolve()))

    def _complete(self, name: str, seconds: float) -> None:
        """Read those files of a part that it lacks, as many as the time is enough for."""
        paths = self._paths(name)
        missing = [path for path in paths if path not in self._parts[name].found]
        walk = self.walk(name, seconds)
        self._add(name, paths, walk.results(missing, self._maker(name, walk)) if missing else {}, walk.cut)

    def _add(self, name: str, paths: Collection[str], read: Mapping[str, Any], cut: Collection[str]) -> None:
        """Keep what was read for a part, and what of its `paths` it lacks; of documents also those that are not read themselves."""
        with self.lock:
            part = self._parts[name]
            found = {**part.found, **read}
            part.found = {path: found[path] for path in paths if path in found}
            unread = self._read("passages").unread if name in _OF_DOCUMENTS else ()
            part.unread = [*(path for path in paths if path not in found), *unread]
            part.cut += cut
            if self._cache is not None:
                self._cache.store(self._key(name), (part.found, part.cut, part.unread))

    def _paths(self, name: str) -> Collection[str]:
        """The files of which a part says something."""
        if name == "passages":
            from ml_agent.tools.documents.read import is_document

            return self.walk(name, 0).ordered(filter(is_document, self.files))[:MOST_DOCUMENTS]
        if name in _OF_DOCUMENTS:
            return list(self._documents)
        if name == "scripts":
            return [path for path in self.files if path.endswith((".sh", ".bash")) and not _OF_TESTS.search(path)]
        if name == "entries":
            return [path for path in self.files if path.endswith(_PROGRAMS) or "." not in posixpath.basename(path)]
        return [path for path in self.files if path.endswith(".py")]

    def _maker(self, name: str, walk: IndexWalk) -> Callable[[str], Any]:
        """What reads one file for a part. The extractors are imported only here: what is kept needs none of them."""
        if name == "passages":
            from ml_agent.tools.documents.read import read_document

            return lambda path: read_document(self.root, path, walk)
        documents = self._documents if name in ("commands", "scripts", "blocks") else {}
        if name in ("commands", "scripts"):
            from ml_agent.tools.usage.extract import CommandReader

            reader = CommandReader(self.root, self.files, self.sources, self.consoles)
            reader.learn(passage for passages in documents.values() for passage in passages)
            return lambda path: (
                reader.read_document(documents[path], walk) if path in documents else reader.read_script(path, walk)
            )
        if name == "blocks":
            from ml_agent.tools.usage.extract import python_blocks

            return lambda path: tuple(takewhile(lambda _: not walk.over(), python_blocks(documents[path], self.api)))
        if name == "entries":
            from ml_agent.tools.signatures.programs import EntryReader

            return EntryReader(self.sources, self.consoles).read
        return lambda path: outline_of(self.sources.text(path) or "")

    @cached_property
    def consoles(self) -> Mapping[str, str]:
        """The file of each console script that the repository declares, by name."""
        from ml_agent.tools.signatures.console import console_scripts

        return {script.name: script.path for script in console_scripts(self.sources)}

    @property
    def _documents(self) -> Mapping[str, Sequence[Passage]]:
        """The passages of each document that has any."""
        return {path: passages for path, passages in self._read("passages").found.items() if passages}


class Signatures(OnDemand[tuple[Signature, ...]]):
    """The signatures of a repository's entry points by path; each is read when it is asked for.

    Whoever goes through all of them gets as many as the index's budget is enough for; those of files that turn out to be no entry
    point are among the paths.
    """

    def __init__(self, index: RepoIndex) -> None:
        super().__init__((one.path for one in index.entries), self._read)
        self._index = index

    def items(self) -> Any:
        """Path and signatures of each, as far as the budget goes."""
        return self._all().items()

    def values(self) -> Any:
        """The signatures of each, as far as the budget goes."""
        return self._all().values()

    def _all(self) -> dict[str, tuple[Signature, ...]]:
        return {path: self[path] for path in self if path in self._made or self._index.has_time}

    def _read(self, path: str) -> tuple[Signature, ...]:
        index = self._index
        names = [one.name for one in index.entries if one.path == path and one.kind == "console"]
        with index.lock:
            found: tuple[Signature, ...] = index.keep(
                ("signatures", path),
                tuple[Signature, ...],
                lambda: (*index.reader.read(path), *(one for name in names for one in index.programs[name])),
            )
        return found


_OF_DOCUMENTS = ("commands", "blocks")
"""Parts that are made of passages."""
_MADE_OF_PARTS = ("entries", "signatures", "passages", "documented", "commands", "examples", "outlines", "api")
_MANY_OBJECTS = (50_000, 20, 20)
"""When Python looks for cycles while something is read: syntax trees are many objects without any."""
_WHY_UNREAD = "reading everything would take too long"
_WHY_CUT = "reading it takes too long"
_PROGRAMS = (".py", ".sh", ".bash", ".mk")
_OF_TESTS = re.compile(r"(?:^|/)tests?/")
"""What tests call shows nobody how a program is used, and some repositories have hundreds of them."""


def _plain(place: str) -> str:
    """A file or folder without "./" and the like; "" for the root."""
    normal = posixpath.normpath(place)
    return "" if normal == "." else normal


def _own_files(files: Iterable[str]) -> tuple[str, ...]:
    files = tuple(files)
    environments = tuple(path.removesuffix("pyvenv.cfg") for path in files if path.endswith("/pyvenv.cfg"))
    return tuple(path for path in files if not path.startswith(environments) and "node_modules" not in path.split("/"))
