"""Looks names up in the Python code of a repository, as an import would, without importing."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ml_agent.tools.outline import Outline, imported_tops
from ml_agent.tools.python_api.model import UNKNOWN, ApiObject, ModuleFacts
from ml_agent.tools.python_api.modules import ModuleTable
from ml_agent.tools.python_api.resolver import Resolved, Resolver
from ml_agent.tools.retrieval import Bm25Index, tokenize


class ObjectIndexes(NamedTuple):
    """Over what the public classes and functions say, and over their names."""

    texts: Bm25Index
    names: Bm25Index


class ApiIndex:
    """The importable names of a repository.

    Args:
        files: Relative posix paths of all its files.
        facts: What its Python files define, by path; each may be read when it is asked for.
        outlines: Gives what the texts of all of them say.
        requirements: Gives the import names of what the repository says it needs.
        keep: Gives the indexes of `objects`, which another process may have made.
    """

    def __init__(
        self,
        files: Sequence[str],
        facts: Mapping[str, ModuleFacts],
        outlines: Callable[[], Mapping[str, Outline]],
        requirements: Callable[[], Iterable[str]] = tuple,
        keep: Callable[[Callable[[], ObjectIndexes]], ObjectIndexes] = lambda make: make(),
    ) -> None:
        self.facts = facts
        self._requirements = requirements
        self._keep = keep
        self.modules = ModuleTable(files)
        self._outlines = outlines
        self._resolver = Resolver(facts, self.modules)
        self.instances = self._resolver
        """Tells of objects which attributes and methods they have."""

    @property
    def outlines(self) -> Mapping[str, Outline]:
        """What the text of each Python file says."""
        return self._outlines()

    def claims(self, top: str, workdir: str = ".") -> bool:
        """Whether a top-level module name means something of the repository for a program that runs in that folder."""
        return bool(self.modules.roots(top, (workdir,)))

    def places(self, top: str, workdir: str = ".") -> list[str]:
        """The files or folders that a top-level module name may mean there, in the order of the import path."""
        found = (self.modules.find(folder, top) for folder in self.modules.roots(top, (workdir,)))
        return [place for place in found if place is not None]

    def resolve(self, dotted: str, workdir: str = ".") -> Resolved:
        """What a dotted name means to a program that runs in that folder.

        Returns: the object; None where the repository has the top-level module but not the name; UNKNOWN where that
        cannot be told, and for what is not of the repository at all.
        """
        parts = dotted.split(".")
        roots = self.modules.roots(parts[0], (workdir,))
        found = self._resolver.first(roots, parts) if roots else UNKNOWN
        lone = self.modules.lone_root(parts[0])
        if not isinstance(found, ApiObject) and lone is not None and lone not in roots:
            elsewhere = self._resolver.first([lone], parts)
            return elsewhere if isinstance(elsewhere, ApiObject) else found
        return found

    def inside(self, path: str, name: str) -> Resolved:
        """What a name means in a module of which the file is known; UNKNOWN for a folder without one."""
        return self._resolver.inside(path, name)

    def names_in(self, dotted: str, workdir: str = ".") -> tuple[str, ...]:
        """The public names of a module, sorted; none where it is not of the repository."""
        module = self.resolve(dotted, workdir)
        if not isinstance(module, ApiObject) or module.kind != "module":
            return ()
        return tuple(sorted(name for name in self._resolver.names(module.path) if not name.startswith("_")))

    def modules_named(self, tail: str) -> tuple[str, ...]:
        """Dotted names of the modules whose last parts are `tail` (`HaloAttention`, `models.gcn`), in any case."""
        named = self._by_last_part.get(tail.lower().rpartition(".")[2], ())
        return tuple(name for name in named if f".{name}".lower().endswith(f".{tail}".lower()))

    @cached_property
    def _by_last_part(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in sorted(self.modules.dotted(path) for path in self.modules.python):
            found.setdefault(name.lower().rpartition(".")[2], []).append(name)
        return found

    @cached_property
    def objects(self) -> tuple[ApiObject, ...]:
        """The public classes and functions of all modules, as their texts show them: without parameters (see `whole`)."""
        return tuple(
            ApiObject(
                name=f"{module}.{one.name}", kind="class" if one.kind == "class" else "function",
                path=path, line=one.line, doc=one.doc or made.get(f"{one.name}.__init__", ""), sure=False,
            )
            for path, outline in self.outlines.items()
            for module in (self.modules.dotted(path),)
            for made in ({name.name: name.doc for name in outline.names if name.kind == "method"},)
            for one in outline.names
            if one.kind != "method" and not one.name.startswith("_")
        )  # fmt: skip

    def whole(self, found: ApiObject) -> ApiObject:
        """A class or function with what a call of it takes."""
        return self._resolver.whole(found)

    @cached_property
    def requirements(self) -> frozenset[str]:
        """Import names of what the repository says it needs."""
        return frozenset(self._requirements())

    @cached_property
    def third_party(self) -> frozenset[str]:
        """Top-level names that the repository requires or imports and that are not all its own."""
        return self.requirements.union(*(imported_tops(one.imports) for one in self.outlines.values()))

    @cached_property
    def usual_imports(self) -> dict[str, str]:
        """By name the import statement by which most files of the repository get it from elsewhere."""
        counts: dict[str, Counter[str]] = {}
        for outline in self.outlines.values():
            for item in outline.imports:
                if not item.module.startswith(".") and item.name != "*":
                    counts.setdefault(item.local, Counter())[item.statement] += 1
        return {name: counter.most_common(1)[0][0] for name, counter in counts.items()}

    def search(self, words: str, k: int = 10) -> list[ApiObject]:
        """The public classes and functions that fit some words best."""
        return [self._used[hit.position] for hit in self._indexes.texts.top(tokenize(words), k)]

    def search_names(self, words: str, k: int) -> list[ApiObject]:
        """The public classes and functions whose names share the rarest words."""
        return [self._used[hit.position] for hit in self._indexes.names.top(tokenize(words), k)]

    @cached_property
    def _used(self) -> tuple[ApiObject, ...]:
        """Those that somebody may want to use: not what tests define, which in large repositories is most of it."""
        return tuple(item for item in self.objects if not _TEST.search(item.path)) or self.objects

    @cached_property
    def _indexes(self) -> ObjectIndexes:
        return self._keep(self._made_indexes)

    def _made_indexes(self) -> ObjectIndexes:
        heads = {(path, one.name): one.head for path, outline in self.outlines.items() for one in outline.names}
        return ObjectIndexes(
            Bm25Index.of_texts(" ".join(self._said_of(item, heads)) for item in self._used),
            Bm25Index.of_texts(item.name.rpartition(".")[2] for item in self._used),
        )

    def _said_of(self, item: ApiObject, heads: Mapping[tuple[str, str], str]) -> Iterator[str]:
        name = item.name.rpartition(".")[2]
        yield from (item.name, item.doc)
        head = heads.get((item.path, f"{name}.__init__" if item.kind == "class" else name), "")
        yield from (one for one in _PARAMETER.findall(_IN_BRACKETS.sub("", head)) if one != "self")


_TEST = re.compile(r"(?:^|/)tests?/|(?:^|/)(?:conftest|test_\w+|\w+_test)\.py$")
_IN_BRACKETS = re.compile(r"\[(?:[^\[\]]++|\[(?:[^\[\]]++|\[[^\[\]]*+\])*+\])*+\]")
"""What annotations hold."""
_PARAMETER = re.compile(r"[(,] ?\*{0,2}([A-Za-z_]\w*) ?(?=[:=,)])")
