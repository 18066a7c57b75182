"""Calls of the repository's functions and classes, and of methods of the objects that a piece of Python makes."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ml_agent.tools.check.python_imports import ImportChecker, nearest
from ml_agent.tools.findings import Finding
from ml_agent.tools.outline import outline_of
from ml_agent.tools.python_api.bindings import Chain, binding_counts, chains, made_objects, stored_chains
from ml_agent.tools.python_api.index import ApiIndex
from ml_agent.tools.python_api.model import ApiObject, Parameter
from ml_agent.tools.python_api.read import parse_module

_HERE = "draft"


class ObjectClass(NamedTuple):
    """The class of an object, or what is called, and the index that knows it."""

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
        return (
            kind.api.instances.method(kind.owner, chain.rest[0]) if kind is not None and len(chain.rest) == 1 else None
        )

    def missing(self) -> Iterator[tuple[int, Finding]]:
        """Attributes that the objects surely do not have, with their lines."""
        stored = {text.rpartition(".")[2] for text in stored_chains(self._tree)}
        for chain in chains(self._tree):
            kind = self._kinds.get(chain.root)
            if kind is None or not chain.rest or chain.rest[0] in stored:
                continue
            if kind.api.instances.has(kind.owner, chain.rest[0]) is False:
                yield chain.node.lineno, _lacks(kind, chain.node.lineno, f"{chain.root}.{chain.rest[0]}")

    def _callable(self, chain: Chain) -> ObjectClass | None:
        """The function or class that a chain names."""
        api = self._api
        if chain.root in self._bound:
            found = self._imports.resolve(".".join((self._bound[chain.root], *chain.rest)))
        elif chain.root in self._own:
            api = self._here
            found = api.resolve(".".join((_HERE, chain.root, *chain.rest)))
        else:
            return None
        return ObjectClass(found, api) if isinstance(found, ApiObject) and found.kind in ("function", "class") else None

    @cached_property
    def _here(self) -> ApiIndex:
        """The code itself as a module."""
        path = f"{_HERE}.py"
        text = ast.unparse(self._tree)
        return ApiIndex([path], {path: parse_module(text.encode(), path)}, lambda: {path: outline_of(text)})

    @cached_property
    def _own(self) -> frozenset[str]:
        """Functions and classes that the code defines, once, at its top level."""
        counts = binding_counts(self._tree)
        kinds = (ast.FunctionDef, ast.ClassDef)
        return frozenset(n.name for n in self._tree.body if isinstance(n, kinds) and counts[n.name] == 1)

    @cached_property
    def _kinds(self) -> dict[str, ObjectClass]:
        """Names of objects that are made of a known class."""
        found = {name: self._callable(called) for name, called in made_objects(self._tree).items()}
        return {name: kind for name, kind in found.items() if kind is not None and kind.owner.kind == "class"}


def _lacks(kind: ObjectClass, line: int, written: str) -> Finding:
    name, owner = written.rpartition(".")[2], kind.owner.name.rpartition(".")[2]
    near = nearest(name, kind.api.instances.methods(kind.owner))
    is_here = kind.owner.path == f"{_HERE}.py"
    return Finding(
        code="no-such-name",
        message=f"line {line}: {owner} has no attribute {name!r}" + (f"; did you mean {near!r}?" if near else ""),
        subject=written,
        suggestion=near,
        path="" if is_here else kind.owner.path,
        line=0 if is_here else kind.owner.line,
    )


class Mismatch(NamedTuple):
    """Why a call must fail."""

    message: str
    subject: str
    """The keyword or parameter that is meant; "" where it is the number of arguments."""


def mismatch(call: ast.Call, parameters: Sequence[Parameter]) -> Mismatch | None:
    """The first reason why a call cannot work, by the rules by which Python binds arguments; None where there is none."""
    kinds = {item.kind for item in parameters}
    placed = [item for item in parameters if item.kind in ("positional", "either")]
    by_name = {item.name for item in parameters if item.kind in ("either", "keyword")}
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    given = {keyword.arg for keyword in call.keywords if keyword.arg is not None}
    for name in sorted(given):
        if name not in by_name and "keywords" not in kinds:
            return Mismatch(f"has no parameter {name!r}", name)
    if not starred and len(call.args) > len(placed) and "rest" not in kinds:
        return Mismatch(f"takes at most {len(placed)} positional arguments, {len(call.args)} are given", "")
    twice = {item.name for item in placed[: 0 if starred else len(call.args)] if item.kind == "either"} & given
    if twice:
        return Mismatch(f"gets {min(twice)!r} twice, by place and by name", min(twice))
    if starred or any(keyword.arg is None for keyword in call.keywords):
        return None
    reached = {item.name for item in placed[: len(call.args)]} | given
    missing = [item.name for item in parameters if item.required and item.name not in reached]
    return Mismatch(f"needs {', '.join(missing)}", missing[0]) if missing else None
