"""Parameters of functions and fields of dataclasses as options, for the libraries that make command lines from them."""

import ast
from collections.abc import Mapping

import msgspec

from ml_agent.tools.docstrings import descriptions_in
from ml_agent.tools.signatures.annotations import AnnotationType, kind_of
from ml_agent.tools.signatures.argparse_option import typed
from ml_agent.tools.signatures.interpreter import Interpreter
from ml_agent.tools.signatures.model import Option, OptionType
from ml_agent.tools.signatures.values import Arguments, Bound, Class, External, Frame, Function, Native, Value

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
    path: str = ""
    line: int = 0


class FieldNote(Native):
    """dataclasses.field(...) and pydantic.Field(...)."""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments


def parameters(run: Interpreter, function: Function | Bound) -> tuple[list[Field], bool]:
    """The parameters of a function, and whether it takes any others (**kwargs)."""
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
    return [_with_text(one, texts) for one in fields], spec.kwarg is not None


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
        comments, texts = _comments(run, part), descriptions_in(part.node)
        for node in part.node.body:
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name) or _is_class_variable(node):
                continue
            frame = Frame(part.module, part.names, part.frame)
            default = _MISSING if node.value is None else run.evaluate(node.value, frame)
            made = _field(run, node, node.target.id, default, frame)
            found[made.name] = _with_text(_with_note(run, made, comments.get(made.name, "")), texts)
    return list(found.values()), bool(foreign_bases(cls))


def foreign_bases(cls: Class) -> list[str]:
    """The library classes among the bases that may bring fields."""
    harmless = ("object", "ABC", "Protocol", "Generic", "Serializable", "BaseModel", "BaseSettings")
    return [name for name in cls.externals() if not name.endswith(harmless)]


def _is_class_variable(node: ast.AnnAssign) -> bool:
    return "ClassVar" in ast.unparse(node.annotation)


def _comments(run: Interpreter, cls: Class) -> dict[str, str]:
    """The docstrings that stand below fields."""
    found: dict[str, str] = {}
    for node, following in zip(cls.node.body, cls.node.body[1:], strict=False):
        is_text = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and is_text:
            text = (
                following.value.value
                if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
                else ""
            )
            found[node.target.id] = " ".join(text.split()) if isinstance(text, str) else ""
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
