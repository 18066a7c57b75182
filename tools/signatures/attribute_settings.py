"""Settings that are attributes of an object, which a program sets by the names that its command line gives.

`setattr(self, name, value)` for each keyword of a function that fire calls, or for each `--name=value` of `sys.argv[1:]`.
"""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from ml_agent.tools.signatures.annotations import AnnotationType
from ml_agent.tools.signatures.config_dict import places_of
from ml_agent.tools.signatures.fields import VALUE_TYPES, Field, option_of
from ml_agent.tools.signatures.interpreter import Interpreter
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.values import Bound, Class, External, Frame, Function, Instance, Module, Native, Value

MOST_SETTINGS = 400
_WORDS = ast.Subscript(
    ast.Attribute(ast.Name("sys", ast.Load()), "argv", ast.Load()), ast.Slice(ast.Constant(1), None, None), ast.Load()
)
"""sys.argv[1:]"""
MOST_NESTING = 5
_NO_SETTINGS = (Module, External, Function, Bound, Class, Native)


class Settings(NamedTuple):
    """What a program sets by name."""

    fields: tuple[Field, ...] = ()
    closed: bool = False
    """Whether it refuses every other name."""


def settings_of_call(run: Interpreter, function: Function, given: ast.expr) -> Settings:
    """The settings that the body of a function changes by what it hands to `settings.method(given)`.

    Args:
        run: the program.
        function: in whose names the call is read.
        given: what holds the names and their values: the function's `**kwargs`.
    """
    called = [node for node in ast.walk(function.node) if isinstance(node, ast.Call) and _hands(node, given)]
    return next(filter(None, (settings_of(run, run.evaluate(one.func, function.frame)) for one in called)), Settings())


def settings_of_words(run: Interpreter) -> list[Signature]:
    """The signature of a script whose settings take the words of its command line apart; [] where none does."""
    module = run.modules[run.script]
    tree = run.sources.tree(run.script)
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Call) or not _hands(node, _WORDS):
            continue
        method = run.evaluate(node.func, Frame(module, {}))
        found = settings_of(run, method)
        if found is not None and _splits(method.function.node):
            assigned = places_of(run.sources, [run.script, *sorted(run.modules)])
            fields = [_with_place(field, assigned) for field in found.fields]
            options = tuple(_join(option_of(run, field, field.name, (f"--{field.name}",))) for field in fields)
            return [
                Signature(
                    path=run.script, framework="sysargv", options=options, accepts_unknown=not found.closed,
                    allow_abbrev=False, line=node.lineno,
                )
            ]  # fmt: skip
    return []


def _with_place(field: Field, assigned: Mapping[str, tuple[str, int]]) -> Field:
    """A setting with the line that assigns it: by its whole name, or by the last part of it."""
    place = assigned.get(field.name) or assigned.get(field.name.rpartition(".")[2])
    return field if place is None else msgspec.structs.replace(field, path=place[0], line=place[1])


def _splits(function: ast.AST) -> bool:
    """Whether a function takes words of the form `--name=value` apart."""
    texts = {node.value for node in ast.walk(function) if isinstance(node, ast.Constant)}
    return {"--", "="} <= texts


def _join(option: Option) -> Option:
    """As the words give it; its value is that at the end of the script, which may have changed it."""
    return msgspec.structs.replace(option, joined=True, converter="literal", sure=False)


def settings_of(run: Interpreter, method: Value) -> Settings | None:
    """The settings of the object whose method stores by name; None where it is no such method."""
    if not isinstance(method, Bound) or not isinstance(method.self_value, Instance):
        return None
    node = method.function.node
    if not any(map(_stores_by_name, ast.walk(node))):
        return None
    fields = [field for field, _ in zip(_fields(run, method.self_value, "", 0), range(MOST_SETTINGS), strict=False)]
    whole = len(fields) < MOST_SETTINGS and not any(map(_takes_any, method.self_value.cls.mro()))
    return Settings(tuple(fields), closed=_refuses(node) and whole)


def _takes_any(cls: Class) -> bool:
    """Whether a class may have attributes of any name, which it is given: `self.__dict__.update(...)`."""
    return any(
        isinstance(node, ast.Attribute) and ast.unparse(node).endswith("__dict__.update") for node in ast.walk(cls.node)
    )


def _hands(call: ast.Call, given: ast.expr) -> bool:
    """Whether a call is given that and nothing else, as it is or taken apart: `parse(kwargs)`, `parse(**kwargs)`."""
    values = [*call.args, *(one.value for one in call.keywords if one.arg is None)]
    return len(values) == len(call.args) + len(call.keywords) == 1 and ast.dump(values[0]) == ast.dump(given)


def _stores_by_name(node: ast.AST) -> bool:
    """`setattr(self, name, value)` where the name is no constant."""
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr"
    return is_call and len(node.args) == 3 and isinstance(node.args[1], (ast.Name, ast.Subscript))  # type: ignore[attr-defined]


def _refuses(function: ast.AST) -> bool:
    """Whether a name that the object has not is an error: an assertion, or what raises behind a test of it."""
    tests = [
        node.test
        for node in ast.walk(function)
        if isinstance(node, ast.Assert) or (isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise))
    ]
    return any("hasattr(" in text or " not in " in text for text in map(ast.unparse, tests))


def _fields(run: Interpreter, holder: Instance, prefix: str, depth: int) -> Iterator[Field]:
    """The attributes of an object, and with dotted names those of the objects that it holds."""
    places = _places(holder.cls)
    values = {name: value for cls in reversed(holder.cls.mro()) for name, value in cls.names.items()}
    for name, value in (values | holder.attributes).items():
        value = run.force(value)
        if name.startswith("_") or isinstance(value, _NO_SETTINGS):
            continue
        if isinstance(value, Instance):
            yield from _fields(run, value, f"{prefix}{name}.", depth + 1) if depth < MOST_NESTING else ()
            continue
        path, line = places.get(name, (holder.cls.module.path, holder.cls.node.lineno))
        kind = VALUE_TYPES.get(type(value), "json" if isinstance(value, (list, tuple, dict)) else "unknown")
        yield Field(name=prefix + name, kind=AnnotationType(type=kind), default=value, path=path, line=line)


def _places(cls: Class) -> dict[str, tuple[str, int]]:
    """Where the bodies of a class and its bases assign each name."""
    found: dict[str, tuple[str, int]] = {}
    for one in reversed(cls.mro()):
        for node in one.node.body:
            targets = (
                node.targets
                if isinstance(node, ast.Assign)
                else [node.target]
                if isinstance(node, ast.AnnAssign)
                else []
            )
            found |= {t.id: (one.module.path, node.lineno) for t in targets if isinstance(t, ast.Name)}
    return found
