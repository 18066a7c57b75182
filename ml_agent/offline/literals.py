"""The literals of Python code: what could be replaced by a value of the user's, and which parameter each is given to."""

import ast
import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from ml_agent.tools.python_source import parse_python


class Literal(msgspec.Struct, frozen=True, kw_only=True):
    """One literal (or the numbers of one shape) in a text of code."""

    text: str
    """The value as text: a string without quotes, a number as written, a shape as "(50,512,7,7)"."""
    kind: str
    """text, number, shape or name (an identifier, an attribute: not replaced as a literal)."""
    slot: str = ""
    """What it is for: a keyword, a dictionary key, a variable, the called function."""
    start: int
    """Character offset."""
    end: int
    owner: str = ""
    """The called function around it, dotted."""
    place: int = -1
    """Its place among the positional arguments of the call; -1 where it is none."""


class _Scope(msgspec.Struct, frozen=True, kw_only=True):
    slot: str = ""
    owner: str = ""
    place: int = -1
    fixed: bool = False
    """A key, an index, a message, what something is compared with: literals there are never replaced."""


@lru_cache(maxsize=256)
def literals(code: str) -> tuple[Literal, ...]:
    """What of `code` can be replaced, in its order; none where it does not parse."""
    tree = parse_python(code)
    return tuple(_Finder(code).visit(tree, _Scope())) if tree is not None else ()


def _dotted_name(node: ast.AST) -> str:
    """The dotted name of an expression, "" where it is none: calls within are skipped ("a.b(1).c" is "a.b.c")."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = _dotted_name(node.value)
        return f"{head}.{node.attr}" if head else node.attr
    return _dotted_name(node.func) if isinstance(node, ast.Call) else ""


class _Finder:
    def __init__(self, code: str) -> None:
        self._code = code
        self._lines = code.splitlines(keepends=True)
        self._starts = [0, *itertools.accumulate(map(len, self._lines))]

    def _span(self, node: ast.expr | ast.alias) -> tuple[int, int]:
        """Character offsets of a node; ast counts bytes."""
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno or 1, node.end_col_offset or 0)

    def _offset(self, line: int, column: int) -> int:
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return self._starts[line - 1] + len(text.encode()[:column].decode(errors="ignore"))

    def visit(self, node: ast.AST, scope: _Scope) -> Iterator[Literal]:
        """The literals below a node."""
        if isinstance(node, ast.JoinedStr):
            return
        if isinstance(node, ast.Call):
            yield from self._call(node)
        elif isinstance(node, ast.Dict):
            yield from self._dict(node, scope)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            yield from self.visit(node.value, _Scope(slot=_dotted_name(target))) if node.value is not None else ()
        elif isinstance(node, ast.Subscript):
            yield from self.visit(node.value, scope)
            yield from self.visit(node.slice, _Scope(fixed=True))
        elif isinstance(node, ast.Constant | ast.UnaryOp | ast.Tuple) and (found := self._literal(node, scope)):
            yield from () if scope.fixed else (found,)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(getattr(node, "ctx", None), ast.Load):
            yield self._name(node, _dotted_name(node))
            if isinstance(node, ast.Attribute) and not isinstance(node.value, ast.Name | ast.Attribute):
                yield from self.visit(node.value, _Scope())
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (self._name(one, f"{node.module}.{one.name}") for one in node.names if one.asname is None)
        else:
            handed_on = isinstance(node, ast.List | ast.Tuple | ast.Set | ast.BinOp | ast.Starred | ast.IfExp)
            inner = scope if handed_on else _Scope(fixed=isinstance(node, ast.Compare))
            yield from (one for child in ast.iter_child_nodes(node) for one in self.visit(child, inner))

    def _call(self, node: ast.Call) -> Iterator[Literal]:
        owner = _dotted_name(node.func)
        yield from self.visit(node.func, _Scope())
        if shape := self._shape(node.args, owner):
            yield shape
        for place, argument in enumerate(node.args):
            scope = _Scope(slot=owner.rpartition(".")[2], owner=owner, place=place, fixed=owner == "print")
            yield from self.visit(argument, scope)
        for keyword in node.keywords:
            yield from self.visit(keyword.value, _Scope(slot=keyword.arg or "", owner=owner))

    def _dict(self, node: ast.Dict, scope: _Scope) -> Iterator[Literal]:
        owner = f"{scope.owner}({scope.slot}=" if scope.slot else scope.owner
        for key, value in zip(node.keys, node.values, strict=True):
            name = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
            yield from self.visit(value, _Scope(slot=name, owner=owner))

    def _shape(self, arguments: Sequence[ast.expr], owner: str) -> Literal | None:
        """Whole numbers in a row: the shape of a tensor."""
        run = [node for node in arguments if isinstance(node, ast.Constant) and type(node.value) is int]
        if len(run) < 2 or len(run) != len(arguments):
            return None
        text = "(" + ",".join(str(node.value) for node in run) + ")"
        start, end = self._span(run[0])[0], self._span(run[-1])[1]
        return Literal(text=text, kind="shape", slot="shape", start=start, end=end, owner=owner)

    def _literal(self, node: ast.expr, scope: _Scope) -> Literal | None:
        start, end = self._span(node)
        text = self._code[start:end]
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            kind, text = "text", node.value
        elif isinstance(node, ast.Tuple):
            whole = [part for part in node.elts if isinstance(part, ast.Constant) and type(part.value) is int]
            if len(node.elts) < 2 or len(whole) < len(node.elts):
                return None
            kind, text = "shape", text.replace(" ", "")
        elif _is_number(node):
            kind = "number"
        else:
            return None
        return Literal(
            text=text, kind=kind, slot=scope.slot, start=start, end=end, owner=scope.owner, place=scope.place
        )

    def _name(self, node: ast.expr | ast.alias, name: str) -> Literal:
        start, end = self._span(node)
        return Literal(text=name, kind="name", start=start, end=end)


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) and _is_number(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) in {int, float}
