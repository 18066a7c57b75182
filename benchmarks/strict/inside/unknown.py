"""Unknown values: what comes out of libraries that are not there. They accept everything, and remember what hung on them.

Three things are recorded by code object, so that a failure can be told from a consequence of not knowing: DECIDED, the lines on
which an unknown value chose a branch; BLURRED, the functions in which one became a plain number; ABSENT, the functions that
looked for a file that is not there.
"""

import dis
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from . import origins

MARK = "__unknown__"
DECIDED: dict[types.CodeType, set[int]] = {}
BLURRED: set[types.CodeType] = set()
ABSENT: set[types.CodeType] = set()
HANDED: list[Any] = []
"""Command-line parsers that were given to an unknown function, which may have added options."""
LOOP_LIMIT = 40
PLAIN = (str, bytes, int, float, complex, bool, list, tuple, dict, set, type(None))


class Hooks:
    """What the other modules tell the values; set before the program starts."""

    base: Callable[[str], type] = staticmethod(lambda name: object)
    """The class that stands in for an unknown class as a base."""

    safe: Callable[[types.FrameType], bool | None] = staticmethod(lambda frame: None)
    """The truth value with which the test at a frame does not raise, or None."""
    watched: tuple[type, ...] = ()
    """Classes whose instances are recorded in HANDED."""


_turns: dict[tuple[types.CodeType, int], int] = {}


OWN = __file__.rpartition("/")[0]


def caller() -> types.FrameType:
    """The innermost frame that is not ours: calls of the program may have passed through our hands."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(OWN) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _decide() -> bool:
    """The truth of an unknown value for the code that asks: what lets it go on, else true until a loop turned often enough."""
    frame = caller()
    safe = Hooks.safe(frame)
    if safe is not None:
        return safe
    DECIDED.setdefault(frame.f_code, set()).add(frame.f_lineno)
    key = (frame.f_code, frame.f_lasti)
    _turns[key] = _turns.get(key, 0) + 1
    return _turns[key] <= LOOP_LIMIT


def _blur() -> None:
    BLURRED.add(caller().f_code)


def _unpack_count(frame: types.FrameType) -> int:
    """How many values the instruction that iterates wants; 1 in a loop or in a function written in C."""
    code, at = frame.f_code.co_code, frame.f_lasti
    if at < 0 or at + 1 >= len(code):
        return 1
    name = dis.opname[code[at]]
    if name == "UNPACK_SEQUENCE":
        return code[at + 1]
    return code[at + 1] + 1 if name == "UNPACK_EX" else 1


class Operators:
    """Everything that can be done to an unknown value; copied, not inherited, so that classes keep the layout of plain ones."""

    def __iter__(self) -> Iterator[Any]:
        name = name_of(self) + "[]"
        return iter([from_origin(Unknown(name), self, "[]") for _ in range(_unpack_count(sys._getframe(1)))])

    def __next__(self) -> Any:
        raise StopIteration

    def keys(self) -> tuple[str, ...]:
        """None: `**unknown` then adds nothing to a call."""
        return ()

    def __len__(self) -> int:
        _blur()
        return 1

    def __contains__(self, item: Any) -> bool:
        return _decide()

    def __getitem__(self, key: Any) -> Any:
        return from_origin(Unknown(name_of(self) + "[]"), self, "[]")

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def __delitem__(self, key: Any) -> None:
        pass

    def __enter__(self) -> Any:
        made = Unknown(name_of(self))
        origins.carry(made, origins.own_origin(self))
        return made

    def __exit__(self, *exc: Any) -> None:
        pass

    def __int__(self) -> int:
        _blur()
        return 1

    __index__ = __int__

    def __float__(self) -> float:
        _blur()
        return 1.0

    def __complex__(self) -> complex:
        _blur()
        return 1j

    def __fspath__(self) -> str:
        return MARK

    def __repr__(self) -> str:
        return MARK + name_of(self)

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return MARK


def name_of(value: Any) -> str:
    """The dotted name that an unknown value stands for."""
    return str(getattr(type(value), "_unknown_name", None) or value._unknown_name)


def _same(self: Any, *others: Any) -> Any:
    made = Unknown(name_of(self))
    origins.carry(made, origins.joined(map(origins.origin, (self, *others))))
    return made


BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift")
for _op in (*BINARY, *(f"r{name}" for name in BINARY), "neg", "pos", "abs", "invert", "round", "lt", "le", "gt", "ge"):
    setattr(Operators, f"__{_op}__", _same)


def operators(cls: type) -> Any:
    """Give a class all operators that it does not define itself."""
    for name, value in vars(Operators).items():
        if name not in vars(cls) and name not in ("__module__", "__dict__", "__weakref__", "__doc__"):
            setattr(cls, name, value)
    return cls


@operators
class Unknown:
    """One name of an absent library, or what came out of it."""

    _unknown_name: str
    __hash__ = object.__hash__

    def __init__(self, name: str = "value", truth: bool = True) -> None:
        self.__dict__["_unknown_name"] = name
        self.__dict__["_truth"] = truth

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return "99.0.0"
        if name in ("__name__", "__qualname__"):
            return self._unknown_name.rpartition(".")[2]
        if name.startswith("__"):
            raise AttributeError(name)
        value = self.__dict__[name] = from_origin(Unknown(self._unknown_name + "." + name), self, "." + name)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        self.__dict__.pop(name, None)

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
        return from_origin(Unknown(self._unknown_name + "()"), self, "()")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (Hooks.base(self._unknown_name),)

    def __instancecheck__(self, instance: Any) -> bool:
        """A plain value is no instance of a foreign class; whether anything else is, is unknown."""
        last = self._unknown_name.rpartition(".")[2]
        if isinstance(instance, PLAIN) and last[:1].isupper():
            return False
        return _decide()

    def __subclasscheck__(self, _subclass: type) -> bool:
        return _decide()

    def __copy__(self) -> "Unknown":
        return self

    def __deepcopy__(self, _memo: Any) -> "Unknown":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (Unknown, (self._unknown_name,))

    def __await__(self) -> Iterator[Any]:
        return iter(())


def from_origin(made: Unknown, source: Any, step: str) -> Unknown:
    """What was made of a value that came out of the repository came out of it, too."""
    origin = getattr(source, "__dict__", {}).get("_origin", "")
    if origin:
        vars(made)["_origin"] = origin + step
    origins.carry(made, origins.own_origin(source))
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
    if depth and type(value) in (list, tuple, set):
        return any(is_unknown(v, depth - 1) for v in list(value)[:50])
    if depth and type(value) is dict:
        return any(is_unknown(v, depth - 1) for v in list(value.values())[:50])
    return False
