"""Which words an option may take beside its default: what its code compares it with, what stands beside a known value in the source."""

import ast
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from ml_agent.numbers import number
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.errors import ToolError
from ml_agent.tools.files import Tree
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_source import parse_python, read_module
from ml_agent.tools.signatures.model import Signature
from ml_agent.tools.usage.placeholders import holds_placeholder, is_metavar, quoted_placeholders
from ml_agent.user_values import TRUTH

_MOST_FILES, _MOST_BYTES, _MOST_OF_ALL = 1500, 200_000, 12_000_000
"""Files that are looked through for neighbours, bytes of one that is, and of all of them."""
_MOST_READ, _MOST_PARSED, _MOST_VALUES = 6, 300, 2000
"""Files that are read for one value, files that are parsed at all, each once, and values that are looked up."""
_MOST, _FEWEST = 60, 2
"""Neighbours of one value; more are a dictionary."""
_MOST_DECLARING, _MOST_COMPARED, _MOST_CALLS, _MOST_LOOKED_UP, _MOST_TOLD = 8, 40, 50, 4, 10
_NAME = re.compile(r"(?=.*[A-Za-z])[\w.+/@][\w.+/@-]{0,47}")
"""No option: a program that looks for "--model" among its words does not hold it for a model."""
_SETS_UP = frozenset({"setup.py", "versioneer.py", "conftest.py"})
"""Files whose words no program takes: their lists are keywords, classifiers, requirements."""
_PATH_NAME = re.compile(
    r"(?:^|_)(?:path|dir|directory|folder|file|root|out|output|ckpt|checkpoint)s?(?:_|$)|(?:path|dir|file)$"
)
_CASES = frozenset({"lower", "upper", "strip", "casefold"})


def further_values(signature: Signature, index: RepoIndex) -> dict[str, tuple[str, ...]]:
    """By dest: words that an option without known choices may take beside its default; few that are sure to be alternatives."""
    seen, compared = seen_values(signature, index), _compared_values(signature, index)
    found = {}
    for option in signature.options:
        if (
            option.switch
            or option.choices
            or option.accepted
            or option.type not in {"str", "unknown"}
            or _PATH_NAME.search(option.dest)
        ):
            continue
        known = [option.default or "", *seen.get(option.dest, ())[:_MOST_LOOKED_UP]]
        words = [text for text in known if text and number(text) is None and text.lower() not in TRUTH]
        beside = [one for text in words for one in _neighbours(index).of(text)]
        told = dict.fromkeys([*beside, *filter(_NAME.fullmatch, compared.get(option.dest, ()))])
        values = tuple(one for one in told if one != option.default)
        if 0 < len(values) <= _MOST_TOLD:
            found[option.dest] = values
    return found


@lru_cache(maxsize=64)
def seen_values(signature: Signature, index: RepoIndex) -> Mapping[str, tuple[str, ...]]:
    """By dest: the values that the repository's documented calls of an entry point give, placeholders left out."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    several = index.signatures.get(signature.path, ())
    for example in (one for one in index.examples if one.kind == "bash" and one.entry == signature.path):
        for call in parse_command(quoted_placeholders(example.text)).invocations[:_MOST_CALLS]:
            if (
                posixpath.basename(call.name) not in {posixpath.basename(signature.path), signature.name}
                or choose(several, call.words) != signature
            ):
                continue
            for dest, value in parse_call(signature, call.words).values.items():
                for one in value if isinstance(value, list) else [value]:
                    if "$" not in str(one) and not (holds_placeholder(one) or is_metavar(one, dest)):
                        found[dest].setdefault(str(one))
    return {dest: tuple(values) for dest, values in found.items()}


def _compared_values(signature: Signature, index: RepoIndex) -> dict[str, list[str]]:
    """By dest: the texts with which the files that declare or run an entry point compare its options."""
    names = frozenset(option.dest for option in signature.options)
    paths = dict.fromkeys((signature.path, *(option.path for option in signature.options)))
    found: dict[str, list[str]] = defaultdict(list)
    for path in [path for path in paths if path.endswith(".py")][:_MOST_DECLARING]:
        module = read_module(Tree(index.root), path)
        for node in ast.walk(module) if module is not None else ():
            if (
                isinstance(node, ast.Compare)
                and (name := _option_read(node.left)) in names
                and len(found[name]) < _MOST_COMPARED
            ):
                found[name] += [text for text in _texts_right(node) if text not in found[name]]
    return found


def _option_read(node: ast.expr) -> str:
    """The option that an expression reads: `args.name`, `args["name"]`, `args.name.lower()`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CASES:
        node = node.func.value
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return node.id if isinstance(node, ast.Name) else ""


