"""What the source demands of options after parsing: which it refuses by a test of its own, and which it reads only beside others."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

import msgspec

from ml_agent.benchmarks.make.reads import known_keys, known_words, unread
from ml_agent.tools.files import Tree
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.modules import ModuleTable, join
from ml_agent.tools.python_source import read_module
from ml_agent.tools.signatures.model import Option, Signature

FILES = 24
"""Of a program, at most: the entry point and what it imports of the repository."""
ENDS = frozenset({"exit", "_exit", "error", "abort", "fail", "usage", "print_help", "print_usage"})
"""Functions after which a program does not go on."""
PARSED = frozenset({"args", "opt", "opts", "options", "parsed", "flags", "FLAGS", "params", "hparams", "config", "cfg"})
"""Names of what a parser gave."""
UNSET = (None, "", "None", "[]", "()")
"""Defaults that stand for no value."""


class Guards(msgspec.Struct, frozen=True, kw_only=True):
    """What a program's own tests say of its options."""

    tested: frozenset[str] = frozenset()
    """Dests in a test on which the program may refuse to go on."""
    leads: Mapping[str, frozenset[str]] = {}
    """By dest: options without a value of their own that are read where it decides."""
    off: Mapping[str, frozenset[str]] = {}
    """By dest: options with which it counts for nothing, since it stands beside `not` them in a test."""
    words: frozenset[str] = frozenset()
    """Words that a test compares an option with."""
    unused: frozenset[str] = frozenset()
    """Dests whose value comes to nothing: another is put in its place, it is only printed, or nothing reads it."""
    keys: frozenset[str] = frozenset()
    """Words under which tables of the source keep something, as registries keep models."""
    known: frozenset[str] = frozenset()
    """All words that the source spells."""
    launched: bool = False
    """Whether it takes a variable from the environment without which it does not run, as a launcher sets."""


def guards(index: RepoIndex, table: ModuleTable, signature: Signature) -> Guards:
    """Read the entry point and what it imports of the repository.

    Args:
        index: of the repository.
        table: its modules.
        signature: of the entry point.
    """
    reader = _Reader(signature.options)
    trees = list(_trees(index, table, signature))
    for tree in trees:
        reader.read(tree, ())
    reader.read_calls(trees)
    leads = {name: frozenset(found) for name, found in reader.leads.items()}
    whole = signature.framework == "argparse" and len(trees) < FILES
    unused = reader.unused(trees) | (unread(signature.options, trees) if whole else frozenset())
    return Guards(
        tested=frozenset(reader.tested), leads=leads, words=frozenset(reader.words), unused=unused, launched=reader.launched,
        keys=known_keys(trees), known=known_words(trees), off={k: frozenset(v) for k, v in reader.off.items()},
    )  # fmt: skip


