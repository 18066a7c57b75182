"""What an expression of a foreign program may stand for, as far as it can be known without running it.

Constants, lists, tuples, dicts and sets are themselves; everything else is one of the classes here.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

# Whether a value consists of constants, and whether it is small: a program may put one list or tuple into another many times over.

CONSTANTS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
CONTAINERS = (list, tuple, set, frozenset, dict)
_DEEPEST = 21
_ITEMS = 20_000
"""In a value, each as often as it is met."""
_LETTERS = 1_000_000
"""Of all texts in a value."""


def is_known(value: Any) -> bool:
    """Whether a value consists of constants only, few enough to be worked with."""
    return isinstance(value, CONSTANTS) or _is_small(value, lambda part: isinstance(part, CONSTANTS))


def may_be_key(value: Any) -> bool:
    """Whether a dict or a set may take a value: a tuple is hashed part by part, each as often as it is met."""
    return not isinstance(value, tuple) or _is_small(value, lambda part: True)


def _is_small(value: Any, fits: Callable[[Any], bool]) -> bool:
    """Whether the parts of a value are few, not too deep, and all such as `fits` says."""
    level, items, letters = [value], _ITEMS, _LETTERS
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for part in level:
            if not isinstance(part, CONTAINERS):
                letters -= len(part) if isinstance(part, (str, bytes)) else 0
                if letters < 0 or not fits(part):
                    return False
                continue
            items -= len(part)
            if items < 0:
                return False
            below += [*part.keys(), *part.values()] if isinstance(part, dict) else part
        if not below:
            return True
        level = below
    return False


Value = Any
"""A constant, a container of values, or one of the classes below."""


class Unknown:
    """Nothing is known about it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()


@dataclass(slots=True, unsafe_hash=True)
class External:
    """A name of a library or of the language itself."""

    name: str


@dataclass(slots=True, eq=False)
class Lazy:
    """A name of a module of the repository, looked up when it is needed."""

    module: "Module"
    name: str


class Module:
    """A module of the repository."""

    def __init__(self, path: str, name: str) -> None:
        self.path = path
        self.name = name
        self.env: dict[str, Value] = {}
        self.stars: list[Module] = []
        """Modules of which it imports every name."""
        self.opaque = False
        """Whether it imports every name of something that is not seen."""
        self.registries: frozenset[str] = frozenset()
        """Its names that begin as empty tables."""
        self.registering: frozenset[str] = frozenset()
        """Its functions that put something into them; empty once their callers were followed."""
        self.state = "new"
        """new, running or done."""


class Frame:
    """The names of a function call, a class body or a comprehension, and the frame around it."""

    def __init__(self, module: Module, names: dict[str, Value], outer: "Frame | None" = None) -> None:
        self.module = module
        self.names = names
        self.outer = outer
        self.globals: set[str] = set()
        self.is_class = False
        self.returns: list[Value] = []
        self.returned: list[Any] = []
        """What was known at each place where it may have returned already; kept by branches.py."""
        self.base = 0
        """Where in the run's collectors those of the branch that we are in begin; set by branches.py."""
        self.owner: Class | None = None
        self.self_value: Value = None


class Function:
    """A function or lambda of the repository."""

    def __init__(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, frame: Frame) -> None:
        self.node = node
        self.frame = frame
        self.name = getattr(node, "name", "<lambda>")
        self.owner: Class | None = None
        self.kind = ""
        """"", property, staticmethod or classmethod."""
        self.defaults: dict[str, Value] = {}
        self.notes: list[Value] = []
        """What decorators attached to it, innermost first."""
        self.original: Function = self
        """Itself, or the function that it passes for (functools.wraps)."""

    @property
    def module(self) -> Module:
        """Where it is defined."""
        return self.frame.module


@dataclass(slots=True, eq=False)
class Bound:
    """A function together with the object that it was taken from."""

    function: Function
    self_value: Value


class Class:
    """A class of the repository."""

    def __init__(self, node: ast.ClassDef, bases: list[Value], frame: Frame) -> None:
        self.node = node
        self.name = node.name
        self.bases = bases
        self.frame = frame
        self.names: dict[str, Value] = {}
        self.decorators: list[Value] = []

    @property
    def module(self) -> Module:
        """Where it is defined."""
        return self.frame.module

    def mro(self) -> list["Class"]:
        """The class and its bases of the repository, nearest first."""
        found: list[Class] = []
        todo: list[Class] = [self]
        while todo and len(found) < 50:
            current = todo.pop(0)
            if current not in found:
                found.append(current)
                todo[:0] = [b for b in current.bases if isinstance(b, Class)]
        return found

    def externals(self) -> list[str]:
        """The names of library classes that it derives from."""
        return [b.name for c in self.mro() for b in c.bases if isinstance(b, External)]

    def find(self, name: str) -> Value:
        """A class attribute, or None where there is none."""
        for cls in self.mro():
            if name in cls.names:
                return cls.names[name]
        return None


