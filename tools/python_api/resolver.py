"""Follows names through definitions, imports and re-exports."""

from collections.abc import Mapping, Sequence

from ml_agent.tools.outline import Import
from ml_agent.tools.python_api.hierarchy import Constructor, DefinitionSite, Hierarchy
from ml_agent.tools.python_api.model import UNKNOWN, ApiObject, Definition, ModuleFacts, Unknown
from ml_agent.tools.python_api.modules import ModuleTable, join

Resolved = ApiObject | Unknown | None
_Found = ApiObject | DefinitionSite | Unknown | None

_MODULE_NAMES = frozenset(
    ["__name__", "__file__", "__doc__", "__path__", "__dict__", "__package__", "__spec__", "__loader__"]
)
_PLAIN = frozenset(["object", "ABC", "Generic", "Protocol"])
_TORCH_MODULE = frozenset(["nn.Module", "torch.nn.Module"])
_OF_TORCH_MODULE = frozenset((
    "training", "dump_patches", "call_super_init", "forward", "add_module", "register_module", "register_buffer",
    "register_parameter", "get_submodule", "set_submodule", "get_parameter", "get_buffer", "get_extra_state",
    "set_extra_state", "apply", "cuda", "ipu", "xpu", "mtia", "cpu", "type", "float", "double", "half", "bfloat16",
    "to", "to_empty", "state_dict", "load_state_dict", "parameters", "named_parameters", "buffers", "named_buffers",
    "children", "named_children", "modules", "named_modules", "train", "eval", "requires_grad_", "zero_grad",
    "share_memory", "extra_repr", "compile", "register_forward_hook", "register_forward_pre_hook",
    "register_full_backward_hook", "register_full_backward_pre_hook", "register_backward_hook",
    "register_state_dict_post_hook", "register_state_dict_pre_hook", "register_load_state_dict_pre_hook",
    "register_load_state_dict_post_hook",
))  # fmt: skip
"""Public attributes of torch.nn.Module, as its documentation lists them."""
_DEEPEST = 30
_MOST_STEPS = 5_000
"""Modules that one lookup may look into, again and again: imports and star imports can branch without end."""


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

    def __init__(self, facts: Mapping[str, ModuleFacts], modules: ModuleTable) -> None:
        self._facts = facts
        self._modules = modules
        self._names: dict[str, _Names] = {}
        self._followed: set[tuple[str, str]] = set()
        self._star_sources: dict[str, tuple[list[str], bool]] = {}
        self._hierarchy = Hierarchy(self._base, self._definitions)
        self._steps = 0

    def first(self, roots: Sequence[str], parts: list[str]) -> Resolved:
        """What a dotted name means from the first of those folders that has it; None only where none of them has."""
        self._steps = 0
        return self._public(self._first(roots, parts, 0))

    def names(self, place: str) -> set[str]:
        """All names that a module is known to have, those of its submodules included."""
        self._steps = 0
        found: set[str] = set()
        todo, seen = [(place, True)], {place}
        while todo:
            path, own = todo.pop()
            found |= self._visible_names(path, own)
            for source in self._stars(self._facts[path])[0] if path in self._facts else ():
                if source not in seen and (own or self._facts[path].exported is None):
                    seen.add(source)
                    todo.append((source, False))
        return found

    def _visible_names(self, path: str, own: bool) -> set[str]:
        """The names of a module without those of star imports: all of them, or what a star import of it brings."""
        facts = self._facts.get(path)
        if not own and facts is not None and facts.exported is not None:
            return set(facts.exported)
        folder = path.removesuffix("/__init__.py")
        found = set(self._modules.children(folder)) if facts is None or folder != path else set()
        if facts is not None:
            table = self._table(facts)
            found |= {name for name in table.definitions if "." not in name} | set(table.imports) | table.attributes
        return found if own else {name for name in found if not name.startswith("_")}

    def whole(self, found: ApiObject) -> ApiObject:
        """A class or function of which the file and the name are known, with what a call of it takes."""
        self._steps = 0
        name = found.name.removeprefix(self._modules.dotted(found.path) + ".")
        definitions = self._definitions(self._facts[found.path], name) if found.path in self._facts else []
        return self._object(DefinitionSite(self._facts[found.path], definitions[-1])) if definitions else found

    def definition(self, found: ApiObject) -> DefinitionSite | None:
        """Where a class or function stands; None where its name is bound more than once there."""
        facts = self._facts.get(found.path)
        if facts is None:
            return None
        name = found.name.removeprefix(self._modules.dotted(found.path) + ".")
        definitions = self._definitions(facts, name)
        return DefinitionSite(facts, definitions[0]) if definitions and not self._table(facts).ambiguous(name) else None

    def inside(self, path: str, dotted: str) -> Resolved:
        """What a dotted name means inside the module of a file; UNKNOWN where that is no file of the repository."""
        self._steps = 0
        facts = self._facts.get(path)
        return UNKNOWN if facts is None else self._public(self._member(facts, dotted.split("."), 0))

    def has(self, owner: ApiObject, name: str) -> bool | Unknown:
        """Whether instances of a class have an attribute; UNKNOWN where foreign code or a name made at run time decides."""
        place = self.definition(owner)
        if place is None:
            return UNKNOWN
        unsure, self._steps = False, 0
        for member, foreign in self._hierarchy.family(place):
            cls = member.definition
            own = name in cls.attributes or name.startswith("__")
            if own or self._definitions(member.facts, f"{cls.name}.{name}"):
                return True
            foreign = tuple(base for base in foreign if base.split("[")[0].rpartition(".")[2] not in _PLAIN)
            if name in _OF_TORCH_MODULE and not _TORCH_MODULE.isdisjoint(foreign):
                return True
            certain = cls.sure and not cls.open and not cls.fields and not self._table(member.facts).ambiguous(cls.name)
            unsure = unsure or not certain or not _TORCH_MODULE.issuperset(foreign)
        return UNKNOWN if unsure else False

    def method(self, owner: ApiObject, name: str) -> ApiObject | None:
        """A method of a class or of its bases; None where the source shows none."""
        place, self._steps = self.definition(owner), 0
        found = self._hierarchy.method(place, name) if place is not None else None
        made = self._object(found) if found is not None else None
        return made if made is not None and made.kind in ("method", "function") else None

    def bases(self, owner: ApiObject) -> list[ApiObject]:
        """The bases of a class that the repository defines, depth first."""
        place, self._steps = self.definition(owner), 0
        return [] if place is None else [self._object(one) for one, _ in self._hierarchy.family(place)][1:]

    def methods(self, owner: ApiObject) -> list[str]:
        """The public methods that a class defines itself."""
        place = self.definition(owner)
        inner = f"{place.definition.name}." if place is not None else ""
        names = self._table(place.facts).definitions if place is not None else {}
        return [name.removeprefix(inner) for name in names if name.startswith(inner) and name[len(inner)] != "_"]

    def _public(self, found: _Found) -> Resolved:
        return self._object(found) if isinstance(found, DefinitionSite) else found

    def _definitions(self, facts: ModuleFacts, name: str) -> list[Definition]:
        return self._table(facts).definitions.get(name, [])

    def _first(self, roots: Sequence[str], parts: list[str], depth: int) -> _Found:
        answer: _Found = None
        for root in roots:
            found = self._walk(self._modules.find(root, parts[0]), parts[1:], depth)
            if isinstance(found, (ApiObject, DefinitionSite)):
                return found
            answer = answer or found
        return answer

    def _table(self, facts: ModuleFacts) -> _Names:
        if facts.path not in self._names:
            self._names[facts.path] = _Names(facts)
        return self._names[facts.path]

    def _walk(self, place: str | None, parts: list[str], depth: int) -> _Found:
        """What the parts of a name mean below a module's file or a folder."""
        if place is None:
            return None
        self._steps += 1
        if depth > _DEEPEST or self._steps > _MOST_STEPS:
            return UNKNOWN
        facts = self._facts.get(place)
        if not parts:
            return ApiObject(
                name=self._modules.dotted(place), kind="module", path=place, doc=facts.doc if facts else ""
            )
        if facts is not None:
            return self._member(facts, parts, depth + 1)
        return self._submodule(place, parts, depth + 1)

    def _submodule(self, folder: str, parts: list[str], depth: int) -> _Found:
        found = self._modules.find(folder, parts[0])
        if found is None:
            return UNKNOWN if self._modules.is_compiled(folder, parts[0]) else None
        return self._walk(found, parts[1:], depth)

    def _member(self, facts: ModuleFacts, parts: list[str], depth: int) -> _Found:
        """What a name means in a module."""
        found = self._own(facts, parts, depth)
        return self._from_stars(facts, parts, depth) if found is None else found

    def _own(self, facts: ModuleFacts, parts: list[str], depth: int) -> _Found:
        """What a name means in a module, but for what star imports bring."""
        name, table = parts[0], self._table(facts)
        self._steps += 1
        if depth > _DEEPEST or self._steps > _MOST_STEPS:
            return UNKNOWN
        if name in table.definitions:
            return self._definition(facts, parts)
        if name in table.imports and (facts.path, name) not in self._followed:
            return self._follow_import(facts, parts, depth)
        if facts.path.endswith("__init__.py"):
            below = self._submodule(facts.path.removesuffix("__init__.py").rstrip("/") or ".", parts, depth)
            if below is not None:
                return below
        if name in table.attributes or name in _MODULE_NAMES:
            return UNKNOWN if parts[1:] else self._attribute(facts, name)
        return None

    def _attribute(self, facts: ModuleFacts, name: str) -> ApiObject:
        return ApiObject(
            name=f"{self._modules.dotted(facts.path)}.{name}", kind="attribute", path=facts.path, sure=False
        )

    def _follow_import(self, facts: ModuleFacts, parts: list[str], depth: int) -> _Found:
        """Follow an import; where it leads nowhere, the repository is broken there or built later: unknown.

        While it is followed, the name in this module means no import: `from . import x` in a package means the submodule.
        """
        self._followed.add((facts.path, parts[0]))
        try:
            found = [self._through(facts, item, parts[1:], depth) for item in self._table(facts).imports[parts[0]]]
        finally:
            self._followed.discard((facts.path, parts[0]))
        there = next((answer for answer in found if isinstance(answer, (ApiObject, DefinitionSite))), None)
        return there or (UNKNOWN if UNKNOWN in found else None)

    def _through(self, facts: ModuleFacts, item: Import, rest: list[str], depth: int) -> _Found:
        """What a name means below what an import binds; None only where that is a module that lacks it."""
        bound = [item.name] if item.name else []
        found = self._target(facts, item.module, bound + rest, depth)
        if found is not None or not rest:
            return found or UNKNOWN
        owner = self._target(facts, item.module, bound, depth)
        return None if isinstance(owner, (ApiObject, DefinitionSite)) else UNKNOWN

    def _from_stars(self, facts: ModuleFacts, parts: list[str], depth: int) -> _Found:
        """What the star imports of a module, and those of the modules that they name, bring under a name."""
        unsure = facts.dynamic
        todo, seen = [facts], {facts.path}
        while todo:
            sources, foreign = self._stars(todo.pop(0))
            unsure = unsure or foreign
            for source in (self._facts[path] for path in sources if path in self._facts and path not in seen):
                seen.add(source.path)
                name, listed = parts[0], source.exported
                if name.startswith("_") if listed is None else name not in listed:  # the star leaves it out
                    unsure = unsure or source.dynamic
                    continue
                found = self._own(source, parts, depth + 1)
                if isinstance(found, (ApiObject, DefinitionSite)):
                    return found
                unsure = unsure or source.dynamic or found is UNKNOWN
                todo.append(source)
        return UNKNOWN if unsure else None

    def _stars(self, facts: ModuleFacts) -> tuple[list[str], bool]:
        """The modules of the repository that a module star-imports, and whether it does so with others."""
        if facts.path not in self._star_sources:
            self._star_sources[facts.path] = ([], True)  # while it is worked out: a package may import itself
            found = [self._target(facts, star, [], 1) for star in facts.stars]
            paths = [item.path for item in found if isinstance(item, ApiObject)]
            self._star_sources[facts.path] = (paths, len(paths) < len(found))
        return self._star_sources[facts.path]

    def _target(self, facts: ModuleFacts, module: str, names: list[str], depth: int) -> _Found:
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
        return self._first(roots, parts, depth + 1) if roots else UNKNOWN

    def _definition(self, facts: ModuleFacts, parts: list[str]) -> _Found:
        place = DefinitionSite(facts, self._table(facts).definitions[parts[0]][-1])
        if not parts[1:]:
            return place
        if place.definition.kind != "class" or parts[2:]:
            return UNKNOWN
        return self._hierarchy.method(place, parts[1]) or UNKNOWN

    def _base(self, owner: DefinitionSite, base: str) -> DefinitionSite | None:
        """The class of the repository that a base means; None for a foreign one.

        A class that has the name of its base (`class Logger(Logger)`) means what the module imported under that name.
        """
        parts = base.split("[")[0].split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        own_name = parts == [owner.definition.name]
        if own_name and parts[0] not in self._table(owner.facts).imports:
            return None
        find = self._follow_import if own_name else self._member
        found = find(owner.facts, parts, 1)
        return found if isinstance(found, DefinitionSite) and found.definition.kind == "class" else None

    def _object(self, place: DefinitionSite) -> ApiObject:
        facts, definition = place
        made = Constructor(definition.parameters, definition.sure)
        if definition.kind == "class":
            made = self._hierarchy.constructor(place)
        return ApiObject(
            name=f"{self._modules.dotted(facts.path)}.{definition.name}",
            kind=definition.kind,
            path=facts.path,
            line=definition.line,
            parameters=made.parameters,
            doc=definition.doc,
            sure=made.sure and not self._table(facts).ambiguous(definition.name),
        )
