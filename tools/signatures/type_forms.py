"""Types as values: what a program can ask of an annotation, of a dataclass's fields and of the class of a value."""

import ast
from collections.abc import Callable
from typing import Any

from ml_agent.tools.signatures.known import CONSTANTS, is_known
from ml_agent.tools.signatures.machine import Machine
from ml_agent.tools.signatures.values import (
    UNKNOWN,
    Arguments,
    Bound,
    Class,
    External,
    Frame,
    Function,
    Instance,
    Module,
    Namespace,
    Native,
    Value,
)

MISSING = External("dataclasses.MISSING")
BUILT_IN = frozenset(
    {"int", "str", "float", "bool", "bytes", "list", "dict", "tuple", "set", "frozenset", "complex", "type", "object"}
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

    def text(self) -> str:
        """As str() writes it."""
        return f"{self.origin.name}[{', '.join(filter(None, map(type_text, self.inner)))}]".replace("builtins.", "")


def type_text(value: Value, whole: bool = False) -> str:
    """A type as str() writes it (`whole`), or as it stands inside of another; "" where it is none."""
    if isinstance(value, TypeForm):
        return value.text()
    if isinstance(value, Class):
        name = f"{value.module.name}.{value.name}"
    elif isinstance(value, External):
        name = value.name.removeprefix("builtins.")
        whole = whole and value.name.startswith("builtins.")
    else:
        return ""
    return f"<class '{name}'>" if whole else name


class FieldInfo(Native):
    """One field of a dataclass, as dataclasses.fields() gives it."""

    def __init__(self, run: Machine, node: ast.AnnAssign, name: str, given: Value, frame: Frame) -> None:
        self.run, self.node, self.name, self.frame = run, node, name, frame
        note = getattr(given, "arguments", None)
        named = note.named if isinstance(note, Arguments) else {}
        self.metadata = named.get("metadata", {})
        self.factory = named.get("default_factory", MISSING)
        placed = note.get(0, "default", MISSING) if isinstance(note, Arguments) else given
        self.default = placed

    def attribute(self, name: str) -> Value:
        """name, type, default, default_factory, metadata."""
        if name == "type":
            return self.run.evaluate(self.node.annotation, self.frame)
        known = {"name": self.name, "default": self.default, "default_factory": self.factory, "metadata": self.metadata}
        return known.get(name, UNKNOWN)

    def value(self) -> Value:
        """What an instance has where nothing is given; UNKNOWN where it must be given."""
        if self.factory is not MISSING:
            return self.run.call(self.factory, Arguments([], {}))
        return UNKNOWN if self.default == MISSING else self.default


def field_infos(run: Machine, cls: Class) -> dict[str, Value]:
    """The fields of a dataclass and of its bases, in their order."""
    if cls.fields is not None:
        return cls.fields
    found = cls.fields = {}
    for part in reversed(cls.mro()):
        for node in part.node.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not _of_class(node):
                name = node.target.id
                given = MISSING if node.value is None else part.names.get(name, UNKNOWN)
                found[name] = FieldInfo(run, node, name, given, Frame(part.module, part.names, part.frame))
    return found


def _of_class(node: ast.AnnAssign) -> bool:
    return "ClassVar" in ast.dump(node.annotation)


def fill_fields(run: Machine, instance: Instance, arguments: Arguments) -> None:
    """What the constructor of a dataclass or a named tuple does."""
    infos = field_infos(run, instance.cls)
    given = {**dict(zip(infos, arguments.placed, strict=False)), **arguments.named}
    for name, info in infos.items():
        instance.attributes[name] = given[name] if name in given else UNKNOWN if arguments.open else info.value()
    instance.attributes.update(given)
    after = instance.cls.find("__post_init__")
    if isinstance(after, Function) and infos:
        run.call(Bound(after, instance), Arguments([], {}))


def _fields(run: Machine, arguments: Arguments) -> Value:
    value = arguments.get(0, "class_or_instance")
    cls = value.cls if isinstance(value, Instance) else value
    return list(field_infos(run, cls).values()) if isinstance(cls, Class) else UNKNOWN


def _is_dataclass(run: Machine, arguments: Arguments) -> Value:
    value = arguments.get(0, "obj")
    cls = value.cls if isinstance(value, Instance) else value
    return bool(field_infos(run, cls)) if isinstance(cls, Class) else UNKNOWN


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


def _isclass(run: Machine, arguments: Arguments) -> Value:
    return _is_type(arguments.get(0, "object"))


def _is_type(value: Value) -> Value:
    if isinstance(value, Class):
        return True
    if isinstance(value, External):
        owner, _, name = value.name.rpartition(".")
        return name in BUILT_IN if owner == "builtins" else False if owner == "typing" else UNKNOWN
    return False if isinstance(value, (TypeForm, Function, Instance, *CONSTANTS)) else UNKNOWN


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
    if isinstance(kind, External) and kind.name == "builtins.type":
        return _is_type(value)
    if isinstance(kind, External) and kind.name.endswith("_MISSING_TYPE"):
        return value == MISSING if isinstance(value, (External, Function, Class, *CONSTANTS, list, dict)) else UNKNOWN
    if isinstance(value, Instance):
        return _derives(value.cls, kind)
    if value == MISSING:
        return False
    if not (is_known(value) or isinstance(value, (list, tuple, dict, set))):
        return UNKNOWN
    if isinstance(kind, External) and kind.name.startswith("builtins."):
        own = {TYPE_OF.get(cls, "") for cls in type(value).__mro__}
        return kind.name.removeprefix("builtins.") in own | {"object"}
    return UNKNOWN if not isinstance(kind, (Class, External)) or _abstract(kind) else False


def _abstract(kind: Value) -> bool:
    return isinstance(kind, External) and kind.name.startswith(ABSTRACT)


def compare_types(left: Value, right: Value) -> bool | None:
    """Whether two types are the same; None where one is none, or nothing can be told."""
    if isinstance(left, Class) and isinstance(right, Class):
        return left is right
    if isinstance(left, (Class, TypeForm)) and isinstance(right, External):
        return False
    if isinstance(right, (Class, TypeForm)) and isinstance(left, External):
        return False
    if isinstance(left, External) and isinstance(right, External):
        return True if left == right else False if _is_type(left) is True or _is_type(right) is True else None
    for one, other in ((left, right), (right, left)):
        if one == MISSING and isinstance(other, (*CONSTANTS, list, dict, tuple, set, Function, Class, Instance)):
            return False
    return None


class ParameterNames(Native):
    """inspect.getfullargspec(f) and inspect.signature(f), as far as the names of the parameters go."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def attribute(self, name: str) -> Value:
        """args, and parameters by name."""
        known = {"args": self.names, "parameters": dict.fromkeys(self.names, UNKNOWN)}
        return known.get(name, UNKNOWN)

    def item(self, key: Value) -> Value:
        """The first of a full specification are the names."""
        return self.names if key == 0 else UNKNOWN


def _parameter_names(run: Machine, arguments: Arguments) -> Value:
    given = arguments.placed[0] if arguments.placed else UNKNOWN
    if isinstance(given, Class):
        given = given.find("__init__")
    function = given.function if isinstance(given, Bound) else given
    if not isinstance(function, Function):
        return UNKNOWN
    spec = function.node.args
    return ParameterNames([p.arg for p in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)])


TYPE_FUNCTIONS: dict[str, Callable[[Machine, Arguments], Any]] = {
    "builtins.hasattr": _hasattr, "builtins.issubclass": _issubclass, "builtins.isinstance": is_instance,
    "inspect.isclass": _isclass, "dataclasses.fields": _fields, "dataclasses.is_dataclass": _is_dataclass,
    "inspect.getfullargspec": _parameter_names, "inspect.getargspec": _parameter_names, "inspect.signature": _parameter_names,
}  # fmt: skip
