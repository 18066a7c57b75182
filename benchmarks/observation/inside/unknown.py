"""Unknown values: what comes out of libraries that are not there. They accept everything.

Three things are recorded by code object, so that a failure can be told from a consequence of not knowing: DECIDED, the lines on
which an unknown value chose a branch; BLURRED, the functions in which one became a plain number; ABSENT, the functions that
looked for a file that is not there.
"""

import dis
import sys
import types
from abc import ABCMeta
from collections.abc import Callable, Iterator
from typing import Any

MARK = "__unknown__"
DECIDED: dict[types.CodeType, set[int]] = {}
BLURRED: set[types.CodeType] = set()
ABSENT: set[types.CodeType] = set()
HANDED: list[Any] = []
"""Command-line parsers that were given to an unknown function, which may have added options."""
HALF: dict[int, Any] = {}
"""Objects whose constructor did not come to its end, by id: their attributes may be missing for that reason."""
LOOP_LIMIT = 40
PLAIN = (str, bytes, int, float, complex, bool, list, tuple, dict, set, type(None))
OWN = __file__.rpartition("/")[0]


class Hooks:
    """What the other modules tell the values; set before the program starts."""

    harmless: Callable[[BaseException], bool] = staticmethod(lambda error: False)
    """Whether an error says nothing about the answer."""
    watched: tuple[type, ...] = ()
    """Classes whose instances are recorded in HANDED."""


_turns: dict[tuple[types.CodeType, int], int] = {}


