"""Every pattern that is written out in the source, with the ways in which it is used; nothing is imported."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from tests.sources import ROOT, sources

_WAYS = {
    "search": "finditer", "sub": "finditer", "subn": "finditer", "split": "finditer", "finditer": "finditer",
    "findall": "finditer", "match": "match", "fullmatch": "fullmatch",
}  # fmt: skip
"""Methods, each with the one that does the same work."""
_CALLS = re.compile(r"re\.(compile|search|subn?|split|finditer|findall|match|fullmatch)")


class UsedPattern(NamedTuple):
    """A pattern and how it is used."""

    pattern: re.Pattern[str]
    way: str
    """finditer, match or fullmatch."""
    place: str


def used_patterns(folders: tuple[str, ...]) -> Iterator[UsedPattern]:
    """All that are given to `re`, at the head of a module or in a function."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for folder in folders for path in sources(folder)}
    own = {path: _ways(tree) for path, tree in trees.items()}
    public: defaultdict[str, set[str]] = defaultdict(set)
    for ways in own.values():
        for name, used in ways.items():
            public[name] |= used
    for path, tree in trees.items():
        names = _names(tree)
        for call in ast.walk(tree):
            method = _CALLS.fullmatch(ast.unparse(call.func)) if isinstance(call, ast.Call) else None
            if method is None or not isinstance(call, ast.Call) or (pattern := _compiled(call)) is None:
                continue
            name = names.get(id(call), "")
            known = (own[path] if name.startswith("_") else public)[name] or {"finditer"}
            place = f"{path.relative_to(ROOT).as_posix()} {name or call.lineno}"
            for way in {method[1]} if method[1] in _WAYS else known:
                yield UsedPattern(pattern, _WAYS[way], place)


def _ways(tree: ast.Module) -> defaultdict[str, set[str]]:
    """Methods of patterns, by the name on which they are called."""
    ways: defaultdict[str, set[str]] = defaultdict(set)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in _WAYS:
            ways[ast.unparse(node.value).rpartition(".")[2]].add(node.attr)
    return ways


def _names(tree: ast.Module) -> dict[int, str]:
    """The name that the result of a call gets."""
    return {
        id(node.value): node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def _compiled(call: ast.Call) -> re.Pattern[str] | None:
    """The pattern of a call; None where it is made while the program runs, or is one of bytes."""
    text = _text(call.args[0]) if call.args else None
    rest = [*call.args[1:], *(word.value for word in call.keywords)]
    flags = {flag for one in rest for flag in re.findall(r"\bre\.([A-Z]+)\b", ast.unparse(one))}
    try:
        return None if text is None else re.compile(text, sum(int(getattr(re, flag)) for flag in flags))
    except re.error:
        return None


def _text(node: ast.expr) -> str | None:
    """The text of a pattern; what only a run puts into it is `word`."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "word" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
