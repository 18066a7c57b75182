"""Completes a Python example: what earlier blocks of the same document define, missing imports, pictures of the user's."""

import ast
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

from ml_agent.offline.literals import binds, syntax_tree, unbound_names
from ml_agent.offline.variables import likeness
from ml_agent.offline.words import terms
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.usage.entry import Example

_MOST_ROUNDS = 40
_IMAGE = "image.jpg"
_PICTURE = frozenset(terms("image pil"))


class NameSources(msgspec.Struct, frozen=True, kw_only=True):
    """Where missing names may come from."""

    earlier: tuple[Example, ...]
    """Blocks of the same document in front of the example, nearest first."""
    others: tuple[Example, ...]
    """All other Python examples."""
    index: RepoIndex
    workdir: str
    namesakes: Mapping[str, Option] = {}
    """Options of the repository's scripts, by name."""
    images: tuple[str, ...] = ()
    """Paths that the user names, for code that expects a picture."""
    seen: Mapping[str, frozenset[str]] = {}
    """By parameter: the texts that examples give it."""


def blocks_before(example: Example, every: Iterable[Example]) -> tuple[Example, ...]:
    """Those of the same document in front of an example, nearest first."""
    before = [one for one in every if one.path == example.path and one.line < example.line]
    return tuple(sorted(before, key=lambda one: -one.line))


@cache
def _usual_imports() -> Mapping[str, str]:
    text = Path(__file__).with_name("imports.toml").read_text(encoding="utf-8")
    return {str(name): str(line) for name, line in tomllib.loads(text)["names"].items()}


def complete(code: str, sources: NameSources) -> str:
    """The code with the statements in front that bind what it needs; what nobody binds stays missing."""
    if syntax_tree(code) is None:
        return code
    preamble: list[str] = []
    unknown: set[str] = set()
    for _ in range(_MOST_ROUNDS):
        whole = syntax_tree("\n".join([*preamble, code]))
        if whole is None:
            return code
        missing = next((name for name in unbound_names(whole) if name not in unknown), None)
        if missing is None:
            break
        statement = _binding(missing, sources)
        if statement is None or statement in preamble:
            unknown.add(missing)
        else:
            preamble.insert(0, statement)
    imports = [line for line in preamble if _is_import(line) and line not in code.splitlines()]
    parts = [*dict.fromkeys(imports), *(line for line in preamble if not _is_import(line)), code]
    return "\n".join(parts)


def _is_import(line: str) -> bool:
    return line.startswith(("import ", "from "))


def _binding(name: str, sources: NameSources) -> str | None:
    """A statement that binds `name`."""
    return (
        _from_blocks(name, sources.earlier, imports_only=False)
        or _from_blocks(name, sources.others, imports_only=True)
        or _usual_imports().get(name)
        or _from_api(name, sources)
        or _from_images(name, sources.images)
        or _from_blocks(name, sources.others, imports_only=False)
    )


def _from_blocks(name: str, blocks: Sequence[Example], *, imports_only: bool) -> str | None:
    for block in blocks:
        tree = syntax_tree(block.text) if name in block.text else None
        for statement in reversed(tree.body if tree is not None else ()):
            if name not in binds(statement):
                continue
            if isinstance(statement, ast.Import | ast.ImportFrom):
                return _single_import(statement, name)
            if not imports_only and name not in unbound_names(ast.Module(body=[statement], type_ignores=[])):
                return ast.get_source_segment(block.text, statement)
    return None


def _single_import(statement: ast.Import | ast.ImportFrom, name: str) -> str:
    """The part of an import that binds `name`."""
    alias = next(one for one in statement.names if (one.asname or one.name).split(".")[0] == name)
    if isinstance(statement, ast.Import):
        return ast.unparse(ast.Import(names=[alias]))
    return ast.unparse(ast.ImportFrom(module=statement.module, names=[alias], level=statement.level))


def _from_api(name: str, sources: NameSources) -> str | None:
    """An import of the public class, function or package of the repository that has this name; the nearest of several."""
    api = sources.index.api
    if api.claims(name, sources.workdir):
        return f"import {name}"
    named = [item.path for item in api.objects if item.name.rpartition(".")[2] == name]
    modules = {module for path in named if (module := api.modules.imported_from(sources.workdir, path))}
    nearest = min(modules, key=lambda module: (module.count("."), module), default=None)
    return f"from {nearest} import {name}" if nearest is not None else None


def _from_images(name: str, images: Sequence[str]) -> str | None:
    """A picture that the code expects: the one that the user names, else one to be put there."""
    if "mask" in terms(name):
        return f'{name} = Image.open("mask.png").convert("L")'
    if not _PICTURE & set(terms(name)):
        return None
    path = next((path for path in images if likeness(path, _IMAGE) > 0), _IMAGE)
    return f'{name} = Image.open("{path}").convert("RGB")'
