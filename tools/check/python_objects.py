"""What the objects in a piece of Python are, as far as the repository's source and the code itself tell it."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ml_agent.tools.check.python_imports import ImportChecker, nearest
from ml_agent.tools.findings import Finding
from ml_agent.tools.outline import outline_of
from ml_agent.tools.python_api.bindings import (
    FLUENT,
    Chain,
    CreatedObject,
    binding_counts,
    chain_of,
    chains,
    made_objects,
    stored_chains,
)
from ml_agent.tools.python_api.index import ApiIndex
from ml_agent.tools.python_api.model import ApiObject, Parameter
from ml_agent.tools.python_api.read import parse_module

_HERE = "draft"
_LONGEST = 40
"""Calls on what calls give, one behind the other."""


class ObjectClass(NamedTuple):
    """The class of an object, and the index that knows it."""

    owner: ApiObject
    api: ApiIndex
    exact: bool = True
    """False where a function only says that it gives one: the object may be of a class below."""

    def method(self, name: str) -> ApiObject | None:
        """A method that the object has; None where there is none, or classes below have another."""
        instances = self.api.instances
        found = instances.method(self.owner, name)
        return found if self.exact or all(instances.method(c, name) == found for c in self._below) else None

    def lacks(self, name: str) -> bool:
        """Whether the object has no such attribute, for certain."""
        return all(self.api.instances.has(one, name) is False for one in (self.owner, *self._below))

    @property
    def _below(self) -> list[ApiObject]:
        return [] if self.exact else self.api.instances.below(self.owner)


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
        return kind.method(chain.rest[0])

    def called_on(self, node: ast.expr) -> ApiObject | None:
        """The method that is called right on what another call gives: `Net(1).fit(2)`."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Call):
            return None
        kind = self._class_of(node.value, self._kinds)
        return kind.method(node.attr) if kind is not None else None

    def missing(self) -> Iterator[tuple[int, Finding]]:
        """Attributes that the objects do not have, and those of which nobody can tell, with their lines."""
        stored = {text.rpartition(".")[2] for text in stored_chains(self._tree)}
        for line, value, name in self._uses():
            kind = self._kinds.get(value.id) if isinstance(value, ast.Name) else self._class_of(value, self._kinds)
            if kind is None:
                made = self._results.get(value.id) if isinstance(value, ast.Name) else value
                method = self._method(made, self._kinds)
                if method is not None:
                    yield line, _cannot_tell(line, method)
            elif name not in stored and kind.lacks(name):
                yield line, _lacks(kind, line, f"{_label(value, kind)}.{name}")

    def _uses(self) -> Iterator[tuple[int, ast.expr, str]]:
        """Attributes that are read of a name or of what a call gives, in order of line."""
        for chain in chains(self._tree):
            if chain.rest:
                yield chain.node.lineno, ast.Name(chain.root), chain.rest[0]
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Call):
                yield node.end_lineno or node.lineno, node.value, node.attr

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
        text = ast.unparse(self._tree)
        return ApiIndex([path], {path: parse_module(text.encode(), path)}, lambda: {path: outline_of(text)})

    @cached_property
    def _own(self) -> frozenset[str]:
        """Functions and classes that the code defines, once, at its top level."""
        counts = binding_counts(self._tree)
        kinds = (ast.FunctionDef, ast.ClassDef)
        return frozenset(n.name for n in self._tree.body if isinstance(n, kinds) and counts[n.name] == 1)

    @cached_property
    def _results(self) -> dict[str, ast.expr]:
        """Names that are bound once in all scopes, with the call whose result they are, in order of line."""
        counts = binding_counts(self._tree)
        nodes = [node for node in ast.walk(self._tree) if isinstance(node, ast.Assign) and len(node.targets) == 1]
        pairs = ((node.targets[0], node.value) for node in sorted(nodes, key=lambda node: node.lineno))
        return {
            target.id: value
            for target, value in pairs
            if isinstance(target, ast.Name) and isinstance(value, ast.Call) and counts[target.id] == 1
        }

    @cached_property
    def _kinds(self) -> dict[str, ObjectClass]:
        """Names of objects whose class is known."""
        found = {name: self._kind(made) for name, made in made_objects(self._tree).items()}
        known = {name: kind for name, kind in found.items() if kind is not None}
        for name, value in self._results.items():
            if name not in known and (kind := self._class_of(value, known)) is not None:
                known[name] = kind
        return known

    def _class_of(self, value: ast.expr, known: Mapping[str, ObjectClass]) -> ObjectClass | None:
        """The class of what an expression gives: a known name, or calls of a class or function and of methods on that."""
        through: list[str] = []
        while isinstance(value, ast.Call) and (called := self._maker(value)) is None:
            if not isinstance(value.func, ast.Attribute) or len(through) == _LONGEST:
                return None
            through.insert(0, value.func.attr)
            value = value.func.value
        kind = known.get(value.id) if isinstance(value, ast.Name) else None
        if isinstance(value, ast.Call) and called is not None:
            kind = _class_given_by(called)
        for name in through:
            kind = _result(kind, name) if kind is not None else None
        return kind

    def _maker(self, call: ast.Call) -> ObjectClass | None:
        chain = chain_of(call.func)
        return self._callable(chain) if chain is not None else None

    def _method(self, value: ast.expr | None, known: Mapping[str, ObjectClass]) -> ApiObject | None:
        """The method of an object of a known class of which an expression is the call."""
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            return None
        kind = self._class_of(value.func.value, known)
        return kind.api.instances.method(kind.owner, value.func.attr) if kind is not None else None

    def _kind(self, made: CreatedObject) -> ObjectClass | None:
        called = self._callable(made.maker)
        kind = _class_given_by(called) if called is not None else None
        if kind is None:
            return None
        changed = any(kind.api.instances.method(kind.owner, name) for name in made.through)
        return None if changed else kind


