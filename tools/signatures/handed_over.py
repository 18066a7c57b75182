"""Scripts that hand their functions to a library which is not known here, and which may read the command line for them."""

import ast
import re
from collections.abc import Callable, Collection

IsForeign = Callable[[str], bool]
"""Whether a module is neither of the repository nor of the standard library."""
_STARTS = re.compile(
    r"\.(?:[a-z]\w*_)?(?:main|cli|run|parse|arg(?:ument)?s|argv|options|flags|command|setup|launch|app)(?:_\w*)?$"
    r"|\.\w*(?:CLI|App|Args|Arguments|Arg\w*Parser)$"
)
"""The dotted name of what may read a command line: `lightning.app.main`, `trainer.TrainerArgs`."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def library_that_runs(tree: ast.Module, is_foreign: IsForeign) -> str:
    """A library's function that may run a script, and read the words for it, as the source calls it; "" where there is none.

    Its name says that it reads them, it is the last that the script does, or it is given what the script defines:
    `get_args()`, `train_pipeline(root)`, `app()` with `app = cyclopts.App()`, `plac.call(main)`, `defopt.run([train, test])`.
    """
    libraries = _libraries(tree, is_foreign)
    own = {"__main__", *(node.name for node in tree.body if isinstance(node, _DEFINITIONS))}
    outside = [node for one in tree.body if not isinstance(one, _DEFINITIONS) for node in ast.walk(one)]
    last = next((node.value for node in reversed(outside) if isinstance(node, ast.Expr)), None)
    for node in (one for one in ast.walk(tree) if isinstance(one, ast.Call) and _root(one.func) in libraries):
        root, _, rest = ast.unparse(node.func).partition(".")
        called = f"{libraries.get(root, root)}.{rest}".rstrip(".")
        by_name = not rest and (node is last or (_STARTS.search(called) and not node.args))
        if by_name or (node in outside and _hands_over(node, own)):
            return called
    return ""


def library_that_decorates(tree: ast.Module, is_foreign: IsForeign) -> str:
    """A library's decorator of a function of a script, which may run it at once, as `@begin.start` does; "" where there is none."""
    libraries = _libraries(tree, is_foreign)
    decorators = (one for node in tree.body if isinstance(node, _DEFINITIONS) for one in node.decorator_list)
    return next((ast.unparse(one) for one in decorators if _root(one) in libraries), "")


def _libraries(tree: ast.Module, is_foreign: IsForeign) -> dict[str, str]:
    """By name in a script: what it imports from libraries, and what it makes of that at its top level."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and is_foreign(node.module or ""):
            found |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.Import):
            found |= {one.asname or one.name.partition(".")[0]: one.name for one in node.names if is_foreign(one.name)}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _root(node.value) in found:
            found[ast.unparse(node.targets[0])] = ast.unparse(node.value.func)
    return found


def _hands_over(call: ast.Call, own: Collection[str]) -> bool:
    """Whether a call is given a function of the script, or a list of them, and besides it at most the command line's words."""
    if not call.args or any("sys.argv" not in ast.unparse(one) for one in call.args[1:]):
        return False
    first = call.args[0].elts if isinstance(call.args[0], ast.List) else call.args[:1]
    # `mp.spawn(work, args=…)` says itself what the function gets
    worker = any(one.arg in ("args", "kwargs") for one in call.keywords)
    return not worker and bool(first) and all(isinstance(one, ast.Name) and one.id in own for one in first)


def _root(node: ast.expr) -> str:
    """The first name of `a.b(c).d`."""
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
