"""Python source into the facts of its module."""

import ast
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ml_agent.tools.foreign_files import decode
from ml_agent.tools.outline import Import
from ml_agent.tools.python_api.bindings import chain_of, nodes
from ml_agent.tools.python_api.functions import parameters_of, read_decorators
from ml_agent.tools.python_api.model import Definition, ModuleFacts, Parameter, ParameterKind
from ml_agent.tools.python_source import parse_python
from ml_agent.tools.reading import FILE_SECONDS
from ml_agent.tools.signatures.sources import called_name

_LARGEST_SOURCE = 2_000_000
_DYNAMIC = {
    "globals()": re.compile(r"\bglobals\(\)"),
    "sys.modules": re.compile(r"(?<!\bgetattr\()(?<!\bin )\bsys\.modules\b"),
    "setattr(": re.compile(r"\bsetattr\(\s*(?!self\b|cls\b)"),
    "exec(": re.compile(r"\bexec\("),
    "def __getattr__": re.compile(r"^def __getattr__\b", re.MULTILINE),
    "__name__": re.compile(r"\b(?!\w*[Ll]og)\w+\((?:[^()\n]*, *)?__name__\s*[,)]"),
}
"""What makes names of a module at run time, each by a word that is quickly looked for."""
_GLOBAL = re.compile(r"^[ \t]+global ([\w, ]+)", re.MULTILINE)
_LEVELS = 1000
"""Modules are read as deeply as the stack goes: long chains of `elif` are deep."""
_BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While)


def read_module(root: Path, path: str) -> ModuleFacts:
    """The facts of one file; what cannot be read counts as dynamic."""
    try:
        if (root / path).stat().st_size > _LARGEST_SOURCE:
            return ModuleFacts(path=path, dynamic=True)
        source = (root / path).read_bytes()
    except OSError:
        return ModuleFacts(path=path, dynamic=True)
    return parse_module(source, path)


def parse_module(source: bytes, path: str) -> ModuleFacts:
    """The facts of Python source; of as much as was read within its time, and then it counts as dynamic."""
    tree = parse_python(source, _LEVELS)
    if tree is None:
        return ModuleFacts(path=path, dynamic=True)
    try:
        return _Reader(tree, decode(source), path).facts()
    except RecursionError:
        # Trees deeper than the stack exist only where somebody made them; nothing is known of them.
        return ModuleFacts(path=path, dynamic=True)


