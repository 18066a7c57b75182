"""Checks Python code against a repository before it runs: syntax, imports, names and calls."""

import ast
import builtins
import posixpath
import warnings
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

import msgspec

from ml_agent.tools.check.python_imports import ImportChecker, nearest
from ml_agent.tools.check.python_objects import Objects, mismatch
from ml_agent.tools.findings import Finding, Severity
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.bindings import (
    chain_of,
    chains,
    imported_names,
    rebound_names,
    stored_chains,
)
from ml_agent.tools.python_api.model import ApiObject
from ml_agent.tools.python_api.scopes import undefined_names
from ml_agent.tools.python_source import read_python

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
                    suggestion=self._definition_for(item.name),
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

    def _definition_for(self, name: str) -> str:
        """The import by which the repository itself gets that name, or a name of the code that is nearly the same."""
        return self._api.usual_import(name) or nearest(name, self._known_names)

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
            said = f"line {call.lineno}: {written}() is not whole: fill in what ... stands for ({name})"
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
    yield LocatedFinding(
        call.lineno,
        Finding(
            code="bad-call",
            message=f"line {call.lineno}: {written}() {wrong.message}; it takes ({', '.join(names)})",
            subject=f"{written}.{wrong.subject}" if wrong.subject else written,
            suggestion=near,
            path=called.path,
            line=called.line,
        ),
    )
