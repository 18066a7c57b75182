"""Which classes of a repository stand below one, by what their bases are called."""

from collections.abc import Iterator
from functools import cached_property

from ml_agent.tools.python_api.hierarchy import DefinitionSite
from ml_agent.tools.python_api.model import ApiFacts


class Subclasses:
    """The classes of a repository by the last name of each base.

    Two classes of one name are held for the same: what is asked is whether an object may be more than a class that is known.

    Args:
        facts: What was read from the repository's Python files.
    """

    def __init__(self, facts: ApiFacts) -> None:
        self._facts = facts

    def below(self, name: str) -> Iterator[DefinitionSite]:
        """The classes that have one of that name among their bases, or among the bases of those."""
        todo, seen = [name], {name}
        while todo:
            for place in self._by_base.get(todo.pop(), ()):
                yield place
                if place.definition.name not in seen:
                    seen.add(place.definition.name)
                    todo.append(place.definition.name)

    @cached_property
    def _by_base(self) -> dict[str, list[DefinitionSite]]:
        found: dict[str, list[DefinitionSite]] = {}
        for facts in self._facts.modules:
            renamed = {item.local: item.name for item in facts.imports if item.name}
            for definition in facts.definitions:
                for base in definition.bases:
                    last = base.split("[")[0].rpartition(".")[2]
                    found.setdefault(renamed.get(last, last), []).append(DefinitionSite(facts, definition))
        return found
