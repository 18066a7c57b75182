"""Parameters of functions and fields of dataclasses as options, for the libraries that make command lines from them."""

import ast
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from ml_agent.tools.docstrings import descriptions_in
from ml_agent.tools.python_source import syntax_tree
from ml_agent.tools.signatures.argparse_option import typed
from ml_agent.tools.signatures.interpreter import Interpreter
from ml_agent.tools.signatures.model import Option, OptionType
from ml_agent.tools.signatures.values import (
    UNKNOWN,
    Arguments,
    Bound,
    Class,
    External,
    Frame,
    Function,
    Native,
    TypeForm,
    Value,
)

# Type annotations of parameters and fields as option types.

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
    names: tuple[str, ...] = ()
    """Of an enumeration: those of its members."""
    nargs: str | None = None
    """"*" for lists, a number for tuples of a fixed length."""
    optional: bool = False
    """None is allowed."""
    nested: Class | None = None
    """A class of the repository whose fields are meant."""
    classes: tuple[Class, ...] = ()
    """Several such classes, of which one is meant."""
    notes: tuple[Value, ...] = ()
    """The further arguments of Annotated, or an annotation that is no type."""
    positional: bool = False


def kind_of(run: Interpreter, node: ast.expr | None, frame: Frame) -> AnnotationType:
    """Read an annotation; unknown where there is none or it cannot be read."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return AnnotationType() if node is None else _kind_of(run, run.evaluate(node, frame))
    try:
        kind = kind_of(run, syntax_tree(node.value, mode="eval").body, frame)
    except (SyntaxError, ValueError, RecursionError):
        kind = AnnotationType()
    return AnnotationType(notes=(node.value,)) if kind == AnnotationType() else kind


def _kind_of(run: Interpreter, value: Value) -> AnnotationType:
    """What a type says."""
    if value is None or value is UNKNOWN:
        return AnnotationType(optional=value is None)
    if isinstance(value, TypeForm) and value.size <= _LARGEST:
        return _form(run, value.origin.name.rpartition(".")[2], value.inner)
    if isinstance(value, External):
        name = value.name.rpartition(".")[2]
        if name in LISTS | TUPLES:
            return AnnotationType(type="str", nargs="*")
        notes = () if name in NAMES else (value,)
        return AnnotationType(type=NAMES.get(name, "unknown"), optional=name == "NoneType", notes=notes)
    if not isinstance(value, Class):
        return AnnotationType(notes=(value,))
    members = run.attribute(value, "__members__") if any(b.endswith("Enum") for b in value.externals()) else None
    if isinstance(members, dict):
        texts = [typed(run.attribute(m, "value"), run)[0] for m in members.values()]
        return AnnotationType(type="str", choices=tuple(t for t in texts if t is not None), names=tuple(members))
    return AnnotationType(nested=value)


def _form(run: Interpreter, name: str, parts: tuple[Value, ...]) -> AnnotationType:
    """A type with arguments."""
    if name == "Literal":
        return _literal(run, parts)
    if name in UNIONS:
        made = _union([_kind_of(run, part) for part in parts])
        return msgspec.structs.replace(made, optional=made.optional or name == "Optional")
    if not parts or name not in WRAPPERS | LISTS | TUPLES:
        return AnnotationType(type=NAMES.get(name, "unknown"))
    first = _kind_of(run, parts[0])
    if name in WRAPPERS:
        return msgspec.structs.replace(first, notes=parts[1:], positional=first.positional or name in POSITIONAL)
    endless = name in LISTS or (len(parts) == 2 and parts[1] is Ellipsis)
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
    return AnnotationType(
        type="str" if "str" in types else "float" if types == {"int", "float"} else "unknown", optional=optional,
        classes=classes if len(classes) >= len(real) else (),
    )  # fmt: skip


VALUE_TYPES: dict[type, OptionType] = {bool: "bool", int: "int", float: "float", str: "str"}
MAX_NESTING = 5


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter or field."""

    name: str
    kind: AnnotationType
    default: Value = None
    required: bool = False
    help: str = ""
    note: Value = None
    """What the default really was: a call of the library's own, such as typer.Option(...)."""
    way: Literal["either", "place", "name", "rest"] = "either"
    """How Python takes a parameter: by place, by name or either way; rest: `*args`."""
    path: str = ""
    line: int = 0


class FieldNote(Native):
    """dataclasses.field(...) and pydantic.Field(...)."""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments


def parameters(run: Interpreter, function: Function | Bound, *, rest: bool = False) -> tuple[list[Field], bool]:
    """The parameters of a function, and whether it takes any others (**kwargs); rest: `*args` among them."""
    bound = isinstance(function, Bound)
    plain = function.function if isinstance(function, Bound) else function
    shown = plain.original
    spec = shown.node.args
    nodes = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
    if bound or (plain.owner is not None and plain.kind != "staticmethod" and nodes):
        nodes = nodes[1:]
    texts = descriptions_in(
        shown.node, plain.owner.node if plain.owner is not None and plain.name == "__init__" else None
    )
    fields = [_field(run, n, n.arg, shown.defaults.get(n.arg, _MISSING), shown.frame) for n in nodes]
    if rest and spec.vararg is not None:
        fields.append(_field(run, spec.vararg, spec.vararg.arg, None, shown.frame))
    fields = [msgspec.structs.replace(one, way=_way(spec, one.name)) for one in fields]
    return [_with_text(one, texts) for one in fields], spec.kwarg is not None


def fields_of(run: Interpreter, made: Function | Bound | Class, *, rest: bool = False) -> tuple[list[Field], bool]:
    """What a function or the constructor of a class takes, and whether it takes any others."""
    function = made.find("__init__") if isinstance(made, Class) else made
    if isinstance(function, (Function, Bound)):
        return parameters(run, function, rest=rest)
    return dataclass_fields(run, made) if isinstance(made, Class) else ([], True)


