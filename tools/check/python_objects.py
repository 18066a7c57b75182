"""What the objects in a piece of Python are, as far as the repository's source and the code itself tell it."""

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from tools.check.python_imports import ImportChecker, nearest
from tools.findings import Finding
from tools.python_api.bindings import Chain, CreatedObject, binding_counts, chains, made_objects, stored_chains
from tools.python_api.index import ApiIndex
from tools.python_api.model import ApiFacts, ApiObject
from tools.python_api.read import parse_module

_HERE = "draft"


class ObjectClass(NamedTuple):
    """The class of an object, and the index that knows it."""

    owner: ApiObject
    api: ApiIndex


class Objects:
    """Tells what is called, and of which class the objects are.

    Args:
        tree: The code.
        imports: What its imports find.
        bound: Local names that mean something of the repository, with what they mean.
        api: The repository.
    """

    def __init__(self, tree: ast.Module, imports: ImportChecker, bound: Mapping[str, str], api: ApiIndex) -> None:
        self._tree = tree
        self._imports = imports
        self._bound = bound
        self._api = api

    def called(self, chain: Chain) -> ApiObject | None:
        """The function or class that a chain names, or the method of an object that the code made before."""
        found = self._callable(chain)
        if found is not None:
            return found.owner
        kind = self._kinds.get(chain.root)
        if kind is None or len(chain.rest) != 1:
            return None
        return kind.api.instances.method(kind.owner, chain.rest[0])

    def missing(self) -> Iterator[tuple[int, Finding]]:
        """Attributes that the objects do not have, with their lines."""
        stored = {text.rpartition(".")[2] for text in stored_chains(self._tree)}
        for chain in chains(self._tree):
            kind = self._kinds.get(chain.root)
            if kind is None or not chain.rest or chain.rest[0] in stored:
                continue
            if kind.api.instances.has(kind.owner, chain.rest[0]) is False:
                yield chain.node.lineno, _lacks(kind, chain)

    def _callable(self, chain: Chain) -> ObjectClass | None:
        """The function or class that a chain names."""
        dotted = ".".join((self._bound.get(chain.root, ""), *chain.rest))
        api = self._api
        if chain.root in self._bound:
            found = self._imports.resolve(dotted)
        elif chain.root in self._own:
            api = self._here
            found = api.resolve(".".join((_HERE, chain.root, *chain.rest)))
        else:
            return None
        callable_ = isinstance(found, ApiObject) and found.kind in ("function", "class")
        return ObjectClass(found, api) if callable_ and isinstance(found, ApiObject) else None

    @cached_property
    def _here(self) -> ApiIndex:
        """The code itself as a module."""
        path = f"{_HERE}.py"
        return ApiIndex(ApiFacts(modules=(parse_module(ast.unparse(self._tree).encode(), path),)), [path])

    @cached_property
    def _own(self) -> frozenset[str]:
        """Functions and classes that the code defines, once, at its top level."""
        counts = binding_counts(self._tree)
        kinds = (ast.FunctionDef, ast.ClassDef)
        return frozenset(n.name for n in self._tree.body if isinstance(n, kinds) and counts[n.name] == 1)

    @cached_property
    def _kinds(self) -> dict[str, ObjectClass]:
        """Names of objects whose class is known."""
        found = {name: self._kind(made) for name, made in made_objects(self._tree).items()}
        return {name: kind for name, kind in found.items() if kind is not None}

    def _kind(self, made: CreatedObject) -> ObjectClass | None:
        called = self._callable(made.maker)
        owner = called.api.instances.class_of(called.owner) if called is not None else None
        if called is None or owner is None:
            return None
        changed = any(called.api.instances.method(owner, name) for name in made.through)
        return None if changed else ObjectClass(owner, called.api)


def _lacks(kind: ObjectClass, chain: Chain) -> Finding:
    name, owner = chain.rest[0], kind.owner.name.rpartition(".")[2]
    near = nearest(name, kind.api.instances.methods(kind.owner))
    return Finding(
        code="no-such-name",
        message=f"line {chain.node.lineno}: {owner} has no attribute {name!r}"
        + (f"; did you mean {near!r}?" if near else ""),
        subject=f"{chain.root}.{name}",
        suggestion=near,
        path="" if kind.owner.path == f"{_HERE}.py" else kind.owner.path,
        line=0 if kind.owner.path == f"{_HERE}.py" else kind.owner.line,
    )
