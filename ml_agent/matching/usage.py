"""How a program uses what an option gives it, as its source says: whether it reads from that path or writes to it, and with what it compares a word."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ml_agent.tools.files import Tree
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_source import read_module
from ml_agent.tools.signatures.model import Signature

_JOINS = frozenset(
    ["join", "Path", "PurePath", "str", "format", "expanduser", "expandvars", "abspath", "realpath", "normpath", "resolve", "absolute", "dirname", "fspath", "with_suffix", "joinpath", "rstrip", "strip"]
)  # fmt: skip
_WRITES = ("makedirs", "mkdir", "save", "write", "dump", "export", "tofile", "to_csv", "ensure_dir", "makedir", "rmtree")  # fmt: skip
_READS = ("load", "read", "glob", "listdir", "scandir", "walk", "dataset", "imagefolder", "from_pretrained", "restore", "iterdir", "isfile", "open", "find", "parse")  # fmt: skip
_FOLDERS = ("makedirs", "mkdir", "listdir", "scandir", "walk", "iterdir", "glob", "imagefolder", "ensure_dir", "makedir")  # fmt: skip
_TRANSPARENT = (
    ast.FormattedValue, ast.Attribute, ast.keyword, ast.IfExp, ast.List, ast.Tuple, ast.Starred, ast.BoolOp, ast.NamedExpr
)  # fmt: skip
_FARTHEST = 12
_HELD = 3
"""So many different options must be read of a variable that holds them."""
_MOST_FILES = 8
_MOST_COMPARED = 40
_CASES = frozenset({"lower", "upper", "strip", "casefold"})


class OptionUsage(msgspec.Struct):
    """How often the source reads from the path in an option, writes to it, and takes it for a folder or for a file; with what it compares it."""

    reads: int = 0
    writes: int = 0
    folders: int = 0
    files: int = 0
    compared: tuple[str, ...] = ()
    """The texts that the source asks whether it is."""

    @property
    def direction(self) -> str:
        """input, output, or "" where the source does both or neither."""
        if self.writes and not self.reads:
            return "output"
        return "input" if self.reads and not self.writes else ""

    @property
    def form(self) -> str:
        """folder, file, or "" where the source takes it for both or neither."""
        if self.folders and not self.files:
            return "folder"
        return "file" if self.files and not self.folders else ""


def usages(tree: ast.AST, names: frozenset[str], found: dict[str, OptionUsage]) -> None:
    """Count how a module uses the attribute, variable or key of each name.

    Args:
        tree: the module.
        names: the options' dests.
        found: by name: what was counted so far.
    """
    nodes = list(ast.walk(tree))
    holders = _holders(nodes, names)
    parents = {child: parent for parent in nodes for child in ast.iter_child_nodes(parent)}
    aliases: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        if isinstance(node, ast.Compare) and (name := _option_name(_bare(node.left), holders)) in names:
            _note_compared(node, found.setdefault(name, OptionUsage()))
        name = _option_name(node, holders)
        if name in names:
            for alias in _follow(node, parents, found.setdefault(name, OptionUsage())):
                aliases[alias].add(name)
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            for name in aliases.get(node.id, set()) - {node.id}:
                _follow(node, parents, found[name])
        if isinstance(node, ast.Compare) and isinstance(left := _bare(node.left), ast.Name):
            for name in aliases.get(left.id, ()):
                _note_compared(node, found[name])


def _note_compared(node: ast.Compare, usage: OptionUsage) -> None:
    usage.compared = tuple(dict.fromkeys([*usage.compared, *_texts(node)]))[:_MOST_COMPARED]


def _bare(node: ast.expr) -> ast.expr:
    """What a text without its case is: `args.model` of `args.model.lower()`."""
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CASES
    return node.func.value if is_method else node  # type: ignore[attr-defined]


def _texts(node: ast.Compare) -> Iterator[str]:
    """The texts on the right of `==`, `!=` or `in`."""
    for operator, right in zip(node.ops, node.comparators, strict=True):
        parts = right.elts if isinstance(right, ast.List | ast.Tuple | ast.Set) else [right]
        if isinstance(operator, ast.Eq | ast.NotEq | ast.In | ast.NotIn):
            yield from (one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _holders(nodes: Sequence[ast.AST], names: frozenset[str]) -> frozenset[str]:
    """The variables that hold the options: those of which most different ones are read, as `args` in `args.lr`; none where options are variables."""
    read: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in names:
            read[node.value.id].add(node.attr)
    most = max(map(len, read.values()), default=0)
    return frozenset(name for name, several in read.items() if most >= _HELD and len(several) >= most / _HELD)


def _option_name(node: ast.AST, holders: frozenset[str]) -> str:
    """The option that an expression reads: `args.name`, `args["name"]`, or the variable itself where no other holds options."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        held = not holders or not isinstance(node.value, ast.Name) or node.value.id in holders | {"self"}
        return node.attr if held else ""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return "" if holders else node.id
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return ""


def _follow(node: ast.AST, parents: Mapping[ast.AST, ast.AST], usage: OptionUsage) -> tuple[str, ...]:
    """Count what a value comes to; the variables it is put into, where it comes to nothing else."""
    inside = False
    for _ in range(_FARTHEST):
        parent = parents.get(node)
        if isinstance(parent, ast.Assign):
            usage.folders += inside
            return () if inside else tuple(t.id for t in parent.targets if isinstance(t, ast.Name))
        if isinstance(parent, ast.Call):
            called = _function_name(parent, node)
            later = node in parent.args[1:]
            if _count(called, parent, usage, inside) or called not in _JOINS | _CASES or later:
                return ()
            inside = inside or called in {"join", "joinpath"}
        elif parent is None or not _begins(node, parent):
            return ()
        inside = inside or (isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Div))
        node = parent
    return ()


def _function_name(call: ast.Call, node: ast.AST) -> str:
    """The name of the function; of a call on the value itself only a method's."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) and node is not call.func else ""


def _begins(node: ast.AST, parent: ast.AST) -> bool:
    """Whether an expression is what its value begins with: where a path begins is where it leads."""
    if isinstance(parent, ast.BinOp):
        return node is parent.left
    if isinstance(parent, ast.JoinedStr):
        return node is parent.values[0]
    return isinstance(parent, _TRANSPARENT)


def _count(called: str, call: ast.Call, usage: OptionUsage, inside: bool) -> bool:
    """Whether a function reads or writes; it is counted then."""
    lower = called.lower()
    folder = inside or any(word in lower for word in _FOLDERS)
    if lower == "open":
        values = (*call.args[:2], *(keyword.value for keyword in call.keywords))
        modes = [one.value for one in values if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        writes = any(0 < len(mode) < 4 and mode[0] in "wax" for mode in modes)
    elif any(word in lower for word in _WRITES):
        writes = True
    elif any(word in lower for word in _READS):
        writes = False
    else:
        return False
    usage.writes += writes
    usage.reads += not writes
    usage.folders += folder
    usage.files += not folder
    return True


def read_usages(index: RepoIndex, signature: Signature) -> dict[str, OptionUsage]:
    """By dest: how the files that declare or run an entry point use its options."""
    names = frozenset(option.dest for option in signature.options)
    paths = dict.fromkeys((signature.path, *(option.path for option in signature.options)))
    found: dict[str, OptionUsage] = {}
    tree = Tree(index.root)
    for path in list(paths)[:_MOST_FILES]:
        if not path.endswith(".py"):
            continue
        module = read_module(tree, path)
        if module is not None:
            usages(module, names, found)
    return found
