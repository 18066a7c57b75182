"""Checks Python code against a repository before it runs: syntax, imports, names and calls."""

import ast
import builtins
import posixpath
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec

from ml_agent.tools.check.python_imports import ImportChecker
from ml_agent.tools.findings import Finding, Severity
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.outline import outline_of
from ml_agent.tools.python_api.bindings import (
    Chain,
    binding_counts,
    chain_of,
    chains,
    imported_names,
    made_objects,
    rebound_names,
    stored_chains,
    undefined_names,
)
from ml_agent.tools.python_api.index import ApiIndex
from ml_agent.tools.python_api.model import ApiObject, Parameter
from ml_agent.tools.python_api.read import parse_module
from ml_agent.tools.python_source import read_python
from ml_agent.tools.signatures.nearest import nearest

# Calls of the repository's functions and classes, and of methods of the objects that a piece of Python makes.

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
        return Mismatch(f"gets {min(twice)!r} twice, by position and by name", min(twice))
    if starred or any(keyword.arg is None for keyword in call.keywords):
        return None
    reached = {item.name for item in placed[: len(call.args)]} | given
    missing = [item.name for item in parameters if item.required and item.name not in reached]
    return Mismatch(f"needs {', '.join(missing)}", missing[0]) if missing else None


_COMMON_BUILTINS = frozenset(name for name in dir(builtins) if name.islower() and not name.startswith("_"))
_MAKES_NAMES = ("exec(", "globals()", "locals()", "vars()")
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class LocatedFinding(NamedTuple):
    """A finding and the line of the code that it is about."""

    line: int
    finding: Finding