def caller() -> types.FrameType:
    """The innermost frame that is not ours: calls of the program may have passed through our hands."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(OWN) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _decide(*_of: Any) -> bool:
    """The truth of an unknown value for the code that asks: true until a loop turned often enough."""
    frame = caller()
    DECIDED.setdefault(frame.f_code, set()).add(frame.f_lineno)
    key = (frame.f_code, frame.f_lasti)
    _turns[key] = _turns.get(key, 0) + 1
    return _turns[key] <= LOOP_LIMIT


def _number(number: Any) -> Callable[[Any], Any]:
    """What makes a plain number of an unknown value."""

    def blurred(_of: Any) -> Any:
        BLURRED.add(caller().f_code)
        return number

    return blurred


def _unpacked(value: Any) -> Iterator[Any]:
    """As many values as the instruction wants that iterates; 1 in a loop or in a function written in C."""
    frame = sys._getframe(1)
    code, at = frame.f_code.co_code, frame.f_lasti
    name = dis.opname[code[at]] if 0 <= at < len(code) - 1 else ""
    count = code[at + 1] + (name == "UNPACK_EX") if name in ("UNPACK_SEQUENCE", "UNPACK_EX") else 1
    return iter([made_of(value, "[]") for _ in range(count)])


def _stop(_of: Any) -> Any:
    raise StopIteration


def _nothing(*_of: Any) -> None:
    pass


def _same(self: Any, *others: Any) -> Any:
    return Unknown(name_of(self))


BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"]
SAME = (
    *BINARY,
    *(f"r{name}" for name in BINARY),
    *["neg", "pos", "abs", "invert", "round", "lt", "le", "gt", "ge", "enter"],
)
OPERATORS: dict[str, Any] = {
    **{f"__{name}__": _same for name in SAME},
    **dict.fromkeys(("__setitem__", "__delitem__", "__exit__"), _nothing),
    **dict.fromkeys(("__int__", "__index__", "__len__"), _number(1)),
    "__float__": _number(1.0),
    "__complex__": _number(1j),
    "__iter__": _unpacked,
    "__next__": _stop,
    "__contains__": _decide,
    "__getitem__": lambda self, key: made_of(self, "[]"),
    "__fspath__": lambda self: MARK,
    "__format__": lambda self, spec: MARK,
    "__repr__": lambda self: MARK + name_of(self),
    "__str__": lambda self: MARK + name_of(self),
    "keys": lambda self: (),  # `**unknown` then adds nothing to a call
}
"""Everything that can be done to an unknown value."""


def operators(cls: type) -> Any:
    """Give a class all operators that it does not define itself."""
    for name, value in OPERATORS.items():
        if name not in vars(cls):
            setattr(cls, name, value)
    return cls


def name_of(value: Any) -> str:
    """The dotted name that an unknown value stands for."""
    return str(getattr(type(value), "_unknown_name", None) or value._unknown_name)


@operators
class Unknown:
    """One name of an absent library, or what came out of it."""

    _unknown_name: str
    __hash__ = object.__hash__

    def __init__(self, name: str = "value", truth: bool = True) -> None:
        self.__dict__.update(_unknown_name=name, _truth=truth)

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return "99.0.0"
        if name in ("__name__", "__qualname__"):
            return self._unknown_name.rpartition(".")[2]
        if name.startswith("__"):
            raise AttributeError(name)
        value = self.__dict__[name] = made_of(self, "." + name)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value

    def __bool__(self) -> bool:
        return _decide() if self.__dict__["_truth"] else not _decide()

    def __eq__(self, other: object) -> Any:
        return True if self is other else Unknown(self._unknown_name)

    def __ne__(self, other: object) -> Any:
        return False if self is other else Unknown(self._unknown_name, truth=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            if Hooks.watched and isinstance(value, Hooks.watched):
                HANDED.append(value)
                return value
        if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
            return args[0]  # used as a decorator
        return made_of(self, "()")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (base_class(self._unknown_name),)

    def __instancecheck__(self, instance: Any) -> bool:
        """A plain value is no instance of a foreign class; whether anything else is, is unknown."""
        last = self._unknown_name.rpartition(".")[2]
        return not (isinstance(instance, PLAIN) and last[:1].isupper()) and _decide()

    def __deepcopy__(self, _memo: Any) -> "Unknown":
        return self


def made_of(source: Any, step: str) -> Unknown:
    """What was made of an unknown value; what came out of the repository remembers by which of its calls (`_origin`)."""
    made = Unknown(name_of(source) + step)
    origin = getattr(source, "__dict__", {}).get("_origin", "")
    if origin:
        vars(made)["_origin"] = origin + step
    return made


class UnknownModule(types.ModuleType):
    """A module that is not there: every name and every submodule of it is unknown."""

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return "99.0.0"
        if name.startswith("__"):
            raise AttributeError(name)
        value = self.__dict__[name] = Unknown(f"{self.__name__}.{name}")
        return value


def is_unknown(value: Any, depth: int = 2) -> bool:
    """Whether a value is unknown, or a plain container that holds an unknown one."""
    if isinstance(value, (Unknown, UnknownModule)):
        return True
    if type(value) is str:
        return MARK in value
    parts = list(value.values()) if type(value) is dict else list(value) if type(value) in (list, tuple, set) else []
    return bool(depth) and any(is_unknown(part, depth - 1) for part in parts[:50])


class UnknownMeta(ABCMeta):
    """Gives a class that derives from an unknown one every class attribute, and missing arguments where they came from nowhere."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith(("__", "_abc")):
            raise AttributeError(name)
        return Unknown(f"{cls.__name__}.{name}")


@operators
class UnknownBase(metaclass=UnknownMeta):
    """What a class really derives from where its base is unknown."""

    _unknown_name = "object"
    __hash__ = object.__hash__
    __eq__, __ne__ = object.__eq__, object.__ne__
    __repr__, __str__ = object.__repr__, object.__str__

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
        if name in RETURNS_ITSELF:
            return lambda *args, **kwargs: self
        return Unknown(f"{type(self).__name__}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Unknown(f"{type(self).__name__}()")


RETURNS_ITSELF = frozenset({"to", "cuda", "cpu", "eval", "train", "float", "half", "double", "bfloat16"})
"""Methods of foreign base classes that give the object itself back."""
_bases: dict[str, type] = {}


def base_class(name: str) -> type:
    """The class that stands in for the unknown class `name` as a base."""
    if name not in _bases:
        _bases[name] = UnknownMeta(name.rpartition(".")[2] or "Base", (UnknownBase,), {"_unknown_name": name})
    return _bases[name]


def half_made(cls: Any) -> Any:
    """An object of a class whose constructor ended at something unknown, without the attributes that it would have; None where there is none."""
    try:
        made = cls.__new__(cls)
    except TypeError:
        return None
    HALF[id(made)] = made
    return made
