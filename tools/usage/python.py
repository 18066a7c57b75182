"""Python blocks of documents: which earlier blocks they build on, and where they run."""

import ast
import heapq
from bisect import bisect_left
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ml_agent.tools.python_api.index import ApiIndex
from ml_agent.tools.python_api.scopes import undefined_names
from ml_agent.tools.python_source import parse_python
from ml_agent.tools.usage.entry import upwards

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


def python_workdir(tops: Collection[str], api: ApiIndex, folder: str) -> str:
    """The folder from which Python finds the top-level modules that it imports: the document's own, or the nearest one above it."""
    places = (place for place in upwards(folder) if any(api.modules.find(place, top) for top in tops))
    return next(places, folder)
