"""Programs whose command line changes their global variables: `exec(open("settings.py").read())` and the like.

What counts is what the code does: it reads the words of the command line and stores into globals() under a name from them.
"""

import ast
import posixpath
from collections.abc import Iterator

from ml_agent.tools.signatures.argparse_option import typed
from ml_agent.tools.signatures.fields import VALUE_TYPES
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Class, External, Function, Module, Native, Value
from ml_agent.tools.signatures.words import SAME_TYPE

_NO_SETTINGS = (Module, External, Function, Class, Native)


class OpenFile(Native):
    """open(path) of a file of the repository."""

    def __init__(self, path: str) -> None:
        self.path = path

    def do_read(self, arguments: Arguments) -> Value:
        """Its text, as something that can be executed."""
        return FileText(self.path)


class FileText(Native):
    """The text of a file of the repository."""

    def __init__(self, path: str) -> None:
        self.path = path


class GlobalsParser(Native):
    """The settings of a script that its command line changes."""

    def __init__(self, run: Interpreter, code: ast.Module) -> None:
        self.run = run
        self.code = code
        self.settings = dict(run.modules[run.script].env)
        """As they are where the command line is read."""
        run.made.append(self)

    def signatures(self) -> list[Signature]:
        """One option a global variable; files that are executed come as positional arguments."""
        lines = _assignments(self.run.sources.tree(self.run.script))
        options = [
            self._option(name, value, lines[name])
            for name, value in self.settings.items()
            if name in lines and not name.startswith("_") and not isinstance(value, _NO_SETTINGS)
        ]
        if any(_callee(node) == "exec" for node in ast.walk(self.code)):
            options.append(
                Option(dest="files", type="path", nargs="*", path=self.run.script, help="Python files with settings")
            )
        return [
            Signature(
                path=self.run.script, framework="sysargv", options=tuple(options), syntax="absl", allow_abbrev=False,
            )
        ]  # fmt: skip

    def _option(self, name: str, value: Value, line: int) -> Option:
        default, known = typed(value, self.run)
        return Option(
            dest=name, flags=(f"--{name}",), type=VALUE_TYPES.get(type(value), "unknown"), default=default,
            path=self.run.script, line=line, sure=known, converter=SAME_TYPE if _asserts_types(self.code) else "literal",
            joined=_looks_for_equals(self.code),
        )  # fmt: skip


def _assignments(tree: ast.Module | None) -> dict[str, int]:
    """The names that a file assigns at its top level, with their lines."""
    found: dict[str, int] = {}
    for node in tree.body if tree is not None else []:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            found.update({name.id: node.lineno for name in names if isinstance(name, ast.Name)})
    return found


def changes_globals(code: ast.Module) -> bool:
    """Whether code stores into globals() under names that come from the words of the command line."""
    reads = any(isinstance(node, ast.Attribute) and node.attr == "argv" for node in ast.walk(code))
    return reads and any(_stores_global(node) for node in ast.walk(code))


def _stores_global(node: ast.AST) -> bool:
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Store):
        return False
    return _callee(node.value) == "globals" and not isinstance(node.slice, ast.Constant)


def _asserts_types(code: ast.Module) -> bool:
    """Whether it goes on only where two types are the same: that of a value and that of what it takes the place of."""
    tests = [node.test for node in ast.walk(code) if isinstance(node, ast.Assert)]
    pairs = [[test.left, *test.comparators] for test in tests if isinstance(test, ast.Compare)]
    return any(len(pair) > 1 and all(_callee(one) == "type" for one in pair) for pair in pairs)


def _looks_for_equals(code: ast.Module) -> bool:
    """Whether it tells its words apart by the `=` in them."""
    return any(
        isinstance(node.left, ast.Constant) and node.left.value == "=" and isinstance(node.ops[0], (ast.In, ast.NotIn))
        for node in ast.walk(code)
        if isinstance(node, ast.Compare)
    )


def _callee(node: ast.AST) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _places(run: Interpreter, path: str) -> Iterator[str]:
    """Where a path that a script opens may lie: it is started in its folder or in the repository's root."""
    inside = path.removeprefix(f"{run.sources.root}/")
    for folder in (posixpath.dirname(run.script), ""):
        yield posixpath.normpath(posixpath.join(folder, inside))


def _open(run: Interpreter, name: str, arguments: Arguments) -> Value:
    word = str(arguments.get(0, "file", ""))
    found = next((place for place in _places(run, word) if run.sources.exists(place)), None)
    return UNKNOWN if found is None else OpenFile(found)


def _exec(run: Interpreter, name: str, arguments: Arguments) -> Value:
    text = arguments.get(0, "source")
    code = run.sources.tree(text.path) if isinstance(text, FileText) and text.path.endswith(".py") else None
    if code is not None and changes_globals(code) and arguments.path == run.script:
        run.note_parsed(GlobalsParser(run, code), strict=True)
    return None


FACTORIES: dict[str, Factory] = {"builtins.open": _open, "builtins.exec": _exec}
