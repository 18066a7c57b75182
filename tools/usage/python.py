"""Python blocks of documents: which earlier blocks they build on, and where they run."""

import symtable
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ml_agent.tools.python_api.bindings import undefined_names
from ml_agent.tools.python_api.index import ApiIndex
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


def read_block(text: str, earlier: Collection[str] = ()) -> Block:
    """A piece of Python; where it does not parse, nothing is known of its names.

    Args:
        text: the piece.
        earlier: names that pieces before it bind.
    """
    tree = parse_python(text)
    try:
        table = symtable.symtable(text, "block", "exec") if tree is not None else None
    except (SyntaxError, RecursionError):
        table = None
    if tree is None or table is None:
        return Block.alone(text)
    bound = frozenset(
        one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported() or one.is_namespace()
    )
    used = set(_global_names(table))
    needed = used - bound
    if not (used & bound).isdisjoint(earlier):  # only then it matters whether they are used before they are bound here
        needed |= {item.name for item in undefined_names(tree)}
    return Block(text, bound, frozenset(needed))


def _global_names(table: symtable.SymbolTable, top: bool = True) -> Iterator[str]:
    """The names that a piece and its functions look up in the module."""
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (top or symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _global_names(child, top=False)


class Blocks:
    """The pieces of Python of one document, in order; each may need earlier ones."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._bound: set[str] = set()

    def add(self, text: str, alone: bool = False) -> str:
        """Take the next block; returns it with the earlier blocks in front that it cannot do without.

        Args:
            text: of the block.
            alone: whether no other needs it, and it needs none.
        """
        block = Block.alone(text) if alone else read_block(text, self._bound)
        text = self._with_earlier(block)
        self._blocks.append(block)
        self._bound |= block.bound
        return text

    def _with_earlier(self, own: Block) -> str:
        wanted, taken, lines = own.needed, [own.text], own.text.count("\n")
        for block in reversed(self._blocks):
            if wanted.isdisjoint(block.bound):
                continue
            wanted = (wanted - block.bound) | block.needed
            taken.insert(0, block.text)
            lines += block.text.count("\n") + 2
            if lines >= _MOST_LINES:
                return own.text
        return "\n\n".join(taken)


def python_workdir(tops: Collection[str], api: ApiIndex, folder: str) -> str:
    """The folder from which Python finds the top-level modules that it imports: the document's own, or the nearest one above it."""
    places = (place for place in upwards(folder) if any(api.modules.find(place, top) for top in tops))
    return next(places, folder)
