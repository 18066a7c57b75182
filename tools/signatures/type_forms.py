"""Types as values: what a program can ask of an annotation and of the class of a value."""

import ast
from collections.abc import Callable
from typing import Any

from ml_agent.tools.signatures.machine import Machine
from ml_agent.tools.signatures.values import (
    UNKNOWN,
    Arguments,
    Bound,
    Class,
    External,
    Function,
    Instance,
    Module,
    Namespace,
    Native,
    Value,
    is_known,
)

TYPE_OF = {
    str: "str",
    int: "int",
    float: "float",
    bool: "bool",
    list: "list",
    tuple: "tuple",
    dict: "dict",
    set: "set",
    bytes: "bytes",
}
ABSTRACT = ("typing.", "collections.", "numbers.", "abc.", "os.", "_collections_abc.")
"""Where classes are whose instances do not derive from them."""


class TypeForm(Native):
    """A type with arguments, such as `Optional[int]`."""

    def __init__(self, run: Machine, origin: External, inner: tuple[Value, ...]) -> None:
        self.run = run
        self.origin = origin
        self.inner = inner
        self.size: int = 1 + sum(part.size for part in inner if isinstance(part, TypeForm))
        """How many forms it is made of."""

    def attribute(self, name: str) -> Value:
        """`__args__` and `__origin__`."""
        if name == "__args__":
            optional = self.origin.name == "typing.Optional"
            return (*self.inner, External("builtins.NoneType")) if optional else self.inner
        return self.origin if name == "__origin__" else super().attribute(name)


def fill_fields(run: Machine, instance: Instance, arguments: Arguments) -> None:
    """What the constructor of a dataclass or a named tuple does."""
    known: dict[str, Value] = {}
    for part in reversed(instance.cls.mro()):
        for node in part.node.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                default = part.names.get(node.target.id, UNKNOWN)
                known[node.target.id] = UNKNOWN if arguments.open or isinstance(default, Native) else default
    given = {**dict(zip(known, arguments.placed, strict=False)), **arguments.named}
    instance.attributes.update({**known, **given})
    after = instance.cls.find("__post_init__")
    if isinstance(after, Function) and known:
        run.call(Bound(after, instance), Arguments([], {}))


def _hasattr(run: Machine, arguments: Arguments) -> Value:
    value, name = arguments.get(0, "obj"), arguments.get(1, "name")
    if not isinstance(name, str):
        return UNKNOWN
    if isinstance(value, Namespace):
        there = value.has(name)
        return UNKNOWN if there is None else there
    if isinstance(value, Instance):
        there = name in value.attributes or value.cls.find(name) is not None
        return True if there else UNKNOWN if value.native is not None or value.cls.externals() else False
    if isinstance(value, Class):
        return True if value.find(name) is not None else UNKNOWN if value.externals() else False
    if isinstance(value, Module):
        return True if name in value.env else UNKNOWN
    return UNKNOWN


def _issubclass(run: Machine, arguments: Arguments) -> Value:
    if len(arguments.placed) != 2:
        return UNKNOWN
    value, kinds = arguments.placed
    answers = [_derives(value, kind) for kind in (kinds if isinstance(kinds, tuple) else (kinds,))]
    return True if True in answers else UNKNOWN if UNKNOWN in answers else False


def _plain(kind: Value) -> Value:
    """typing.List means list, and so on."""
    name = kind.name.removeprefix("typing.") if isinstance(kind, External) else ""
    return External(f"builtins.{name.lower()}") if name in ("List", "Tuple", "Dict", "Set", "FrozenSet") else kind


def _derives(value: Value, kind: Value) -> Value:
    """Whether a class is another, or derives from it."""
    kind = _plain(kind)
    if isinstance(value, External):
        if not value.name.startswith("builtins."):
            return UNKNOWN
        return UNKNOWN if _abstract(kind) else value == kind
    if not isinstance(value, Class):
        return UNKNOWN
    if isinstance(kind, Class):
        return True if kind in value.mro() else UNKNOWN if _unclear(value) else False
    if isinstance(kind, External) and kind.name in (*value.externals(), "builtins.object"):
        return True
    return UNKNOWN if _unclear(value) or not isinstance(kind, External) else False


def _unclear(value: Class) -> bool:
    """Whether a class has bases whose own bases are not known."""
    clear = ("Enum", "Flag", "builtins.object", "ABC", "Generic", "Protocol")
    return any(not name.endswith(clear) and not name.startswith("builtins.") for name in value.externals())


def is_instance(run: Machine, arguments: Arguments) -> Value:
    """isinstance(value, kinds)."""
    if len(arguments.placed) != 2:
        return UNKNOWN
    value, kinds = arguments.placed
    answers = [_is_a(value, kind) for kind in (kinds if isinstance(kinds, tuple) else (kinds,))]
    return True if True in answers else UNKNOWN if UNKNOWN in answers else False


def _is_a(value: Value, kind: Value) -> Value:
    kind = _plain(kind)
    if isinstance(value, Instance):
        return _derives(value.cls, kind)
    if not (is_known(value) or isinstance(value, (list, tuple, dict, set))):
        return UNKNOWN
    if isinstance(kind, External) and kind.name.startswith("builtins."):
        own = {TYPE_OF.get(cls, "") for cls in type(value).__mro__}
        return kind.name.removeprefix("builtins.") in own | {"object"}
    return UNKNOWN if not isinstance(kind, (Class, External)) or _abstract(kind) else False


def _abstract(kind: Value) -> bool:
    return isinstance(kind, External) and kind.name.startswith(ABSTRACT)


TYPE_FUNCTIONS: dict[str, Callable[[Machine, Arguments], Any]] = {
    "builtins.hasattr": _hasattr, "builtins.issubclass": _issubclass, "builtins.isinstance": is_instance,
}  # fmt: skip
