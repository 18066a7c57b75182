"""Scripts that read sys.argv themselves, and scripts that take nothing."""

import ast
import re
from collections.abc import Iterator
from itertools import takewhile

import msgspec

from ml_agent.tools.outline import docstring_of
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.programs import framework_of
from ml_agent.tools.signatures.sources import Sources

ARGV = re.compile(r"\bargv\b")
MAX_PLACE = 50
_MOST_BITS, _LONGEST_DEFAULT = 64, 500
"""What a default holds at most: Python refuses to write out numbers of thousands of digits."""
_TYPES = {"int": "int", "float": "float", "Path": "path"}


def read(sources: Sources, path: str) -> tuple[Signature, ...]:
    """The signature of a script without a parser: its positional arguments by number."""
    text = sources.text(path) or ""
    if not ARGV.search(text):
        return (Signature(path=path, framework="none", syntax="plain", accepts_unknown=True, doc=docstring_of(text)),)
    tree = sources.tree(path)
    if tree is None:
        return (Signature(path=path, framework="none", syntax="plain", accepts_unknown=True),)
    return (_signature(tree, path),)


def read_function(sources: Sources, path: str, name: str) -> tuple[Signature, ...]:
    """The signature of a function that a console script calls and that reads the command line itself, else ()."""
    tree = sources.tree(path)
    functions = [one for one in (tree.body if tree else []) if isinstance(one, ast.FunctionDef) and one.name == name]
    body = functions[0].body if functions else []
    if not any(_place(node) for statement in body for node in ast.walk(statement)):
        return ()
    made = _signature(ast.Module(body=body, type_ignores=[]), path)
    parses = any(sources.asked(other, framework_of) for other in sources.closure(path, path))
    is_open = made.accepts_unknown or parses  # a parser that could not be followed may read the rest
    return (
        msgspec.structs.replace(made, doc=made.doc or docstring_of(sources.text(path) or ""), accepts_unknown=is_open),
    )


def _signature(tree: ast.Module, path: str) -> Signature:
    lines: dict[int, int] = {}
    uses = 0
    for node in ast.walk(tree):
        uses += _is_argv(node)
        place = _place(node)
        if place is not None:
            lines.setdefault(place, getattr(node, "lineno", 0))
    named = {place: node for node in ast.walk(tree) if isinstance(node, ast.Assign) for place in _place_of(node)}
    only_places = uses == len([n for n in ast.walk(tree) if _place(n) is not None or _counts(n)])
    needed = max(_always_read(tree), default=0) if only_places else 0
    changed = any(_is_changed(node) for node in ast.walk(tree))
    options = tuple(
        _option(
            named.get(place), Option(dest=f"arg{place}", path=path, line=lines.get(place, 0), required=place <= needed)
        )
        for place in range(1, max(lines, default=0) + 1)
    )
    doc = " ".join((ast.get_docstring(tree) or "").strip().split("\n\n")[0].split())[:500]
    framework = "sysargv" if options or uses else "none"
    return Signature(
        path=path, framework=framework, options=options, syntax="plain", doc=doc, accepts_unknown=not only_places or changed or not options
    )  # fmt: skip


def _option(assigned: ast.Assign | None, plain: Option) -> Option:
    """An argument, with the name, the type and the default that the assignment of it gives."""
    if assigned is None:
        return msgspec.structs.replace(plain, sure=plain.required)
    branches = _branches(assigned.value)
    default = next((one.value for one in branches[1:] if isinstance(one, ast.Constant)), None)
    value = branches[0]
    kind = (
        _TYPES.get(value.func.id, "str") if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else "str"
    )
    name = assigned.targets[0]
    return msgspec.structs.replace(
        plain,
        dest=name.id if isinstance(name, ast.Name) else plain.dest,
        type=kind,
        default=_text_of(default),
        sure=plain.required,
    )


def _text_of(default: object) -> str | None:
    """A default as it would be typed; None for one that is none, or that nobody types."""
    if isinstance(default, int) and default.bit_length() > _MOST_BITS:
        return None
    return str(default) if isinstance(default, str | int | float) and len(str(default)) <= _LONGEST_DEFAULT else None


def _place_of(node: ast.Assign) -> Iterator[int]:
    """The argument that is all that an assignment gives a name: `path = Path(sys.argv[1])`, `n = int(sys.argv[2]) if ... else 5`."""
    inside = {place for one in ast.walk(node.value) if (place := _place(one)) is not None}
    known = _place(_without_conversion(_branches(node.value)[0])) is not None
    if len(inside) == 1 and known and isinstance(node.targets[0], ast.Name):
        yield from inside


def _branches(value: ast.expr) -> list[ast.expr]:
    """What an expression gives, the argument first, then what stands in where it is not given."""
    both = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
    return sorted(both, key=lambda one: _place(_without_conversion(one)) is None)


def _without_conversion(node: ast.expr) -> ast.expr:
    """What a conversion takes: `int(x)`, `Path(x)`, `os.path.abspath(x)`."""
    return node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords else node


_CONDITIONAL = (
    ast.If, ast.IfExp, ast.BoolOp, ast.Try, ast.While, ast.For, ast.Match, ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef,
)  # fmt: skip


def _always_read(tree: ast.Module) -> set[int]:
    """Places that are read whenever the script runs: outside branches, also in functions that it always calls."""
    functions = {node.name: node.body for node in tree.body if isinstance(node, ast.FunctionDef)}
    pending, found = list[ast.AST](tree.body), set[int]()
    while pending:
        node = pending.pop()
        found |= {_place(node) or 0}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            pending += list(takewhile(_stays, functions.pop(node.func.id, ())))
        if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            pending += node.body
        elif not isinstance(node, _CONDITIONAL):
            pending += ast.iter_child_nodes(node)
    return found


def _stays(statement: ast.AST) -> bool:
    """Whether a function goes on behind a statement."""
    return not any(isinstance(node, ast.Return) for node in ast.walk(statement))


def _is_argv(node: ast.AST) -> bool:
    """sys.argv, or argv imported from sys."""
    if isinstance(node, ast.Attribute):
        return node.attr == "argv" and isinstance(node.value, ast.Name) and node.value.id == "sys"
    return isinstance(node, ast.Name) and node.id == "argv" and isinstance(node.ctx, ast.Load)


def _place(node: ast.AST) -> int | None:
    """The number of the argument that an expression reads."""
    if not isinstance(node, ast.Subscript) or not _is_argv(node.value):
        return None
    value = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return value if isinstance(value, int) and 0 < value <= MAX_PLACE else None


def _is_changed(node: ast.AST) -> bool:
    """`del sys.argv[1]`: the other words are for somebody else."""
    return isinstance(node, ast.Subscript) and _is_argv(node.value) and not isinstance(node.ctx, ast.Load)


def _counts(node: ast.AST) -> bool:
    """len(sys.argv)."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "len"
        and bool(node.args)
        and _is_argv(node.args[0])
    )
