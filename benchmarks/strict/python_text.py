"""The text of a Python answer without what does nothing: comments, docstrings, print arguments, what is assigned or defined and never used."""

import ast
import io
import tokenize
from collections import Counter, defaultdict, deque

SHOWN = ("print", "pprint", "display")
LOGGED = ("info", "debug", "warning", "error", "critical", "exception", "log")


class Mask:
    """Which bytes of the source are kept."""

    def __init__(self, source: str) -> None:
        self.lines = source.encode().splitlines(keepends=True)
        self.keep = [bytearray(b"\x01" * len(line)) for line in self.lines]

    def mark(self, start: tuple[int, int], end: tuple[int, int], value: int) -> None:
        """Set the bytes from (line, column) to (line, column); lines count from 1."""
        for number in range(start[0], end[0] + 1):
            row = self.keep[number - 1]
            first = start[1] if number == start[0] else 0
            last = end[1] if number == end[0] else len(row)
            row[first:last] = bytes([value]) * (min(last, len(row)) - first)

    def node(self, node: ast.AST, value: int = 0) -> None:
        """Set the bytes of a syntax node."""
        start = (node.lineno, node.col_offset)  # type: ignore[attr-defined]
        self.mark(start, (node.end_lineno, node.end_col_offset), value)  # type: ignore[attr-defined]

    def text(self) -> str:
        """What is kept."""
        kept = (
            bytes(b for b, k in zip(line, row, strict=True) if k)
            for line, row in zip(self.lines, self.keep, strict=True)
        )
        return b"".join(kept).decode(errors="replace")


def strip_python(source: str) -> str:
    """The source with only what counts; source that does not parse loses its comments only."""
    mask = Mask(source)
    _comments(source, mask)
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return mask.text()
    dead = _unused_statements(tree)
    buried = {id(n) for statement in dead for n in ast.walk(statement)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            mask.node(node)
    for node in sorted(dead, key=lambda s: (s.lineno, s.col_offset), reverse=True):  # what is around it comes later
        mask.node(node)
        for call in _calls(node):
            mask.node(call, 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _shows(node) and id(node) not in buried:
            for argument in [*node.args, *(k.value for k in node.keywords)]:
                mask.node(argument)
                for call in _calls(argument):
                    mask.node(call, 1)
    _comments(source, mask)
    return mask.text()


def _comments(source: str, mask: Mask) -> None:
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                line, column = token.start[0], len(token.line[: token.start[1]].encode())
                mask.mark((line, column), (line, column + len(token.string.encode())), 0)
    except (tokenize.TokenError, SyntaxError):
        return


def _shows(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id in SHOWN
    return (
        isinstance(function, ast.Attribute)
        and function.attr in LOGGED
        and isinstance(function.value, ast.Name)
        and "log" in function.value.id
    )


def _calls(node: ast.AST) -> list[ast.Call]:
    """The outermost calls inside a node that do something; none inside definitions."""
    found: list[ast.Call] = []
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, ast.Call) and not _shows(one) and not _formats(one):
            found.append(one)
        elif not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(one))
    return found


def _formats(call: ast.Call) -> bool:
    """Whether a call only makes text (`str(x)`, `"…".format(x)`)."""
    function = call.func
    if isinstance(function, ast.Name):
        return function.id in ("str", "repr", "len", "type", "format")
    return (
        isinstance(function, ast.Attribute)
        and function.attr in ("format", "join")
        and isinstance(function.value, ast.Constant)
    )


def _unused_statements(tree: ast.Module) -> set[ast.stmt]:
    """Assignments to names that nothing reads, and functions and classes that nothing uses, found until nothing more is."""
    bound = {s: names for s in ast.walk(tree) if isinstance(s, ast.stmt) and (names := _bound_names(s)) is not None}
    outer = {s: c for c in ast.walk(tree) if isinstance(c, ast.ClassDef) for s in c.body}
    binders: dict[str, list[ast.stmt]] = defaultdict(list)
    for statement, names in bound.items():
        for name in names:
            binders[name] += [statement, *(statement.body if isinstance(statement, ast.ClassDef) else ())]
    reads, seen = Counter(_reads(tree, set())), _find_seen(tree)

    def is_idle(statement: ast.stmt) -> bool:
        return statement in bound and not any(reads[name] for name in bound[statement])

    dead: set[ast.stmt] = set()
    queue = deque(bound)
    while queue:
        statement = queue.popleft()
        holder = outer.get(statement)
        if statement in dead or not is_idle(statement) or (holder is not None and not is_idle(holder)):
            continue
        before = _reads(statement, dead) if statement in seen else []
        dead.add(statement)
        if before:
            reads.subtract(before)
            reads.update(_reads(statement, dead))
        if isinstance(statement, ast.AsyncFunctionDef):
            seen.difference_update(ast.walk(statement))
        queue.extend(one for name in set(before) if not reads[name] for one in binders[name])
    return dead


def _find_seen(tree: ast.AST) -> set[ast.AST]:
    """All nodes that are not within a function or a class, whose reads count as a whole."""
    seen: set[ast.AST] = set()
    stack = [tree]
    while stack:
        node = stack.pop()
        seen.add(node)
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(node))
    return seen


def _reads(tree: ast.AST, dead: set[ast.stmt]) -> list[str]:
    """The names that are read, as often as they are."""
    names: list[str] = []
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if node in dead:
            stack.extend(_calls(node))
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names.append(node.id)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.extend(_reads_inside(node) - {node.name})
            stack.extend(node.decorator_list)
            continue
        stack.extend(ast.iter_child_nodes(node))
    return names


def _reads_inside(node: ast.FunctionDef | ast.ClassDef) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _bound_names(statement: ast.stmt) -> set[str] | None:
    """The names that a statement only binds; None where it does more."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return None if statement.decorator_list else {statement.name}
    if isinstance(statement, ast.Assign):
        targets: list[ast.expr] = statement.targets
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    else:
        return None
    names = [n for t in targets for n in ast.walk(t)]
    if any(not isinstance(n, (ast.Name, ast.Tuple, ast.List, ast.expr_context)) for n in names):
        return None
    return {n.id for n in names if isinstance(n, ast.Name)}