def check_python(text: str, index: RepoIndex, workdir: str = ".") -> list[Finding]:
    """Why a piece of Python cannot run in a repository, in order of line.

    An error is certain as far as the repository's source can tell; where that leaves a doubt there is a warning or nothing.

    Args:
        text: The code, as `python file.py` would run it.
        index: The repository.
        workdir: Folder, relative to its root, where it runs.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = read_python(text)
            compile(text, "draft.py", "exec", dont_inherit=True)
        located = [*_Checker(text, tree, index, workdir).located()]
    except SyntaxError as error:
        return [_syntax(error, text)]
    except (ValueError, RecursionError, MemoryError) as error:
        return [Finding(code="syntax", message=f"Python cannot read this: {error}")]
    unique: dict[tuple[str, str], Finding] = {}
    for item in sorted(located, key=lambda item: item.line):
        unique.setdefault(
            (item.finding.code, item.finding.subject), msgspec.structs.replace(item.finding, at=item.line)
        )
    return list(unique.values())


def check_given_code(code: str, index: RepoIndex, workdir: str | None, *, sure: bool) -> list[Finding]:
    """The same of what stands behind `python -c`.

    Args:
        code: the word.
        index: the repository.
        workdir: where it runs; None where that is not known.
        sure: whether the repository is as it lies there.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(read_python(code), "<string>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        message = f"the code after -c does not parse: {error}"
        return [] if "$" in code else [Finding(code="syntax", message=message, subject=code[:60])]
    found = check_python(code, index, workdir) if workdir is not None and "$" not in code else []
    severity: Severity = "error" if sure else "warning"
    certain = [f for f in found if f.severity == "error" and not _is_elsewhere(f, index.files, workdir or ".")]
    return [msgspec.structs.replace(f, severity=severity) for f in certain]


def _is_elsewhere(finding: Finding, files: Iterable[str], workdir: str) -> bool:
    """Whether a module that is missed may be installed: nothing of its first name lies where the code runs."""
    place = posixpath.normpath(posixpath.join(workdir, finding.subject.partition(".")[0]))
    return finding.code == "no-such-module" and not any(f == f"{place}.py" or f.startswith(f"{place}/") for f in files)


def _syntax(error: SyntaxError, text: str) -> Finding:
    line = error.lineno or 0
    rows = text.split("\n")
    shown = rows[line - 1].strip() if 0 < line <= len(rows) else ""
    return Finding(code="syntax", message=f"line {line}: {error.msg}", subject=shown[:200])


class _Checker:
    """The check of one piece of code that parses."""

    def __init__(self, text: str, tree: ast.Module, index: RepoIndex, workdir: str) -> None:
        self._text = text
        self._tree = tree
        self._api = index.api
        self._imports = ImportChecker(tree, index, workdir)

    def located(self) -> Iterator[LocatedFinding]:
        for item in imported_names(self._tree):
            for finding in self._imports.check(item):
                yield LocatedFinding(item.line, finding)
        yield from self._attributes()
        yield from (LocatedFinding(*item) for item in self._objects.missing())
        yield from self._calls()
        yield from self._undefined_names()
        yield from self._nothing_runs()

    def _nothing_runs(self) -> Iterator[LocatedFinding]:
        """Code that would end well whatever it says: functions and classes that nobody calls."""
        if any(isinstance(node, _DEFINES) for node in self._tree.body) and all(map(_is_quiet, self._tree.body)):
            said = "nothing runs: the code only defines functions and classes"
            yield LocatedFinding(0, Finding(code="nothing-runs", message=said))

    @cached_property
    def _repository_names(self) -> dict[str, str]:
        """Names that mean something of the repository wherever they stand, with what they mean."""
        found: dict[str, set[str]] = {}
        for item in imported_names(self._tree):
            found.setdefault(item.local, set()).add(item.target)
        rebound = rebound_names(self._tree)
        single = {local: min(targets) for local, targets in found.items() if len(targets) == 1 and local not in rebound}
        return {local: target for local, target in single.items() if self._imports.is_own(target)}

    @cached_property
    def _objects(self) -> Objects:
        return Objects(self._tree, self._imports, self._repository_names, self._api)

    def _attributes(self) -> Iterator[LocatedFinding]:
        """Attributes of the repository's modules that are not there."""
        stored = stored_chains(self._tree)
        for chain in chains(self._tree):
            if chain.root not in self._repository_names or chain.text in stored:
                continue
            for length in range(1, len(chain.rest) + 1):
                owner = ".".join((self._repository_names[chain.root], *chain.rest[: length - 1]))
                if self._imports.resolve(f"{owner}.{chain.rest[length - 1]}") is None:
                    line = chain.node.lineno
                    yield LocatedFinding(line, self._imports.missing_name(owner, chain.rest[length - 1], line))
                    break

    def _calls(self) -> Iterator[LocatedFinding]:
        """Calls of the repository's functions, classes and methods whose arguments do not fit."""
        for node in ast.walk(self._tree):
            if not isinstance(node, ast.Call):
                continue
            chain = chain_of(node.func)
            called = self._objects.called(chain) if chain is not None else None
            if chain is None or called is None:
                continue
            yield from _left_open(node, chain.text)
            if called.sure:
                yield from _misfit(node, chain.text, called)

    def _undefined_names(self) -> Iterator[LocatedFinding]:
        """Names that nothing binds."""
        for item in undefined_names(self._tree):
            if item.star and not self._imports.stars_lack(item.name):
                continue
            certain = not any(word in self._text for word in _MAKES_NAMES) and self._is_reached(item.line)
            severity: Severity = "error" if certain else "warning"
            yield LocatedFinding(
                item.line,
                Finding(
                    code="undefined-name",
                    message=f"line {item.line}: {item.name!r} is not defined",
                    severity=severity,
                    subject=item.name,
                    suggestion=self._api.usual_import(item.name) or nearest(item.name, sorted(self._known_names)),
                ),
            )

    def _is_reached(self, line: int) -> bool:
        """Whether a line runs, as far as can be told: a function that nobody names does not."""
        for node in self._tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                last = node.end_lineno or node.lineno
                if node.lineno < line <= last and not isinstance(node, ast.ClassDef):
                    return any(
                        isinstance(other, ast.Name)
                        and other.id == node.name
                        and not node.lineno <= other.lineno <= last
                        for other in ast.walk(self._tree)
                    )
        return True

    @cached_property
    def _known_names(self) -> set[str]:
        return {*rebound_names(self._tree), *(item.local for item in imported_names(self._tree)), *_COMMON_BUILTINS}


def _is_quiet(node: ast.stmt) -> bool:
    """Whether a statement only gives names to things; a decorator may do more."""
    if isinstance(node, _DEFINES):
        return not node.decorator_list
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
        return True
    held = node.value if isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign) else node
    return held is None or not any(isinstance(part, ast.Call | ast.stmt | ast.Await) for part in ast.walk(held))


def _left_open(call: ast.Call, written: str) -> Iterator[LocatedFinding]:
    """`...` as an argument: somebody has to say what goes there."""
    given = [
        *((str(at), one) for at, one in enumerate(call.args, 1)),
        *((one.arg or "", one.value) for one in call.keywords),
    ]
    for name, value in given:
        if isinstance(value, ast.Constant) and value.value is Ellipsis:
            said = f"line {call.lineno}: {written}() is incomplete: replace the ... ({name})"
            subject = f"{written}.{name}"
            yield LocatedFinding(
                call.lineno, Finding(code="left-open", message=said, severity="warning", subject=subject)
            )


def _misfit(call: ast.Call, written: str, called: ApiObject) -> Iterator[LocatedFinding]:
    wrong = mismatch(call, called.parameters)
    if wrong is None:
        return
    names = [item.name for item in called.parameters if item.kind in ("either", "keyword")]
    near = wrong.subject if wrong.subject in names else nearest(wrong.subject, names)
    advice = f"; did you mean {near}?" if near and near != wrong.subject else ""
    yield LocatedFinding(
        call.lineno,
        Finding(
            code="bad-call",
            message=f"line {call.lineno}: {written}() {wrong.message}; it takes ({', '.join(names)}){advice}",
            subject=f"{written}.{wrong.subject}" if wrong.subject else written,
            suggestion=near,
            path=called.path,
            line=called.line,
        ),
    )
