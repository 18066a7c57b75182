"""Python blocks of documents: which of the repository's names they use, and which earlier blocks they build on."""

import ast
import heapq
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from ml_agent.tools.outline import imported_tops, imports_in
from ml_agent.tools.python_api.index import ApiIndex
from ml_agent.tools.python_api.scopes import undefined_names
from ml_agent.tools.python_source import parse_python
from ml_agent.tools.usage.entry import upwards

_IMPORT_LINE = re.compile(r"^[^\S\n]*+(?:from\s+([\w.]+)\s+import\s+([\w, ]+)|import\s+([\w.]+))", re.MULTILINE)
_MOST_LINES = 400
"""An example that would need more lines than this is shown without what came before."""


class Block(NamedTuple):
    """A piece of Python with what it binds and what it needs."""

    text: str
    bound: frozenset[str]
    needed: frozenset[str]

    @classmethod
    def alone(cls, text: str) -> "Block":
        """A piece with nothing before it that it could need."""
        return cls(text, frozenset(), frozenset())


def read_block(text: str) -> Block:
    """A piece of Python; where it does not parse, nothing is known of its names."""
    tree = parse_python(text)
    if tree is None:
        return Block.alone(text)
    return Block(text, frozenset(_bound_names(tree)), frozenset(item.name for item in undefined_names(tree)))


class Blocks:
    """The pieces of Python of one document, in order; each may need earlier ones."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._binders: dict[str, list[int]] = {}
        """By name the blocks that bind it, in order."""

    def add(self, block: Block) -> str:
        """Take the next block; returns it with the earlier blocks in front that it cannot do without."""
        self._blocks.append(block)
        text = self._with_earlier(len(self._blocks) - 1)
        for name in block.bound:
            self._binders.setdefault(name, []).append(len(self._blocks) - 1)
        return text

    def _with_earlier(self, position: int) -> str:
        own = self._blocks[position]
        wanted = set(own.needed)
        pending = [(-at, name) for name in wanted if (at := self._last(name, position)) >= 0]
        heapq.heapify(pending)
        taken, lines = {position}, own.text.count("\n")
        while pending:
            at, name = -pending[0][0], heapq.heappop(pending)[1]
            if name not in wanted or at in taken:
                continue
            block = self._blocks[at]
            taken.add(at)
            lines += block.text.count("\n") + 2
            if lines >= _MOST_LINES:
                return own.text
            wanted = (wanted - block.bound) | block.needed
            for other in block.needed:
                earlier = self._last(other, at)
                if earlier >= 0:
                    heapq.heappush(pending, (-earlier, other))
        return "\n\n".join(self._blocks[at].text for at in sorted(taken))

    def _last(self, name: str, before: int) -> int:
        """The last block before a place that binds a name; -1 where none does."""
        binders = self._binders.get(name, [])
        found = bisect_left(binders, before)
        return binders[found - 1] if found else -1


def _bound_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name.split(".")[0]


def python_workdir(text: str, api: ApiIndex, folder: str) -> str:
    """The folder from which a piece of Python finds what it imports: the document's own, or the nearest one above it."""
    tops = imported_tops(imports_in(text))
    places = (place for place in upwards(folder) if any(api.modules.find(place, top) for top in tops))
    return next(places, folder)


def api_names(text: str, api: ApiIndex, workdir: str) -> tuple[str, ...]:
    """The dotted names of the repository's own API that a piece of Python imports or uses, sorted."""
    tree = parse_python(text)
    imported = _imports(tree) if tree is not None else _imports_by_line(text)
    own = {local: dotted for local, dotted in imported.items() if api.claims(dotted.split(".")[0], workdir)}
    found = {*own.values(), *(_used_chains(tree, own) if tree is not None else ())}
    return tuple(sorted(name for name in found if not any(other.startswith(name + ".") for other in found)))


def _imports(tree: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}".removesuffix(".*")
        elif isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name] = alias.name
                if not alias.asname:
                    top = alias.name.split(".")[0]
                    found.setdefault(top, top)
    return found


def _imports_by_line(text: str) -> dict[str, str]:
    """Imports of what does not parse as a whole."""
    found: dict[str, str] = {}
    for source, names, module in _IMPORT_LINE.findall(text):
        if module:
            found[module] = module
        for name in names.split(","):
            word = name.split()
            if word:
                found[word[-1]] = f"{source}.{word[0]}"
    return found


def _used_chains(tree: ast.Module, own: dict[str, str]) -> Iterator[str]:
    """The longest attribute chains that begin with an imported name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            chain = ast.unparse(node)
            local = next((name for name in own if chain.startswith(name + ".")), None)
            if local is not None and re.fullmatch(r"[\w.]+", chain):
                yield own[local] + chain[len(local) :]
