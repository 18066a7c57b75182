"""A script that makes no parser, but hands its functions to a library that is not in the repository: that may read the command line."""

import ast
from collections.abc import Callable

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def library_that_runs(tree: ast.Module, is_foreign: Callable[[str], bool]) -> str:
    """What a script hands one of its functions or classes to where it runs, as the source calls it; "" where it does not.

    `plac.call(main)`; `app()` with `app = cyclopts.App()` and `@app.default` over one. `mp.spawn(work, args=…)` gives the function
    its arguments itself.

    Args:
        tree: the script.
        is_foreign: whether a module is neither of the repository nor of the standard library.
    """
    names = [one for node in tree.body if isinstance(node, ast.Import) for one in node.names]
    libraries = {one.asname or one.name.partition(".")[0]: one.name for one in names if is_foreign(one.name)}
    own = {one.name: one for one in tree.body if isinstance(one, _DEFINITIONS)}
    made = {
        ast.unparse(node.targets[0]): ast.unparse(node.value.func)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _root(node.value.func) in libraries
    }
    decorators = {_root(one) for node in own.values() for one in node.decorator_list}
    top = (node for one in tree.body if not isinstance(one, _DEFINITIONS) for node in ast.walk(one))
    for call in (node for node in top if isinstance(node, ast.Call)):
        root, first = _root(call.func), call.args[0] if len(call.args) == 1 else None
        gives = any(one.arg in ("args", "kwargs") for one in call.keywords)
        if root in libraries and isinstance(first, ast.Name) and first.id in own and not gives:
            return ast.unparse(call.func)
        if isinstance(call.func, ast.Name) and root in made and root in decorators and not call.args:
            return made[root]
    return ""


def library_that_decorates(tree: ast.Module, is_foreign: Callable[[str], bool]) -> str:
    """A library's decorator of a function of a script, "" where none has any: it may run it at once, as `@begin.start` does."""
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {
        one.asname or one.name.partition(".")[0]
        for node in imports
        for one in node.names
        if is_foreign((node.module or "") if isinstance(node, ast.ImportFrom) else one.name)
    }
    functions = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    decorators = (one for node in functions for one in node.decorator_list)
    return next((ast.unparse(one) for one in decorators if _root(one) in names), "")


def _root(node: ast.expr) -> str:
    """The first name of `a.b(c).d`."""
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
