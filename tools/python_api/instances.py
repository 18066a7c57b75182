"""What the objects are that calls give, and what they have."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from ml_agent.tools.outline import Outline
from ml_agent.tools.python_api.bindings import SELF
from ml_agent.tools.python_api.hierarchy import DefinitionSite
from ml_agent.tools.python_api.model import UNKNOWN, ApiObject, ModuleFacts, Unknown
from ml_agent.tools.python_api.resolver import Resolver

_BASE = re.compile(r"(?<![\w.])([\w.]+)(?:\[[^\]]*\])?(?=,|$)")


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
                bases = cls.head.partition("(")[2].rpartition(")")[0]
                for base in _BASE.findall(bases):
                    last = base.rpartition(".")[2]
                    found.setdefault(renamed.get(last, last), []).append((path, cls.name))
        return found


_DEEPEST = 8
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


class Instances:
    """Types of objects, as far as the source tells them."""

    def __init__(self, resolver: Resolver, subclasses: Subclasses) -> None:
        self._resolver = resolver
        self._subclasses = subclasses

    def class_of(self, called: ApiObject) -> ApiObject | None:
        """The class of what a call of a class or function gives; None where that cannot be told."""
        for _ in range(_DEEPEST):
            if called.kind == "class":
                return called
            place = self._resolver.definition(called)
            if place is None or not place.definition.returns:
                return None
            if place.definition.returns == SELF:
                return None
            found = self._resolver.inside(place.facts, place.definition.returns)
            if not isinstance(found, ApiObject) or found.kind not in ("class", "function"):
                return None
            called = found
        return None

    def has(self, owner: ApiObject, name: str) -> bool | Unknown:
        """Whether instances of a class have an attribute; UNKNOWN where foreign code or a name made at run time decides."""
        place = self._resolver.definition(owner)
        if place is None:
            return UNKNOWN
        unsure = False
        for member, foreign in self._resolver.family(place):
            cls = member.definition
            if name in cls.attributes or name.startswith("__") or self._resolver.defines(member, name):
                return True
            foreign = tuple(base for base in foreign if base.split("[")[0].rpartition(".")[2] not in _PLAIN)
            if name in _OF_TORCH_MODULE and not _TORCH_MODULE.isdisjoint(foreign):
                return True
            certain = cls.sure and not cls.open and not cls.fields and not self._resolver.ambiguous(member)
            unsure = unsure or not certain or not _TORCH_MODULE.issuperset(foreign)
        return UNKNOWN if unsure else False

    def below(self, owner: ApiObject) -> list[ApiObject]:
        """The classes that may be what an object is of which only a base is told."""
        return [self._resolver.public(one) for one in self._subclasses.below(owner.name.rpartition(".")[2])]

    def method(self, owner: ApiObject, name: str) -> ApiObject | None:
        """A method of a class or of its bases; None where the source shows none."""
        place = self._resolver.definition(owner)
        found = self._resolver.method(place, name) if place is not None else None
        return found if isinstance(found, ApiObject) and found.kind in ("method", "function") else None

    def result(self, owner: ApiObject, method: ApiObject) -> ApiObject | None:
        """The class of what a method of an object gives; None where that cannot be told.

        One that gives a base of its own class may give an object of the class itself.
        """
        place = self._resolver.definition(method)
        if place is not None and place.definition.returns == SELF:
            return owner
        found = self.class_of(method) if method.kind != "class" else None
        return None if found in (owner, *self.bases(owner)) else found

    def bases(self, owner: ApiObject) -> list[ApiObject]:
        """The bases of a class that the repository defines, depth first."""
        place = self._resolver.definition(owner)
        return [] if place is None else [self._resolver.public(one) for one, _ in self._resolver.family(place)][1:]

    def methods(self, owner: ApiObject) -> list[str]:
        """The public methods that a class defines itself."""
        place = self._resolver.definition(owner)
        return (
            []
            if place is None
            else [name for name in self._resolver.own_methods(place.facts, place.definition) if name[0] != "_"]
        )
