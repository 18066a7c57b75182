"""What classes have from their bases; hierarchies may be cyclic, diamonds or endless."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ml_agent.tools.python_api.model import Definition, ModuleFacts, Parameter

_PLAIN_BASES = frozenset(["object", "ABC", "Generic", "Protocol", "NamedTuple"])
_DEEPEST = 60
_MOST_CLASSES = 200


class DefinitionSite(NamedTuple):
    """A definition and the module in which it stands."""

    facts: ModuleFacts
    definition: Definition


class Constructor(NamedTuple):
    """What a call of a class takes, and whether that is certain."""

    parameters: tuple[Parameter, ...]
    sure: bool


_UNSURE = Constructor((), sure=False)
BaseFinder = Callable[[DefinitionSite, str], DefinitionSite | None]
"""The class of the repository that a base of a class means, as written; None for a foreign one."""
DefinitionFinder = Callable[[ModuleFacts, str], list[Definition]]
"""The definitions of a name (`Model.forward`) in a module."""


class Hierarchy:
    """The classes of a repository and their bases; each class is worked out once."""

    def __init__(self, find_base: BaseFinder, definitions: DefinitionFinder) -> None:
        self._find_base = find_base
        self._definitions = definitions
        self._known: dict[tuple[str, str, int], Constructor] = {}
        self._bases: dict[tuple[str, str, int], dict[str, DefinitionSite | None]] = {}
        self._open: set[tuple[str, str, int]] = set()

    def family(self, place: DefinitionSite) -> Iterator[tuple[DefinitionSite, tuple[str, ...]]]:
        """A class and its bases of the repository, depth first, each once, with its bases from elsewhere as written."""
        seen: set[tuple[str, str, int]] = set()
        todo = [place]
        while todo and len(seen) < _MOST_CLASSES:
            current = todo.pop()
            if _key(current) in seen:
                continue
            seen.add(_key(current))
            bases = self._bases_of(current)
            yield current, tuple(base for base, found in bases.items() if found is None)
            todo.extend(found for found in reversed(bases.values()) if found is not None)

    def _bases_of(self, place: DefinitionSite) -> dict[str, DefinitionSite | None]:
        """The bases of a class by what is written; None for those from elsewhere."""
        key = _key(place)
        if key not in self._bases:
            self._bases[key] = {base: self._find_base(place, base) for base in place.definition.bases}
        return self._bases[key]

    def method(self, place: DefinitionSite, name: str) -> DefinitionSite | None:
        """A method of a class or of its bases."""
        for member, _ in self.family(place):
            own = self._definitions(member.facts, f"{member.definition.name}.{name}")
            if own:
                return DefinitionSite(member.facts, own[-1])
        return None

    def constructor(self, place: DefinitionSite) -> Constructor:
        """What calling a class takes: its own `__init__`, its fields, or the first base that has one.

        Unsure for a class that is, through its bases, its own base.
        """
        key = _key(place)
        if key in self._known:
            return self._known[key]
        if key in self._open or len(self._open) >= _DEEPEST:
            return _UNSURE
        self._open.add(key)
        try:
            self._known[key] = self._constructor(place)
        finally:
            self._open.discard(key)
        return self._known[key]

    def _constructor(self, place: DefinitionSite) -> Constructor:
        owner = place.definition
        init, new = (self._definitions(place.facts, f"{owner.name}.{name}") for name in ("__init__", "__new__"))
        if init or new:
            sure = owner.sure and not new and not any(base.endswith(("Enum", "Flag")) for base in owner.bases)
            maker = (init or new)[-1]
            return Constructor(maker.parameters, sure and maker.sure and len(init) < 2)
        if owner.fields:
            return self._field_constructor(place)
        inherited = self._inherited_constructor(place)
        return Constructor(inherited.parameters, owner.sure and inherited.sure)

    def _field_constructor(self, place: DefinitionSite) -> Constructor:
        """What the constructor takes that a dataclass makes: the fields of all its bases that have some, the farthest first.

        Unsure where a base from elsewhere may have fields, or where several bases have some, whose order matters.
        """
        members = list(self.family(place))
        fields = {
            i.name: i
            for member, _ in reversed(members)
            if member.definition.fields
            for i in member.definition.parameters
        }
        sure = all(member.definition.sure or not member.definition.fields for member, _ in members)
        closed = all(_last_name(base) in _PLAIN_BASES for _, foreign in members for base in foreign)
        straight = all(self._bases_with_fields(member) < 2 for member, _ in members)
        return Constructor(tuple(fields.values()), sure and closed and straight and len(members) < _MOST_CLASSES)

    def _bases_with_fields(self, place: DefinitionSite) -> int:
        found = [base for base in self._bases_of(place).values() if base is not None]
        return sum(any(member.definition.fields for member, _ in self.family(base)) for base in found)

    def _inherited_constructor(self, place: DefinitionSite) -> Constructor:
        for base in place.definition.bases:
            if _last_name(base) in _PLAIN_BASES:
                continue
            found = self._bases_of(place)[base]
            made = _UNSURE if found is None else self.constructor(found)
            if made.parameters or not made.sure:
                return made
        return Constructor((), sure=True)


def _key(place: DefinitionSite) -> tuple[str, str, int]:
    return (place.facts.path, place.definition.name, place.definition.line)


def _last_name(base: str) -> str:
    """The name of a base, as written, without its module and its parameters."""
    return base.split("[")[0].rpartition(".")[2]
