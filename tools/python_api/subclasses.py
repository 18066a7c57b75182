"""Which classes of a repository stand below one, by what their bases are called."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from ml_agent.tools.outline import Outline
from ml_agent.tools.python_api.hierarchy import DefinitionSite
from ml_agent.tools.python_api.model import ModuleFacts

_BASES = re.compile(r"\((.*)\)")
_BASE = re.compile(r"([\w.]+)(?:\[[^\]]*\])?(?=,|$)")


class Subclasses:
    """The classes of a repository by the last name of each base.

    Two classes of one name are held for the same: what is asked is whether an object may be more than a class that is known.

    Args:
        facts: What the Python files define.
        outlines: Gives what their texts say.
    """

    def __init__(self, facts: Mapping[str, ModuleFacts], outlines: Callable[[], Mapping[str, Outline]]) -> None:
        self._facts, self._outlines = facts, outlines

    def below(self, name: str) -> Iterator[DefinitionSite]:
        """The classes that have one of that name among their bases, or among the bases of those."""
        todo, seen = [name], {name}
        while todo:
            for path, cls in self._by_base.get(todo.pop(), ()):
                yield from (
                    DefinitionSite(self._facts[path], one) for one in self._facts[path].definitions if one.name == cls
                )
                if cls not in seen:
                    seen.add(cls)
                    todo.append(cls)

    @cached_property
    def _by_base(self) -> dict[str, list[tuple[str, str]]]:
        """File and name of the classes that name each base."""
        found: dict[str, list[tuple[str, str]]] = {}
        for path, outline in self._outlines().items():
            renamed = {item.local: item.name for item in outline.imports if item.name}
            for cls in (one for one in outline.names if one.kind == "class"):
                bases = _BASES.search(cls.head)
                for base in _BASE.findall(bases[1]) if bases else ():
                    last = base.rpartition(".")[2]
                    found.setdefault(renamed.get(last, last), []).append((path, cls.name))
        return found