class Instance:
    """An object of a class of the repository."""

    def __init__(self, cls: Class) -> None:
        self.cls = cls
        self.attributes: dict[str, Value] = {}
        self.native: Native | None = None
        """What it is besides, where its class derives from one of a known library."""


@dataclass(slots=True, eq=False)
class Super:
    """The result of super()."""

    after: Class
    self_value: Value


class Arguments:
    """How something was called."""

    __slots__ = ("line", "named", "open", "path", "placed")

    def __init__(self, placed: list[Value], named: dict[str, Value], is_open: bool = False) -> None:
        self.placed = placed
        self.named = named
        self.open = is_open
        """More were given than could be followed."""
        self.path = ""
        self.line = 0

    def get(self, place: int | None, name: str, default: Value = None) -> Value:
        """An argument by its name or its place."""
        if name in self.named:
            return self.named[name]
        if place is not None and place < len(self.placed):
            return self.placed[place]
        return default

    def all(self) -> list[Value]:
        """Every value passed."""
        return [*self.placed, *self.named.values()]


class Native:
    """An object of a library that is modelled here: a parser, a group of options, a decorator.

    Of a subclass `do_NAME(arguments)` is what calling its method `.NAME(…)` does. One that reads a command line has `signatures()`
    as well, and puts itself into `run.made`.
    """

    truth: bool | None = True
    """Whether it counts as true; None where that is not known."""

    def attribute(self, name: str) -> Value:
        """What `.name` gives; a Method for what can be called."""
        method = getattr(self, "do_" + name, None)
        return UNKNOWN if method is None else Method(method)

    def call(self, arguments: Arguments) -> Value:
        """What calling it gives."""
        return UNKNOWN

    def store(self, name: str, value: Value) -> None:
        """An attribute or item is set."""


@dataclass(slots=True, eq=False)
class Method:
    """Something callable that is modelled here."""

    function: Callable[[Arguments], Value]


@dataclass(slots=True, eq=False)
class ParsedArgument:
    """A value of the command line, after parsing."""

    dest: str
    fold: str = ""
    """lower or upper, where the program took the value's `.lower()` or `.upper()`."""
    value: Value = UNKNOWN
    """What it is where the command line does not name it; UNKNOWN where that is not known, or of no interest."""


class Repeated:
    """range() of a command-line value: goes round at least once, unless the user asks for nothing."""


class Namespace(Native):
    """What a parser returned: attributes are values of the command line, unless the program sets them itself.

    Args:
        defaults: what they are where the command line does not name them.
    """

    truth = None

    def __init__(self, defaults: Mapping[str, Value] = MappingProxyType({})) -> None:
        self.defaults = defaults
        self.overridden: dict[str, Value] = {}

    def attribute(self, name: str) -> Value:
        """The argument of that name."""
        if name in self.overridden:
            return self.overridden[name]
        if name == "__dict__":
            return self
        return UNKNOWN if name.startswith("__") else ParsedArgument(name, value=self.defaults.get(name, UNKNOWN))

    def store(self, name: str, value: Value) -> None:
        """The program sets it itself."""
        self.overridden[name] = value

    def item(self, key: Value) -> Value:
        """vars(args)[key]."""
        return self.attribute(key) if isinstance(key, str) else UNKNOWN


class TypeForm(Native):
    """A type with arguments, such as `Optional[int]`."""

    def __init__(self, origin: External, inner: tuple[Value, ...]) -> None:
        self.origin = origin
        self.inner = inner
        self.size: int = 1 + sum(part.size for part in inner if isinstance(part, TypeForm))
        """How many forms it is made of."""


def truth(value: Value) -> bool | None:
    """Whether a condition holds; None where that is not known."""
    if isinstance(value, (*CONSTANTS, list, tuple, dict, set, frozenset)):
        return bool(value)
    if isinstance(value, (Function, Bound, Class, Module, Method)):
        return True
    return value.truth if isinstance(value, Native) else None


def same(left: Value, right: Value) -> bool:
    """Whether two values are certainly the same."""
    if left is right:
        return True
    if type(left) is not type(right) or not (is_known(left) and is_known(right)):
        return isinstance(left, External) and left == right
    return bool(left == right)


def join(left: Value, right: Value) -> Value:
    """What is known when it is one of two values."""
    return left if same(left, right) else UNKNOWN