def _way(spec: ast.arguments, name: str) -> Literal["either", "place", "name", "rest"]:
    if any(one.arg == name for one in spec.posonlyargs):
        return "place"
    if any(one.arg == name for one in spec.kwonlyargs):
        return "name"
    return "rest" if spec.vararg is not None and spec.vararg.arg == name else "either"


def _with_text(field: Field, texts: Mapping[str, str]) -> Field:
    """A field with what the docstring says of it, where nothing else does."""
    return field if field.help or field.name not in texts else msgspec.structs.replace(field, help=texts[field.name])


_MISSING = External("inspect.Parameter.empty")


def _field(run: Interpreter, node: ast.arg | ast.AnnAssign, name: str, default: Value, frame: Frame) -> Field:
    kind = kind_of(run, node.annotation, frame)
    share = type(default) is int and default in {0, 1}  # which may be a half as well, where nothing is annotated
    if kind.type == "unknown" and kind.nested is None and type(default) in VALUE_TYPES and not share:
        kind = msgspec.structs.replace(kind, type=VALUE_TYPES[type(default)])
    required = default is _MISSING
    value = None if required else default
    return Field(
        name=name, kind=kind, default=value, required=required, note=value, path=frame.module.path, line=node.lineno
    )


def dataclass_fields(run: Interpreter, cls: Class) -> tuple[list[Field], bool]:
    """The fields of a dataclass and its bases, and whether a base from elsewhere may add more."""
    found: dict[str, Field] = {}
    for part in reversed(cls.mro()):
        comments, texts = _comments(part), descriptions_in(part.node)
        for node in part.node.body:
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name) or _is_class_variable(node):
                continue
            frame = Frame(part.module, part.names, part.frame)
            default = _MISSING if node.value is None else run.evaluate(node.value, frame)
            if isinstance(default, FieldNote) and default.arguments.named.get("init") is False:
                found.pop(node.target.id, None)
                continue
            made = _field(run, node, node.target.id, default, frame)
            found[made.name] = _with_text(_with_note(run, made, comments.get(made.name, "")), texts)
    return list(found.values()), bool(foreign_bases(cls))


def foreign_bases(cls: Class) -> list[str]:
    """The library classes among the bases that may bring fields."""
    harmless = ("object", "ABC", "Protocol", "Generic", "Serializable", "BaseModel", "BaseSettings")
    return [name for name in cls.externals() if not name.endswith(harmless)]


def _is_class_variable(node: ast.AnnAssign) -> bool:
    return "ClassVar" in ast.unparse(node.annotation)


def _comments(cls: Class) -> dict[str, str]:
    """The docstrings that stand below fields."""
    found: dict[str, str] = {}
    for node, following in zip(cls.node.body, cls.node.body[1:], strict=False):
        said = following.value if isinstance(following, ast.Expr) else None
        text = said.value if isinstance(said, ast.Constant) else None
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(text, str):
            found[node.target.id] = " ".join(text.split())
    return found


def _with_note(run: Interpreter, field: Field, comment: str) -> Field:
    """Take the default, help and choices out of field(...)."""
    note = field.default
    if not isinstance(note, FieldNote):
        return msgspec.structs.replace(field, help=comment)
    named = note.arguments.named
    default: Value = named.get("default", note.arguments.get(0, "default", _MISSING))
    factory = named.get("default_factory")
    if factory is not None:
        default = run.call(factory, Arguments([], {}))
    metadata = named.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    text = metadata.get("help") or named.get("help") or named.get("description") or comment
    choices = metadata.get("choices") or named.get("choices")
    kind = field.kind
    if isinstance(choices, (list, tuple)):
        kind = msgspec.structs.replace(kind, choices=tuple(t for t in (typed(c, run)[0] for c in choices) if t))
    required = default is _MISSING or default is Ellipsis
    return msgspec.structs.replace(
        field, default=None if required else default, required=required, kind=kind,
        help=" ".join(text.split()) if isinstance(text, str) else "",
    )  # fmt: skip


def dashed(name: str) -> tuple[str, ...]:
    """--field-name, and as it is written."""
    plain = name.replace("_", "-")
    return (f"--{name}", f"--{plain}") if plain != name else (f"--{plain}",)


def option_of(run: Interpreter, field: Field, name: str, flags: tuple[str, ...]) -> Option:
    """A field as an option that takes a value."""
    default, known = typed(field.default, run)
    return Option(
        dest=name, flags=flags, type=field.kind.type, choices=field.kind.choices, default=default,
        nargs=field.kind.nargs, required=field.required, help=field.help, path=field.path, line=field.line,
        sure=known and field.kind.type != "unknown",
    )  # fmt: skip


def with_absent(option: Option, field: Field) -> Option:
    """An option that takes `None`, where the annotation or the default of its field says that it may be none."""
    may_be = field.kind.optional or (field.default is None and not field.required)
    return msgspec.structs.replace(option, absent=("None",)) if may_be else option


def flatten(
    run: Interpreter, fields: list[Field], prefix: str = "", depth: int = 0
) -> tuple[list[tuple[str, Field]], bool]:
    """Fields with dotted names, those of nested dataclasses included; and whether some could not be followed."""
    found: list[tuple[str, Field]] = []
    is_open = False
    for field in fields:
        if field.kind.nested is None or depth >= MAX_NESTING:
            found.append((prefix + field.name, field))
            continue
        inner, more = dataclass_fields(run, field.kind.nested)
        below, deeper = flatten(run, inner, f"{prefix}{field.name}.", depth + 1)
        found += below
        is_open = is_open or more or deeper
    return found, is_open
