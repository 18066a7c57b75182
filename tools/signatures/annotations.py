"""Type annotations of parameters and fields as option types."""

import ast

import msgspec

from tools.signatures.argparse_option import typed
from tools.signatures.interpreter import Interpreter
from tools.signatures.model import OptionType
from tools.signatures.values import Class, Frame, Value

NAMES: dict[str, OptionType] = {
    "int": "int", "float": "float", "str": "str", "bool": "bool", "Path": "path", "PurePath": "path", "PosixPath": "path",
    "dict": "json", "Dict": "json", "Mapping": "json", "Decimal": "float", "FilePath": "path", "DirectoryPath": "path",
    "PathLike": "path", "PositiveInt": "int", "NonNegativeInt": "int", "PositiveFloat": "float", "bytes": "str",
}  # fmt: skip
LISTS = frozenset(
    {"list", "List", "Sequence", "Iterable", "Collection", "MutableSequence", "set", "Set", "FrozenSet", "frozenset"}
)
TUPLES = frozenset({"tuple", "Tuple"})
UNIONS = frozenset({"Optional", "Union"})
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
        return _union(run, [node.left, node.right], frame)
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
    if name in LISTS:
        return AnnotationType(type="str", nargs="*")
    if name in TUPLES:
        return AnnotationType(type="str", nargs="*")
    value = run.evaluate(node, frame)
    if not isinstance(value, Class):
        return AnnotationType()
    members = run.attribute(value, "__members__") if any(b.endswith("Enum") for b in value.externals()) else None
    if isinstance(members, dict):
        texts = [typed(run.attribute(m, "value"), run)[0] for m in members.values()]
        return AnnotationType(type="str", choices=tuple(t for t in texts if t is not None))
    return AnnotationType(nested=value)


def _subscript(run: Interpreter, node: ast.Subscript, frame: Frame) -> AnnotationType:
    name = _last_name(node.value)
    inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Literal":
        return _literal(run, inner, frame)
    if name in UNIONS:
        kind = _union(run, inner, frame)
        return msgspec.structs.replace(kind, optional=kind.optional or name == "Optional")
    if name in WRAPPERS and inner:
        kind = kind_of(run, inner[0], frame)
        notes = tuple(run.evaluate(n, frame) for n in inner[1:])
        return msgspec.structs.replace(kind, notes=notes, positional=kind.positional or name in POSITIONAL)
    if name in LISTS and inner:
        kind = kind_of(run, inner[0], frame)
        return AnnotationType(type=kind.type, choices=kind.choices, nargs="*")
    if name in TUPLES and inner:
        kind = kind_of(run, inner[0], frame)
        endless = len(inner) == 2 and isinstance(inner[1], ast.Constant) and inner[1].value is Ellipsis
        return AnnotationType(type=kind.type, choices=kind.choices, nargs="*" if endless else str(len(inner)))
    return AnnotationType(type=NAMES.get(name, "unknown"))


def _literal(run: Interpreter, nodes: list[ast.expr], frame: Frame) -> AnnotationType:
    values = [run.evaluate(n, frame) for n in nodes]
    texts = [typed(v, run)[0] for v in values]
    kind: OptionType = "int" if all(isinstance(v, int) and not isinstance(v, bool) for v in values) else "str"
    return AnnotationType(type=kind, choices=tuple(t for t in texts if t is not None), optional=None in values)


def _union(run: Interpreter, nodes: list[ast.expr], frame: Frame) -> AnnotationType:
    kinds = [kind_of(run, n, frame) for n in nodes]
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
