"""Type annotations of parameters and fields as option types."""

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import msgspec

from ml_agent.tools.signatures.argparse_option import typed
from ml_agent.tools.signatures.interpreter import Interpreter
from ml_agent.tools.signatures.model import OptionType
from ml_agent.tools.signatures.type_forms import TypeForm
from ml_agent.tools.signatures.values import Class, External, Frame, Value

_Part = TypeVar("_Part")
_LARGEST = 200
"""Forms of types in one type of the program's own; a larger one is not read."""

NAMES: dict[str, OptionType] = {
    "int": "int", "float": "float", "str": "str", "bool": "bool", "Path": "path", "PurePath": "path", "PosixPath": "path",
    "dict": "json", "Dict": "json", "Mapping": "json", "Decimal": "float", "FilePath": "path", "DirectoryPath": "path",
    "PathLike": "path", "PositiveInt": "int", "NonNegativeInt": "int", "PositiveFloat": "float", "bytes": "str",
}  # fmt: skip
LISTS = frozenset(
    {"list", "List", "Sequence", "Iterable", "Collection", "MutableSequence", "set", "Set", "FrozenSet", "frozenset"}
)
TUPLES = frozenset({"tuple", "Tuple"})
UNIONS = frozenset({"Optional", "Union", "UnionType"})
WRAPPERS = frozenset(
    {
        "Annotated",
        "Final",
        "ClassVar",
        "InitVar",
        "Required",
        "NotRequired",
        "Positional",
        "Suppress",
        "CliPositionalArg",
        "CliSubCommand",
        "CliSuppress",
        "CliImplicitFlag",
        "CliExplicitFlag",
    }
)
POSITIONAL = ("Positional", "CliPositionalArg")


class AnnotationType(msgspec.Struct, frozen=True, kw_only=True):
    """What an annotation says."""

    type: OptionType = "unknown"
    choices: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    """Of `Union[Enum, str]`: the values of the enumeration."""
    nargs: str | None = None
    """"*" for lists, a number for tuples of a fixed length."""
    optional: bool = False
    """None is allowed."""
    nested: Class | None = None
    """A class of the repository whose fields are meant."""
    classes: tuple[Class, ...] = ()
    """Several such classes, of which one is meant."""
    notes: tuple[Value, ...] = ()
    """The further arguments of Annotated."""
    positional: bool = False


def kind_of(run: Interpreter, node: ast.expr | None, frame: Frame) -> AnnotationType:
    """Read an annotation; unknown where there is none or it cannot be read."""
    if node is None:
        return AnnotationType()
    if isinstance(node, ast.Constant):
        return _constant(run, node, frame)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union([kind_of(run, side, frame) for side in (node.left, node.right)])
    if isinstance(node, ast.Subscript):
        return _subscript(run, node, frame)
    return _kind_by_name(run, node, frame)


def _constant(run: Interpreter, node: ast.Constant, frame: Frame) -> AnnotationType:
    if node.value is None:
        return AnnotationType(optional=True)
    if not isinstance(node.value, str):
        return AnnotationType()
    try:
        inner = ast.parse(node.value, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return AnnotationType()
    return kind_of(run, inner, frame)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _kind_by_name(run: Interpreter, node: ast.expr, frame: Frame) -> AnnotationType:
    name = _last_name(node)
    if name in NAMES:
        return AnnotationType(type=NAMES[name])
    if name in LISTS or name in TUPLES:
        return AnnotationType(type="str", nargs="*")
    return _kind_of_value(run, run.evaluate(node, frame))


def _kind_of_value(run: Interpreter, value: Value) -> AnnotationType:
    """What a type says that stands behind a name of the program's own: `Mode = Literal["fast", "slow"]`."""
    if isinstance(value, TypeForm) and value.size <= _LARGEST:
        name = value.origin.name.rpartition(".")[2]
        return _form(run, name, value.inner, partial(_kind_inside, run), lambda part: part)
    if isinstance(value, External):
        name = value.name.rpartition(".")[2]
        return AnnotationType(type=NAMES.get(name, "unknown"), optional=name == "NoneType")
    if not isinstance(value, Class):
        return AnnotationType()
    members = run.attribute(value, "__members__") if any(b.endswith("Enum") for b in value.externals()) else None
    if isinstance(members, dict):
        texts = [typed(run.attribute(m, "value"), run)[0] for m in members.values()]
        return AnnotationType(type="str", choices=tuple(t for t in texts if t is not None))
    return AnnotationType(nested=value)


def _kind_inside(run: Interpreter, value: Value) -> AnnotationType:
    return AnnotationType(optional=True) if value is None else _kind_of_value(run, value)


def _subscript(run: Interpreter, node: ast.Subscript, frame: Frame) -> AnnotationType:
    inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    kind: Callable[[ast.expr], AnnotationType] = lambda part: kind_of(run, part, frame)  # noqa: E731
    return _form(run, _last_name(node.value), inner, kind, lambda part: run.evaluate(part, frame))


def _form(
    run: Interpreter,
    name: str,
    parts: Sequence[_Part],
    kind: Callable[[_Part], AnnotationType],
    value: Callable[[_Part], Value],
) -> AnnotationType:
    """A type with arguments, by its name, its arguments, and what each of them is as a type and as a value."""
    if name == "Literal":
        return _literal(run, [value(part) for part in parts])
    if name in UNIONS:
        made = _union([kind(part) for part in parts])
        return msgspec.structs.replace(made, optional=made.optional or name == "Optional")
    if not parts or name not in WRAPPERS | LISTS | TUPLES:
        return AnnotationType(type=NAMES.get(name, "unknown"))
    first = kind(parts[0])
    if name in WRAPPERS:
        notes = tuple(value(part) for part in parts[1:])
        return msgspec.structs.replace(first, notes=notes, positional=first.positional or name in POSITIONAL)
    endless = name in LISTS or (len(parts) == 2 and value(parts[1]) is Ellipsis)
    return AnnotationType(type=first.type, choices=first.choices, nargs="*" if endless else str(len(parts)))


def _literal(run: Interpreter, values: Sequence[Value]) -> AnnotationType:
    texts = [typed(v, run)[0] for v in values]
    kind: OptionType = "int" if all(isinstance(v, int) and not isinstance(v, bool) for v in values) else "str"
    return AnnotationType(type=kind, choices=tuple(t for t in texts if t is not None), optional=None in values)


def _union(kinds: Sequence[AnnotationType]) -> AnnotationType:
    real = [k for k in kinds if not (k.optional and k.type == "unknown" and k.nested is None)]
    optional = len(real) < len(kinds) or any(k.optional for k in kinds)
    if len(real) == 1:
        return msgspec.structs.replace(real[0], optional=optional)
    types = {k.type for k in real}
    classes = tuple(cls for k in real for cls in (k.classes or (k.nested,)) if cls is not None)
    listed = [k.choices for k in real if k.choices]
    return AnnotationType(
        members=listed[0] if len(real) == 2 and len(listed) == 1 and types == {"str"} else (),
        type="str" if "str" in types else "float" if types == {"int", "float"} else "unknown", optional=optional,
        classes=classes if len(classes) >= len(real) else (),
    )  # fmt: skip