def _texts_right(node: ast.Compare) -> Iterator[str]:
    """The texts on the right of `==`, `!=` or `in`."""
    for operator, right in zip(node.ops, node.comparators, strict=True):
        parts = right.elts if isinstance(right, ast.List | ast.Tuple | ast.Set) else [right]
        if isinstance(operator, ast.Eq | ast.NotEq | ast.In | ast.NotIn):
            yield from (one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str))


@lru_cache(maxsize=8)
def _neighbours(index: RepoIndex) -> "_Neighbours":
    return _Neighbours(index)


class _Neighbours:
    """Other keys of a value's table, other elements of its list, what else a variable is compared with, functions registered like it."""

    def __init__(self, index: RepoIndex) -> None:
        self._tree = Tree(index.root)
        paths = (path for path in index.files if path.endswith(".py") and posixpath.basename(path) not in _SETS_UP)
        self._paths = sorted(paths, key=lambda path: (path.count("/"), path))[:_MOST_FILES]
        self._found: dict[str, tuple[str, ...]] = {}
        self._parsed: dict[str, list[list[str]]] = {}

    def of(self, value: str) -> tuple[str, ...]:
        """What stands beside a value, in the order of the source; () for what is no name or stands nowhere."""
        if value not in self._found:
            if len(self._found) == _MOST_VALUES:
                return ()
            self._found[value] = tuple(self._look_up(value)) if len(value) > 1 and _NAME.fullmatch(value) else ()
        return self._found[value]

    @cached_property
    def _texts(self) -> Sequence[tuple[str, str]]:
        found, left = [], _MOST_OF_ALL
        for path in self._paths:
            try:
                text = self._tree.read_text(path, _MOST_BYTES)
            except (ToolError, OSError):
                continue
            found.append((path, text))
            left -= len(text)
            if left < 0:
                break
        return found

    def _look_up(self, value: str) -> list[str]:
        marks = (f'"{value}"', f"'{value}'", f"def {value}(")
        found: dict[str, None] = {}
        read = 0
        for path, text in self._texts:
            if not any(mark in text for mark in marks):
                continue
            for group in self._groups_in(path, text):
                if value in group:
                    found.update(dict.fromkeys(group))
            read += 1
            if read == _MOST_READ or len(found) > _MOST:
                break
        return [one for one in found if one != value][:_MOST]

    def _groups_in(self, path: str, text: str) -> list[list[str]]:
        """The groups of a file that may be ones of alternatives; each file is parsed once."""
        if path not in self._parsed:
            module = parse_python(text) if len(self._parsed) < _MOST_PARSED else None
            groups = _groups(module) if module is not None else iter(())
            self._parsed[path] = [group for group in groups if _FEWEST <= len(group) <= _MOST]
        return self._parsed[path]


def _groups(module: ast.Module) -> Iterator[list[str]]:
    """Texts of a module that stand for each other."""
    compared: dict[str, list[str]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Dict):
            yield _texts_of([key for key in node.keys if key is not None])
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            yield _texts_of(node.elts)
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Name | ast.Attribute | ast.Subscript):
            compared.setdefault(ast.unparse(node.left), []).extend(_texts_of(node.comparators))
    yield from (list(dict.fromkeys(several)) for several in compared.values())
    alike: dict[str, list[str]] = {}
    for function in module.body:  # those with the same decorators, and those without whose names begin alike
        if isinstance(function, ast.FunctionDef) and not function.name.startswith("_"):
            marks = ", ".join(ast.unparse(one) for one in function.decorator_list)
            alike.setdefault(marks or f"def {function.name.partition('_')[0]}", []).append(function.name)
    yield from alike.values()


def _texts_of(nodes: Sequence[ast.expr]) -> list[str]:
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return list(dict.fromkeys(text for text in texts if len(text) > 1 and _NAME.fullmatch(text)))
