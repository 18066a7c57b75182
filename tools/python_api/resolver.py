"""Follows names through definitions, imports and re-exports."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tools.python_api.model import UNKNOWN, ApiFacts, ApiObject, Definition, Import, ModuleFacts, Parameter, Unknown
from tools.python_api.modules import ModuleTable, join

Resolved = ApiObject | Unknown | None

_MODULE_NAMES = frozenset(
    ["__name__", "__file__", "__doc__", "__path__", "__dict__", "__package__", "__spec__", "__loader__"]
)
_PLAIN_BASES = frozenset(["object", "ABC", "Generic", "Protocol", "NamedTuple"])
_DEEPEST = 30


class Constructor(NamedTuple):
    """What a call of a class takes, and whether that is certain."""

    parameters: tuple[Parameter, ...]
    sure: bool


class _Names:
    """The names of one module."""

    def __init__(self, facts: ModuleFacts) -> None:
        self.definitions: dict[str, list[Definition]] = {}
        for definition in facts.definitions:
            self.definitions.setdefault(definition.name, []).append(definition)
        self.imports: dict[str, list[Import]] = {}
        for item in facts.imports:
            self.imports.setdefault(item.local, []).append(item)
        self.attributes = frozenset(facts.attributes)

    def ambiguous(self, name: str) -> bool:
        """Whether the name is bound more than once."""
        return len(self.definitions.get(name, ())) > 1 or name in self.imports or name in self.attributes


class Resolver:
    """Name lookup over the facts of a repository's modules."""

    def __init__(self, facts: ApiFacts, modules: ModuleTable) -> None:
        self._facts = {module.path: module for module in facts.modules}
        self._modules = modules
        self._names: dict[str, _Names] = {}
        self._followed: set[tuple[str, str]] = set()

    def first(self, roots: Sequence[str], parts: list[str], depth: int = 0) -> Resolved:
        """What a dotted name means from the first of those folders that has it; None only where none of them has."""
        answer: Resolved = None
        for root in roots:
            found = self._walk(self._modules.find(root, parts[0]), parts[1:], depth)
            if isinstance(found, ApiObject):
                return found
            answer = answer or found
        return answer

    def names(self, place: str, depth: int = 0) -> set[str]:
        """All names that a module is known to have, those of its submodules included."""
        facts = self._facts.get(place)
        folder = place.removesuffix("/__init__.py")
        found = set(self._modules.children(folder)) if facts is None or folder != place else set()
        if facts is None or depth > _DEEPEST:
            return found
        table = self._table(facts)
        found |= {name for name in table.definitions if "." not in name} | set(table.imports) | table.attributes
        for star in facts.stars:
            target = self._target(facts, star, [], depth + 1)
            if isinstance(target, ApiObject) and target.path != place:
                found |= self._exported(target.path, depth + 1)
        return found

    def objects(self) -> Iterator[ApiObject]:
        """All public classes and functions at the top level of modules."""
        for facts in self._facts.values():
            for definition in facts.definitions:
                if "." not in definition.name and not definition.name.startswith("_"):
                    yield self._object(facts, definition, 0)

    def definition(self, found: ApiObject) -> tuple[ModuleFacts, Definition] | None:
        """Where a class or function stands; None where its name is bound more than once there."""
        facts = self._facts.get(found.path)
        if facts is None:
            return None
        name = found.name.removeprefix(self._modules.dotted(found.path) + ".")
        definitions = self._table(facts).definitions.get(name, ())
        return (facts, definitions[0]) if len(definitions) == 1 and not self._table(facts).ambiguous(name) else None

    def inside(self, facts: ModuleFacts, dotted: str) -> Resolved:
        """What a dotted name means inside a module."""
        return self._member(facts, dotted.split("."), 0)

    def own_methods(self, facts: ModuleFacts, owner: Definition) -> list[str]:
        """The methods that a class defines itself."""
        inner = f"{owner.name}."
        return [name.removeprefix(inner) for name in self._table(facts).definitions if name.startswith(inner)]

    def method(self, facts: ModuleFacts, owner: Definition, name: str) -> Resolved:
        """A method of a class or of its bases; UNKNOWN for other attributes."""
        return self._method(facts, owner, name, 0)

    def _table(self, facts: ModuleFacts) -> _Names:
        if facts.path not in self._names:
            self._names[facts.path] = _Names(facts)
        return self._names[facts.path]

    def _walk(self, place: str | None, parts: list[str], depth: int) -> Resolved:
        """What the parts of a name mean below a module's file or a folder."""
        if place is None:
            return None
        if depth > _DEEPEST:
            return UNKNOWN
        facts = self._facts.get(place)
        if not parts:
            return ApiObject(
                name=self._modules.dotted(place), kind="module", path=place, doc=facts.doc if facts else ""
            )
        if facts is not None:
            return self._member(facts, parts, depth + 1)
        return self._submodule(place, parts, depth + 1)

    def _submodule(self, folder: str, parts: list[str], depth: int) -> Resolved:
        found = self._modules.find(folder, parts[0])
        if found is None:
            return UNKNOWN if self._modules.is_compiled(folder, parts[0]) else None
        return self._walk(found, parts[1:], depth)

    def _member(self, facts: ModuleFacts, parts: list[str], depth: int) -> Resolved:
        """What a name means in a module."""
        name, table = parts[0], self._table(facts)
        if depth > _DEEPEST:
            return UNKNOWN
        if name in table.definitions:
            return self._defined(facts, parts, depth)
        if name in table.imports and (facts.path, name) not in self._followed:
            return self._imported(facts, parts, depth)
        if facts.path.endswith("__init__.py"):
            below = self._submodule(facts.path.removesuffix("__init__.py").rstrip("/") or ".", parts, depth)
            if below is not None:
                return below
        if name in table.attributes or name in _MODULE_NAMES:
            return UNKNOWN if parts[1:] else self._attribute(facts, name)
        return self._from_stars(facts, parts, depth)

    def _attribute(self, facts: ModuleFacts, name: str) -> ApiObject:
        return ApiObject(
            name=f"{self._modules.dotted(facts.path)}.{name}", kind="attribute", path=facts.path, sure=False
        )

    def _imported(self, facts: ModuleFacts, parts: list[str], depth: int) -> Resolved:
        """Follow an import; where it leads nowhere, the repository is broken there or built later: unknown.

        While it is followed, the name in this module means no import: `from . import x` in a package means the submodule.
        """
        self._followed.add((facts.path, parts[0]))
        try:
            found = [self._through(facts, item, parts[1:], depth) for item in self._table(facts).imports[parts[0]]]
        finally:
            self._followed.discard((facts.path, parts[0]))
        there = next((answer for answer in found if isinstance(answer, ApiObject)), None)
        return there or (UNKNOWN if UNKNOWN in found else None)

    def _through(self, facts: ModuleFacts, item: Import, rest: list[str], depth: int) -> Resolved:
        """What a name means below what an import binds; None only where that is a module that lacks it."""
        bound = [item.name] if item.name else []
        found = self._target(facts, item.module, bound + rest, depth)
        if found is not None or not rest:
            return found or UNKNOWN
        owner = self._target(facts, item.module, bound, depth)
        return None if isinstance(owner, ApiObject) else UNKNOWN

    def _from_stars(self, facts: ModuleFacts, parts: list[str], depth: int) -> Resolved:
        unsure = facts.dynamic
        for star in facts.stars:
            module = self._target(facts, star, [], depth)
            if isinstance(module, ApiObject):
                found = self._exports(module.path, parts, depth)
                if isinstance(found, ApiObject):
                    return found
                unsure = unsure or found is UNKNOWN
            else:
                unsure = True
        return UNKNOWN if unsure else None

    def _exports(self, place: str, parts: list[str], depth: int) -> Resolved:
        """What a star import of a module gives for a name."""
        facts = self._facts.get(place)
        if facts is None:
            return None
        hidden = parts[0].startswith("_") if facts.exported is None else parts[0] not in facts.exported
        if hidden:
            return UNKNOWN if facts.dynamic else None
        return self._member(facts, parts, depth + 1)

    def _exported(self, place: str, depth: int) -> set[str]:
        facts = self._facts.get(place)
        if facts is not None and facts.exported is not None:
            return set(facts.exported)
        return {name for name in self.names(place, depth) if not name.startswith("_")}

    def _target(self, facts: ModuleFacts, module: str, names: list[str], depth: int) -> Resolved:
        """What an import inside a module leads to; UNKNOWN for foreign modules."""
        bare = module.lstrip(".")
        level = len(module) - len(bare)
        folder = facts.path.rpartition("/")[0] or "."
        parts = [part for part in bare.split(".") if part] + names
        if level:
            for _ in range(level - 1):
                folder = folder.rpartition("/")[0] or "."
            init = join(folder, "__init__.py")
            return self._walk(init if init in self._facts else folder, parts, depth + 1)
        lone = self._modules.lone_root(parts[0])
        roots = [*self._modules.roots(parts[0], (folder,)), *([] if lone is None else [lone])]
        return self.first(roots, parts, depth + 1) if roots else UNKNOWN

    def _defined(self, facts: ModuleFacts, parts: list[str], depth: int) -> Resolved:
        definition = self._table(facts).definitions[parts[0]][-1]
        if not parts[1:]:
            return self._object(facts, definition, depth)
        if definition.kind != "class" or parts[2:]:
            return UNKNOWN
        return self._method(facts, definition, parts[1], depth)

    def _method(self, facts: ModuleFacts, owner: Definition, name: str, depth: int) -> Resolved:
        """A method of a class or of its bases; other attributes of classes and instances are not known."""
        own = self._table(facts).definitions.get(f"{owner.name}.{name}")
        if own:
            return self._object(facts, own[-1], depth)
        for base in owner.bases:
            found = self._base(facts, base, depth)
            if found is not None:
                method = self._method(found[0], found[1], name, depth + 1)
                if isinstance(method, ApiObject):
                    return method
        return UNKNOWN

    def _base(self, facts: ModuleFacts, base: str, depth: int) -> tuple[ModuleFacts, Definition] | None:
        """The class of the repository that a base means; None for a foreign one."""
        if depth > _DEEPEST or not all(part.isidentifier() for part in base.split(".")):
            return None
        found = self._member(facts, base.split("."), depth + 1)
        if not isinstance(found, ApiObject) or found.kind != "class":
            return None
        home = self._facts[found.path]
        definitions = self._table(home).definitions.get(found.name.rpartition(".")[2])
        return (home, definitions[-1]) if definitions else None

    def _object(self, facts: ModuleFacts, definition: Definition, depth: int) -> ApiObject:
        made = Constructor(definition.parameters, definition.sure)
        if definition.kind == "class":
            made = self._constructor(facts, definition, depth)
        return ApiObject(
            name=f"{self._modules.dotted(facts.path)}.{definition.name}",
            kind=definition.kind,
            path=facts.path,
            line=definition.line,
            parameters=made.parameters,
            doc=definition.doc,
            sure=made.sure and not self._table(facts).ambiguous(definition.name),
        )

    def _constructor(self, facts: ModuleFacts, owner: Definition, depth: int) -> Constructor:
        """What calling a class takes: its own `__init__`, its fields, or the first base that has one."""
        definitions = self._table(facts).definitions
        init, new = definitions.get(f"{owner.name}.__init__"), definitions.get(f"{owner.name}.__new__")
        if init or new:
            sure = owner.sure and not new and not _is_enum(owner)
            maker = (init or new or [])[-1]
            return Constructor(maker.parameters, sure and maker.sure and not (init and init[1:]))
        inherited = self._inherited(facts, owner, depth)
        if owner.fields:
            own = {item.name: item for item in inherited.parameters} | {item.name: item for item in owner.parameters}
            return Constructor(tuple(own.values()), owner.sure and inherited.sure)
        return Constructor(inherited.parameters, owner.sure and inherited.sure)

    def _inherited(self, facts: ModuleFacts, owner: Definition, depth: int) -> Constructor:
        for base in owner.bases:
            plain = base.split("[")[0]
            if plain.rpartition(".")[2] in _PLAIN_BASES:
                continue
            found = self._base(facts, plain, depth)
            if found is None:
                return Constructor((), sure=False)
            made = self._constructor(found[0], found[1], depth + 1)
            if made.parameters or not made.sure:
                return made
        return Constructor((), sure=True)


def _is_enum(owner: Definition) -> bool:
    return any(base.endswith(("Enum", "Flag")) for base in owner.bases)
