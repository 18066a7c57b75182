"""Classes of the repository whose base class is unknown, and objects that are known by half."""

import inspect
import types
from abc import ABCMeta
from collections.abc import Callable
from typing import Any

from .unknown import PLAIN, Hooks, Unknown, caller, operators

HALF: dict[int, Any] = {}
"""Objects on which a call did not come to its end, by id: their attributes may be missing for that reason."""


class Setting:
    """Set before the program starts."""

    answer = ""
    """The file of the answer's own code: there nothing is filled in."""
    harmless: Callable[[BaseException], bool] = staticmethod(lambda error: False)
    """Whether an error says nothing about the answer."""


class UnknownMeta(ABCMeta):
    """Gives a class that derives from an unknown one every class attribute, and missing arguments where they came from nowhere."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if caller().f_code.co_filename != Setting.answer:
            kwargs = _fill_required(cls.__init__, args, kwargs)  # type: ignore[misc]
        try:
            return super().__call__(*args, **kwargs)
        except Exception as error:  # foreign code raises anything; what no stub explains goes on
            made = half_made(cls, error)
            if made is None:
                raise
            return made

    def __getattr__(cls, name: str) -> Any:
        if name.startswith(("__", "_abc")):
            raise AttributeError(name)
        return Unknown(f"{cls.__name__}.{name}")


@operators
class UnknownBase(metaclass=UnknownMeta):
    """What a class really derives from where its base is unknown."""

    _unknown_name = "object"
    __hash__ = object.__hash__
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __repr__ = object.__repr__
    __str__ = object.__str__

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return super().__new__(cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __init_subclass__(cls, **kwargs: Any) -> None:
        pass

    def __bool__(self) -> bool:
        return True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        interface = INTERFACES.get(type(self)._unknown_name)
        if interface is None or (id(self) in HALF and mentioned(type(self), name)):
            return Unknown(f"{type(self).__name__}.{name}")
        return interface(self, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for name in ("forward", "call"):
            method = next((vars(c)[name] for c in type(self).__mro__ if name in vars(c)), None)
            if isinstance(method, types.FunctionType):
                inspect.signature(method).bind(self, *args, **kwargs)  # TypeError as the call itself would raise it
                break
        return Unknown(f"{type(self).__name__}()")


def base_class(name: str) -> type:
    """The class that stands in for the unknown class `name` as a base."""
    name = ALIASES.get(name, name)
    if name not in _bases:
        _bases[name] = UnknownMeta(name.rpartition(".")[2] or "Base", (UnknownBase,), {"_unknown_name": name})
    return _bases[name]


Hooks.base = staticmethod(base_class)
_bases: dict[str, type] = {}
ALIASES = {"torch.nn.modules.module.Module": "torch.nn.Module", "torch.nn.modules.Module": "torch.nn.Module"}


def _torch_module(self: Any, name: str) -> Any:
    """An attribute of torch.nn.Module that the class does not define itself (PyTorch documentation, torch.nn.Module)."""
    if name in MODULE_SELF:
        return lambda *args, **kwargs: self
    if name in ("register_buffer", "register_parameter", "add_module", "register_module"):
        return lambda key, value=None, **kwargs: setattr(self, str(key), value)
    if name in MODULE_OTHER:
        return True if name == "training" else Unknown(f"torch.nn.Module.{name}")
    raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)


MODULE_SELF = frozenset(
    [
        "to",
        "cuda",
        "cpu",
        "eval",
        "train",
        "float",
        "half",
        "double",
        "bfloat16",
        "requires_grad_",
        "apply",
        "type",
        "xpu",
        "ipu",
        "to_empty",
        "share_memory",
    ]
)
MODULE_OTHER = frozenset(
    [
        "parameters",
        "named_parameters",
        "state_dict",
        "load_state_dict",
        "children",
        "named_children",
        "modules",
        "named_modules",
        "buffers",
        "named_buffers",
        "zero_grad",
        "training",
        "compile",
        "get_submodule",
        "set_submodule",
        "get_parameter",
        "get_buffer",
        "get_extra_state",
        "set_extra_state",
        "extra_repr",
        "register_forward_hook",
        "register_forward_pre_hook",
        "register_backward_hook",
        "register_full_backward_hook",
        "register_full_backward_pre_hook",
        "register_load_state_dict_post_hook",
        "register_load_state_dict_pre_hook",
        "register_state_dict_post_hook",
        "register_state_dict_pre_hook",
        "dump_patches",
        "call_super_init",
        "T_destination",
        "forward",
        "_parameters",
        "_buffers",
        "_modules",
        "_forward_hooks",
        "_backward_hooks",
        "_forward_pre_hooks",
        "_load_from_state_dict",
        "_save_to_state_dict",
        "_apply",
        "_get_name",
        "_version",
        "_named_members",
        "_load_state_dict_pre_hooks",
        "_state_dict_hooks",
        "_non_persistent_buffers_set",
        "_register_load_state_dict_pre_hook",
        "_register_state_dict_hook",
        "_call_impl",
        "_replicate_for_data_parallel",
    ]
)
INTERFACES: dict[str, Callable[[Any, str], Any]] = {"torch.nn.Module": _torch_module}


def half_made(cls: Any, error: BaseException) -> Any:
    """An object of the class without its attributes where the error of its constructor says nothing; else None."""
    if not Setting.harmless(error):
        return None
    try:
        made = cls.__new__(cls)
    except TypeError:
        return None
    HALF[id(made)] = made
    return made


def blemish(function: Any, arguments: list[Any]) -> None:
    """Remember the objects on which a call did not come to its end."""
    for value in (getattr(function, "__self__", None), *arguments):
        if not isinstance(value, (*PLAIN, type, types.ModuleType, types.FunctionType)):
            HALF[id(value)] = value


def mentioned(cls: type, name: str) -> bool:
    """Whether a method of the class reads or sets an attribute of this name: a constructor that ended early may have made it."""
    functions = [v for c in cls.__mro__ for v in vars(c).values() if isinstance(v, types.FunctionType)]
    return any(name in f.__code__.co_names for f in functions)


def _fill_required(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments, and an unknown value for each required one that is missing: an unknown `**` mapping may have held it."""
    if not isinstance(function, types.FunctionType):
        return kwargs
    code = function.__code__
    required = code.co_varnames[1 : code.co_argcount - len(function.__defaults__ or ())][len(args) :]
    return {**{n: Unknown(n) for n in required if n not in kwargs}, **kwargs}