def _class_given_by(called: ObjectClass) -> ObjectClass | None:
    """The class of what a call of a class or function gives; None where that cannot be told."""
    owner = called.api.instances.class_of(called.owner)
    return ObjectClass(owner, called.api, exact=called.owner.kind == "class") if owner is not None else None


def _result(kind: ObjectClass, name: str) -> ObjectClass | None:
    """The class of what a method gives; a fluent one that is not the class's own gives the object."""
    method = kind.method(name)
    if method is None:
        return kind if name in FLUENT and kind.api.instances.method(kind.owner, name) is None else None
    given = kind.api.instances.result(kind.owner, method)
    return ObjectClass(given, kind.api, exact=kind.exact and given == kind.owner) if given is not None else None


def _label(value: ast.expr, kind: ObjectClass) -> str:
    return value.id if isinstance(value, ast.Name) else kind.owner.name.rpartition(".")[2]


def _cannot_tell(line: int, method: ApiObject) -> Finding:
    name = ".".join(method.name.split(".")[-2:])
    message = f"line {line}: what {name}() returns, so its use is not checked"
    return Finding(code="cannot-tell", message=message, severity="unsure", subject=name)


def _lacks(kind: ObjectClass, line: int, written: str) -> Finding:
    name, owner = written.rpartition(".")[2], kind.owner.name.rpartition(".")[2]
    near = nearest(name, kind.api.instances.methods(kind.owner))
    return Finding(
        code="no-such-name",
        message=f"line {line}: {owner} has no attribute {name!r}" + (f"; did you mean {near!r}?" if near else ""),
        subject=written,
        suggestion=near,
        path="" if kind.owner.path == f"{_HERE}.py" else kind.owner.path,
        line=0 if kind.owner.path == f"{_HERE}.py" else kind.owner.line,
    )


class Mismatch(NamedTuple):
    """Why a call must fail."""

    message: str
    subject: str
    """The keyword or parameter that is meant; "" where it is the number of arguments."""
    by_value: bool = False
    """What it is given is wrong, and not that it is given."""


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
    refused = _refused_text(call, placed, starred=starred, parameters=parameters)
    if refused is not None or starred or any(keyword.arg is None for keyword in call.keywords):
        return refused
    reached = {item.name for item in placed[: len(call.args)]} | given
    missing = [item.name for item in parameters if item.required and item.name not in reached]
    return Mismatch(f"needs {', '.join(missing)}", missing[0]) if missing else None


def _refused_text(
    call: ast.Call, placed: Sequence[Parameter], *, starred: bool, parameters: Sequence[Parameter]
) -> Mismatch | None:
    """A text for a parameter that the function itself tests for others."""
    known = {item.name: item for item in parameters}
    given = [(item, value) for item, value in zip(placed, () if starred else call.args, strict=False)]
    given += [(known[one.arg], one.value) for one in call.keywords if one.arg in known]
    for item, value in given:
        text = value.value if isinstance(value, ast.Constant) else None
        if item.accepted and isinstance(text, str) and text not in item.accepted:
            return Mismatch(f"takes one of {', '.join(item.accepted)} for {item.name}, not {text!r}", item.name, True)
    return None