class _Reader:
    """Collects from statements, with the tests that they stand under."""

    def __init__(self, options: Iterable[Option]) -> None:
        self.names = {o.dest.rpartition(".")[2].replace("-", "_"): o.dest for o in options}
        self.unset = {o.dest for o in options if not o.switch and o.default in UNSET}
        self.tested: set[str] = set()
        self.leads: defaultdict[str, set[str]] = defaultdict(set)
        self.off: defaultdict[str, set[str]] = defaultdict(set)
        self.words: set[str] = set()
        self.launched = False

    def read(self, node: ast.AST, above: tuple[ast.AST, ...]) -> None:
        """One node and what is in it; `above` are the tests around it."""
        if isinstance(node, ast.Assert):
            self._refuses((*above, node.test))
        elif isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and _ends(node.value)):
            self._refuses(above)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and not above:
            self.launched |= ast.unparse(node.value) in ("os.environ", "environ")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            above = ()
        if not isinstance(node, (ast.If, ast.IfExp)):
            for child in ast.iter_child_nodes(node):
                self.read(child, above)
            return
        self._decides(node)
        branches = (node.body, node.orelse)
        for child in (c for branch in branches for c in (branch if isinstance(branch, list) else [branch])):
            self.read(child, (*above, node.test))

    def read_calls(self, trees: Iterable[ast.Module]) -> None:
        """What is given to a function that may refuse it, under whatever name it has there."""
        nodes = [node for tree in trees for node in ast.walk(tree)]
        refusing = {name: params for node in nodes for name, params in _refusing(node)}
        for call in nodes:
            params = refusing.get(_name(call.func), {}) if isinstance(call, ast.Call) else {}
            if params and isinstance(call, ast.Call):
                given = [*zip(params, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
                self._refuses(value for name, value in given if name and params.get(name))

    def unused(self, trees: Iterable[ast.Module]) -> frozenset[str]:
        """What the program replaces without a test, and what it prints and reads nowhere else."""
        nodes = [(node, nth == 0) for nth, tree in enumerate(trees) for node in _unconditional(tree)]
        replaced = {
            n for node, first in nodes if isinstance(node, ast.Assign) for n in self._assigned_options(node, first)
        }
        printed: Counter[str] = Counter()
        read: Counter[str] = Counter()
        for tree in trees:
            for node in ast.walk(tree):
                read[self._read_by(node)] += 1
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                    printed.update(self._read_by(n) for n in ast.walk(node))
        return frozenset(replaced | {name for name in printed if name and read[name] == printed[name]})

    def _assigned_options(self, node: ast.Assign, first: bool) -> Iterator[str]:
        """The options that are assigned to; those of an object in the entry point alone, since of many classes one is used."""
        for target in node.targets:
            held = ast.unparse(target.value) if isinstance(target, ast.Attribute) else ""
            if (held.removeprefix("self.") if first else held) in PARSED:
                name = self.names.get(_name(target), "")
                if name and name not in self._read_in(node.value):
                    yield name

    def _read_by(self, node: ast.AST) -> str:
        """The option that an attribute or a key reads; a variable of the same name may be anything."""
        loaded = isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Load)
        return self.names.get(_name(node), "") if loaded else ""

    def _refuses(self, tests: Iterable[ast.AST]) -> None:
        for test in tests:
            self.tested |= self._read_in(test)

    def _decides(self, node: ast.If | ast.IfExp) -> None:
        tested = self._read_in(node.test)
        if not tested:
            return
        self.words |= {n.value for n in ast.walk(node.test) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        for both in (n for n in ast.walk(node.test) if isinstance(n, ast.BoolOp) and isinstance(n.op, ast.And)):
            nots = [v for v in both.values if isinstance(v, ast.UnaryOp) and isinstance(v.op, ast.Not)]
            for name in set().union(*(self._read_in(v) for v in both.values if v not in nots)):
                self.off[name] |= set().union(*map(self._read_in, nots))
        inner = (self._read_in(c) for c in ast.iter_child_nodes(node) if c is not node.test)
        read = set().union(*inner) & self.unset
        for name in tested:
            self.leads[name] |= read - {name}

    def _read_in(self, node: ast.AST) -> set[str]:
        found = (self.names.get(_name(n), "") for n in ast.walk(node))
        return {name for name in found if name}


def _unconditional(tree: ast.AST) -> Iterator[ast.AST]:
    """What is always done: nodes under no test, loop or handler, those of functions included."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, (ast.If, ast.IfExp, ast.For, ast.While, ast.Try, ast.Lambda)):
            yield node
            yield from _unconditional(node)
        elif isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            yield from _unconditional(node)


def _refusing(node: ast.AST) -> Iterator[tuple[str, dict[str, bool]]]:
    """The name by which a function or class is called, and of each parameter whether a test may refuse it."""
    if isinstance(node, ast.ClassDef):
        inits = (f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__")
        yield from ((node.name, _tested_parameters(f, 1)) for f in inits)
    elif isinstance(node, ast.FunctionDef) and node.name != "__init__":
        yield (
            node.name,
            _tested_parameters(node, int(bool(node.args.args) and node.args.args[0].arg in ("self", "cls"))),
        )


def _tested_parameters(function: ast.FunctionDef, bound: int) -> dict[str, bool]:
    tests: list[ast.AST] = [n.test for n in ast.walk(function) if isinstance(n, ast.Assert)]
    branches = (n for n in ast.walk(function) if isinstance(n, ast.If))
    tests += [n.test for n in branches if any(isinstance(s, ast.Raise) for s in [*n.body, *n.orelse])]
    read = {n.id for test in tests for n in ast.walk(test) if isinstance(n, ast.Name)}
    return {a.arg: a.arg in read for a in [*function.args.args[bound:], *function.args.kwonlyargs]}


def _name(node: ast.AST) -> str:
    """The option that an expression may read: an attribute of anything but `self`, a variable, or a key."""
    if isinstance(node, ast.Attribute):
        return "" if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls") else node.attr
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return ""


def _ends(value: ast.AST) -> bool:
    if not isinstance(value, ast.Call):
        return False
    func = value.func
    return (func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else "") in ENDS


def _trees(index: RepoIndex, table: ModuleTable, signature: Signature) -> Iterator[ast.Module]:
    """The entry point, the files that declare its options, and what these import, nearest first."""
    tree = Tree(index.root)
    todo = list(dict.fromkeys([signature.path, *(o.path for o in signature.options if o.path)]))
    done: set[str] = set()
    while todo and len(done) < FILES:
        path = todo.pop(0)
        if path in done or not path.endswith(".py"):
            continue
        done.add(path)
        module = read_module(tree, path)
        if module is not None:
            yield module
            todo += _imported_files(module, path, table)


def _imported_files(module: ast.Module, path: str, table: ModuleTable) -> Iterator[str]:
    """The files of the repository that a module imports."""
    folder = str(PurePosixPath(path).parent)
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names, start = [a.name for a in node.names], None
        elif isinstance(node, ast.ImportFrom):
            start = folder if node.level else None
            for _ in range(node.level - 1):
                start = str(PurePosixPath(start or ".").parent)
            base = node.module or ""
            names = (
                [base, *(f"{base}.{a.name}".strip(".") for a in node.names)] if base else [a.name for a in node.names]
            )
        else:
            continue
        for name in names:
            roots = [start] if start is not None else table.roots(name.partition(".")[0], [folder])
            yield from (found for root in roots[:1] if (found := _file(name, root, table)))


def _file(name: str, root: str, table: ModuleTable) -> str:
    parent, _, last = name.rpartition(".")
    found = table.find(join(root, parent.replace(".", "/")) if parent else root, last)
    return found if found is not None and found.endswith(".py") else ""
