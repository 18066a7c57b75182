"""A script that makes no parser, but hands its functions to a library that is not in the repository: that may read the command line."""

import ast
from collections.abc import Callable, Mapping

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def library_that_runs(tree: ast.Module, is_foreign: Callable[[str], bool]) -> str:
    """What a script hands one of its functions or classes to where it runs, as the source calls it; "" where it does not.

    `plac.call(main)`, of itself or of an object of it: `plac.call(__main__)`; `defopt.run([train, test])`; `app()` with `app = cyclopts.App()` and `@app.default` over one. `mp.spawn(work, args=…)` gives the function
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
    bare = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    decorators = {_root(one) for node in own.values() for one in node.decorator_list}
    top = (node for one in tree.body if not isinstance(one, _DEFINITIONS) for node in ast.walk(one))
    for call in (node for node in top if isinstance(node, ast.Call)):
        root = _root(call.func)
        gives = any(one.arg in ("args", "kwargs") for one in call.keywords)
        if root in libraries and _hands_over(call, own, bare=call in bare) and not gives:
            return ast.unparse(call.func)
        if isinstance(call.func, ast.Name) and root in made and root in decorators and not call.args:
            return made[root]
    return ""


def _hands_over(call: ast.Call, own: Mapping[str, ast.stmt], *, bare: bool) -> bool:
    """Whether a call is given nothing but what is of the script, or besides it the words of the command line.

    Several functions, or an object, are so where nothing is done with the result; a layer of a network has a base.
    """
    if not call.args or any("sys.argv" not in ast.unparse(one) for one in call.args[1:]):
        return False
    first = call.args[0]
    if isinstance(first, ast.Name):
        return first.id in own or first.id == "__main__"
    if isinstance(first, ast.List):
        return bare and bool(first.elts) and all(isinstance(one, ast.Name) and one.id in own for one in first.elts)
    made = own.get(_root(first)) if isinstance(first, ast.Call) else None
    return bare and isinstance(made, ast.ClassDef) and not made.bases


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
