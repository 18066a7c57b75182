"""Dictionaries that say which variants each thing has, such as the weights that there are of each model."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from tools.python_api.model import Registry

_FEWEST_THINGS = 2


def read_registries(tree: ast.Module) -> tuple[Registry, ...]:
    """The registries that a module binds at its top level, written out as dictionaries of dictionaries.

    An inner dictionary may have a name of its own: `_RESNET50 = dict(imagenet=...)`, `ZOO = {"resnet50": _RESNET50}`.
    """
    named = {name: value for statement in tree.body for name, value in _bound(statement)}
    found = []
    for name, value in named.items():
        things = _entries(value)
        inner = {thing: _entries(_meant(one, named)) for thing, one in things.items()}
        if len(things) >= _FEWEST_THINGS and all(inner.values()):
            variants = {thing: tuple(entries) for thing, entries in inner.items()}
            found.append(Registry(name=name, line=value.lineno, variants=variants))
    return tuple(found)


def variant_instead(registries: Iterable[Registry], old: str, new: str, variant: str) -> str | None:
    """What to take of `new` where `variant` was taken of `old`; None where that is not known, or `new` has it too.

    Args:
        registries: of the repository.
        old: a thing that an example uses.
        new: what is used in its place.
        variant: what the example takes of the old one.
    """
    for registry in registries:
        by_name = {_plain(thing): variants for thing, variants in registry.variants.items()}
        before, after = by_name.get(_plain(old), ()), by_name.get(_plain(new), ())
        if after and _plain(variant) in map(_plain, before):
            return None if _plain(variant) in map(_plain, after) else after[0]
    return None


def _bound(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        yield node.targets[0].id, node.value
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        yield node.target.id, node.value


def _meant(node: ast.expr, named: Mapping[str, ast.expr]) -> ast.expr:
    return named.get(node.id, node) if isinstance(node, ast.Name) else node


def _entries(node: ast.expr) -> dict[str, ast.expr]:
    """The entries of a dictionary whose keys are all plain strings; none of anything else."""
    if isinstance(node, ast.Dict):
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
        return dict(zip(keys, node.values, strict=True)) if len(keys) == len(node.keys) else {}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
        return {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
    return {}


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()
