"""Dictionaries that say which variants each thing has, such as the weights that there are of each model.

Two habits are read: a dictionary of dictionaries, and classes that are registered under a name, each with a dictionary of
its own: `@register("resnet50") class ResNet50: WEIGHTS = {"imagenet": ...}`.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from ml_agent.tools.python_api.model import Registry

_FEWEST_THINGS = 2


def read_registries(tree: ast.Module) -> tuple[Registry, ...]:
    """The registries that a module binds at its top level, written out as dictionaries of dictionaries.

    An inner dictionary may have a name of its own: `_RESNET50 = dict(imagenet=...)`, `ZOO = {"resnet50": _RESNET50}`.
    """
    named = {name: value for statement in tree.body for name, value in _assignments(statement)}
    found = []
    for name, value in named.items():
        things = _entries(value)
        inner = {thing: _entries(_dereference(one, named)) for thing, one in things.items()}
        if len(things) >= _FEWEST_THINGS and all(inner.values()):
            variants = {thing: tuple(entries) for thing, entries in inner.items()}
            found.append(Registry(name=name, line=value.lineno, variants=variants))
    return (
        *found,
        *(registry for node in tree.body if isinstance(node, ast.ClassDef) for registry in _class_entries(node)),
    )


def joined(registries: Iterable[Registry]) -> tuple[Registry, ...]:
    """The registries, with the parts that classes tell put together."""
    merged: dict[str, Registry] = {}
    whole = []
    for registry in registries:
        if not registry.part:
            whole.append(registry)
            continue
        known = merged.setdefault(registry.name, registry)
        variants = {**known.variants, **registry.variants}
        merged[registry.name] = Registry(name=known.name, line=known.line, variants=variants)
    return (*whole, *merged.values())


def same_registry(registries: Iterable[Registry], one: str, other: str) -> bool:
    """Whether two names are things of one registry, so that one can stand where the other does."""
    for registry in registries:
        things = {_plain(thing) for thing in registry.variants}
        if _plain(one) in things and _plain(other) in things:
            return True
    return False


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


def _class_entries(node: ast.ClassDef) -> Iterator[Registry]:
    """What a class says of itself under the names by which its decorators register it."""
    names = [
        call.args[0].value
        for call in node.decorator_list
        if isinstance(call, ast.Call) and len(call.args) == 1
        and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)
    ]  # fmt: skip
    for name, value in ((name, value) for statement in node.body for name, value in _assignments(statement)):
        entries = _entries(value) if name.isupper() else {}
        if names and entries:
            yield Registry(name=name, line=value.lineno, variants=dict.fromkeys(names, tuple(entries)), part=True)


def _assignments(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        yield node.targets[0].id, node.value
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        yield node.target.id, node.value


def _dereference(node: ast.expr, named: Mapping[str, ast.expr]) -> ast.expr:
    return named.get(node.id, node) if isinstance(node, ast.Name) else node


def _entries(node: ast.expr) -> dict[str, ast.expr]:
    """The entries of a dictionary whose keys are all plain strings; none of anything else."""
    if isinstance(node, ast.Dict):
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
        return dict(zip(keys, node.values, strict=True)) if len(keys) == len(node.keys) else {}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
        named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
        return named if len(named) == len(node.keywords) else {}
    return {}


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()
