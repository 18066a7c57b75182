"""The syntax trees of the files that run, and what they say about a place in them."""

import ast
import builtins
import functools
import symtable
import types

TESTS = (ast.If, ast.While, ast.IfExp, ast.Assert)
EXITS = ("exit", "_exit", "quit", "error", "abort", "fail")
_read = open
"""As it was before anything was replaced."""


@functools.cache
def source(path: str) -> bytes:
    """The content of a file, b"" where it cannot be read."""
    try:
        with _read(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


@functools.cache
def tree(path: str) -> ast.Module:
    """The syntax tree of a file; an empty one where it cannot be read."""
    try:
        return ast.parse(source(path))
    except (SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])


@functools.cache
def around(path: str, line: int) -> list[ast.AST]:
    """The syntax nodes that contain a line, outermost first."""
    return [
        n for n in ast.walk(tree(path)) if getattr(n, "lineno", line + 1) <= line <= (getattr(n, "end_lineno", 0) or 0)
    ]


def safe(frame: types.FrameType) -> bool | None:
    """The truth value of an unknown test at this place with which the program does not refuse to go on; None where none is better."""
    return _safe(frame.f_code.co_filename, frame.f_lineno)


@functools.cache
def _safe(path: str, line: int) -> bool | None:
    for node in reversed(around(path, line)):
        if isinstance(node, (ast.If, ast.Assert)) and node.test.lineno <= line <= (node.test.end_lineno or 0):
            test, truth = node.test, True
            while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test, truth = test.operand, not truth
            if isinstance(node, ast.Assert):
                return truth
            if _refuses(node.body):
                return not truth
            return truth if node.orelse and _refuses(node.orelse) else None
    return None


def _refuses(body: list[ast.stmt]) -> bool:
    """Whether a block ends by raising or by leaving the program."""
    last = body[-1]
    if isinstance(last, ast.Raise):
        return True
    call = last.value if isinstance(last, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    name = getattr(call.func, "attr", None) or getattr(call.func, "id", "")
    return name in EXITS


def undefined_names(path: str) -> list[str]:
    """Names that a file reads and that nothing in it binds: also where the run did not come."""
    nodes = list(ast.walk(tree(path)))
    if any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in nodes):
        return []
    table = symtable.symtable(source(path).decode(errors="replace"), path, "exec")
    bound = {s.get_name() for t in _tables(table) for s in t.get_symbols() if _binds(s, t)}
    known = bound | set(vars(builtins)) | {"__file__", "__name__", "__doc__", "__builtins__", "__spec__", "__path__"}
    reads = {
        s.get_name()
        for t in _tables(table)
        for s in t.get_symbols()
        if s.is_referenced() and (s.is_global() or t is table)
    }
    caught = {"NameError"} & {getattr(n, "id", "") for n in nodes}
    return [] if caught else sorted(reads - known - {"__class__"})


def _tables(table: symtable.SymbolTable) -> list[symtable.SymbolTable]:
    return [table, *(inner for child in table.get_children() for inner in _tables(child))]


def _binds(symbol: symtable.Symbol, table: symtable.SymbolTable) -> bool:
    at_module = table.get_type() == "module" or symbol.is_declared_global()
    return at_module and (symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace())
