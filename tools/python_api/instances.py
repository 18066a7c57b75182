"""What objects of the repository's classes have."""

from ml_agent.tools.python_api.model import UNKNOWN, ApiObject, Unknown
from ml_agent.tools.python_api.resolver import Resolver

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

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

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

    def method(self, owner: ApiObject, name: str) -> ApiObject | None:
        """A method of a class or of its bases; None where the source shows none."""
        place = self._resolver.definition(owner)
        found = self._resolver.method(place, name) if place is not None else None
        return found if isinstance(found, ApiObject) and found.kind in ("method", "function") else None

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
