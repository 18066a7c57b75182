"""What stands beside a value in the source: other keys of its table, other elements of its list, what else a variable is compared with,
functions that are registered like the one of its name. An option whose default is one of them takes the others, too."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from ml_agent.tools.errors import ToolError
from ml_agent.tools.files import Tree
from ml_agent.tools.python_source import parse_python

_MOST_FILES, _MOST_BYTES, _MOST_OF_ALL = 1500, 200_000, 12_000_000
"""Files that are looked through, bytes of one that is, and of all of them."""
_MOST_READ, _MOST_PARSED, _MOST_VALUES = 6, 300, 2000
"""Files that are read for one value, files that are parsed at all, each once, and values that are looked up."""
_MOST, _FEWEST = 60, 2
"""Alternatives of one value; more are a dictionary."""
_NAME = re.compile(r"(?=.*[A-Za-z])[\w.+/@][\w.+/@-]{1,47}")
"""No option: a program that looks for "--model" among its words does not hold it for a model."""


class Alternatives:
    """The values beside others in the Python source of a repository.

    Args:
        tree: its files.
        paths: those that count.
    """

    def __init__(self, tree: Tree, paths: Sequence[str]) -> None:
        self._tree = tree
        self._paths = [path for path in paths if path.endswith(".py")][:_MOST_FILES]
        self._found: dict[str, tuple[str, ...]] = {}
        self._parsed: dict[str, list[list[str]]] = {}

    def of(self, value: str) -> tuple[str, ...]:
        """What stands beside a value, in the order of the source; () for what is no name or stands nowhere."""
        if value not in self._found:
            if len(self._found) == _MOST_VALUES:
                return ()
            self._found[value] = tuple(self._look_up(value)) if _NAME.fullmatch(value) else ()
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
    yield from _registry_groups(module)


def _texts_of(nodes: Sequence[ast.expr]) -> list[str]:
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return list(dict.fromkeys(text for text in texts if _NAME.fullmatch(text)))


def _registry_groups(module: ast.Module) -> Iterator[list[str]]:
    """Functions with the same decorators, and those without whose names begin alike."""
    alike: dict[str, list[str]] = {}
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            marks = ", ".join(ast.unparse(one) for one in node.decorator_list)
            alike.setdefault(marks or f"def {node.name.partition('_')[0]}", []).append(node.name)
    yield from alike.values()