class _Reader:
    """Collects the facts of one syntax tree."""

    def __init__(self, tree: ast.Module, text: str, path: str) -> None:
        self._tree = tree
        self._deadline = time.thread_time() + FILE_SECONDS
        self._text = text
        self._path = path
        self._definitions: list[Definition] = []
        self._imports: list[Import] = []
        self._stars: list[str] = []
        self._attributes: dict[str, None] = {}
        self._exported: list[str] | None = None
        self._dynamic = any(word in text and pattern.search(text) for word, pattern in _DYNAMIC.items())

    def facts(self) -> ModuleFacts:
        for statement in _statements(self._tree.body):
            if self._is_over():
                self._dynamic = True
                break
            self._statement(statement)
        for names in _GLOBAL.findall(self._text):
            self._bind(*(name.strip() for name in names.split(",")))
        return ModuleFacts(
            path=self._path,
            doc=first_line(ast.get_docstring(self._tree)),
            definitions=tuple(self._definitions),
            imports=tuple(self._imports),
            stars=tuple(self._stars),
            attributes=tuple(self._attributes),
            exported=tuple(self._exported) if self._exported is not None else None,
            dynamic=self._dynamic,
        )

    def _is_over(self) -> bool:
        return time.thread_time() > self._deadline

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._function(node)
        elif isinstance(node, ast.ClassDef):
            self._class(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node)
        else:
            self._assignment(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str = "") -> None:
        decorators = read_decorators(node.decorator_list)
        if decorators.overload:
            return
        bound = bool(owner) and not decorators.static
        self._definitions.append(
            Definition(
                name=f"{owner}.{node.name}" if owner else node.name,
                kind="method" if bound and not decorators.of_class else "function",
                line=node.lineno,
                parameters=parameters_of(node.args, skip_first=bound),
                doc=first_line(ast.get_docstring(node)),
                sure=decorators.sure and not decorators.property,
                read=decorators.property,
                returns=_result(node),
            )
        )

    def _class(self, node: ast.ClassDef) -> None:
        decorators = read_decorators(node.decorator_list)
        bases = tuple(ast.unparse(base) for base in node.bases)
        attributes = class_attributes(node)
        fields = decorators.dataclass or any(base.rpartition(".")[2] == "NamedTuple" for base in bases)
        self._definitions.append(
            Definition(
                name=node.name,
                kind="class",
                line=node.lineno,
                parameters=_fields(node) if fields else (),
                bases=bases,
                doc=first_line(ast.get_docstring(node)) or _said_by_constructor(node),
                sure=decorators.sure and not node.keywords,
                fields=fields,
                attributes=tuple(sorted(attributes.names)),
                open=attributes.open,
            )
        )
        for statement in _statements(node.body):
            if self._is_over():
                return
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                self._function(statement, owner=node.name)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                module = "." * node.level + (node.module or "")
                if alias.name == "*":
                    self._stars.append(module)
                else:
                    self._imports.append(Import(alias.asname or alias.name, module, alias.name))
            elif alias.asname:
                self._imports.append(Import(alias.asname, alias.name))
            else:
                top = alias.name.split(".")[0]
                self._imports.append(Import(top, top))

    def _assignment(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                self._bind(*_names(target))
                if isinstance(target, ast.Name) and target.id == "__all__":
                    self._all(node)
        elif isinstance(node, ast.For):
            self._bind(*_names(node.target))
        elif isinstance(node, ast.With):
            for item in node.items:
                if item.optional_vars is not None:
                    self._bind(*_names(item.optional_vars))
        elif isinstance(node, ast.Expr) and ast.unparse(node).startswith("__all__."):
            self._dynamic = True

    def _all(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> None:
        names = _literal_strings(node.value)
        if names is None:
            # What is exported is computed; nobody can say what a star import brings.
            self._dynamic = True
        elif isinstance(node, ast.AugAssign):
            self._exported = [*(self._exported or []), *names]
        else:
            self._exported = names

    def _bind(self, *names: str) -> None:
        self._attributes.update(dict.fromkeys(names))


def _result(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    chain = chain_of(node.returns) if node.returns is not None else None
    return chain.text if chain is not None and not isinstance(node, ast.AsyncFunctionDef) else ""


def _said_by_constructor(node: ast.ClassDef) -> str:
    inits = (one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
    return next((first_line(ast.get_docstring(one)) for one in inits), "")


def first_line(docstring: str | None) -> str:
    """The first line of a docstring that says something."""
    return next((line.strip() for line in (docstring or "").split("\n") if line.strip()), "")


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body and of the branches and loops in it, not of functions and classes."""
    for node in body:
        yield node
        if isinstance(node, _BLOCKS):
            for part in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(node, part, ()))
            for handler in getattr(node, "handlers", ()):
                yield from _statements(handler.body)


def _names(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _names(element)
    elif isinstance(target, ast.Starred):
        yield from _names(target.value)


def _literal_strings(value: ast.expr | None) -> list[str] | None:
    if not isinstance(value, ast.List | ast.Tuple):
        return None
    names = [element.value for element in value.elts if isinstance(element, ast.Constant)]
    return [str(name) for name in names] if len(names) == len(value.elts) else None


_FIELD_CALLS = frozenset({"field", "dataclasses.field"})


def _fields(node: ast.ClassDef) -> tuple[Parameter, ...]:
    """The fields of a dataclass or a named tuple; behind a `_: KW_ONLY` they are given by name only."""
    found: list[Parameter] = []
    kind: ParameterKind = "either"
    for statement in node.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        annotation = ast.unparse(statement.annotation)
        if annotation.endswith("KW_ONLY"):
            kind = "keyword"
        elif "ClassVar" not in annotation and not _is_made_inside(statement.value):
            default = _field_default(statement.value)
            found.append(Parameter(name=statement.target.id, kind=kind, default=default, annotation=annotation))
    return tuple(found)


def _field_call(value: ast.expr | None) -> dict[str, ast.expr] | None:
    """What `field(...)` of the standard library is told by name; None where a value is none, or is told more than can be seen."""
    if not isinstance(value, ast.Call) or ast.unparse(value.func) not in _FIELD_CALLS or value.args:
        return None
    named = {word.arg: word.value for word in value.keywords if word.arg is not None}
    return named if len(named) == len(value.keywords) else None


def _is_made_inside(value: ast.expr | None) -> bool:
    """Whether a field is no parameter of the constructor: `field(init=False)`."""
    given = (_field_call(value) or {}).get("init")
    return isinstance(given, ast.Constant) and given.value is False


def _field_default(value: ast.expr | None) -> str | None:
    """The default of a field, also of one that `field(...)` describes; None where it has to be given."""
    if value is None or (named := _field_call(value)) is None:
        return None if value is None else ast.unparse(value)
    if "default" in named:
        return ast.unparse(named["default"])
    factory = named.get("default_factory")
    if factory is None:
        return None
    return ast.unparse(factory.body) if isinstance(factory, ast.Lambda) else f"{ast.unparse(factory)}()"


_OPENERS = frozenset(["__getattr__", "__getattribute__", "__dict__"])
_REGISTERS = frozenset(["register_buffer", "register_parameter", "register_module", "add_module", "setattr", "vars"])
"""What gives an instance an attribute by a name in a string."""


class Attributes(NamedTuple):
    """What a class says of the attributes of its instances."""

    names: frozenset[str]
    """Bound in its body, on `self` anywhere in it, or by a string that is given to what binds names."""
    open: bool
    """Instances may have attributes whose names stand nowhere in the class."""


def class_attributes(node: ast.ClassDef) -> Attributes:
    """What a class says of attributes."""
    found: set[str] = set()
    is_open = False
    for part in nodes(node):
        if isinstance(part, (ast.Name, ast.Attribute)):
            name = part.id if isinstance(part, ast.Name) else part.attr
            is_open = is_open or name in _OPENERS
            if not isinstance(part.ctx, ast.Load):
                found.add(name)
        elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(part.name)
        elif isinstance(part, ast.Call) and called_name(part) in _REGISTERS:
            texts = (one.value for one in part.args[:2] if isinstance(one, ast.Constant))
            given = [one for one in texts if isinstance(one, str)][:1]
            found.update(given)
            is_open = is_open or not given
    return Attributes(frozenset(found - {node.name}), is_open or bool(found & _OPENERS))
