"""Checks Python code against a repository before it runs: syntax, imports, names and calls."""

import ast
import builtins
import posixpath
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec

from ml_agent.tools.check.python_imports import ImportChecker
from ml_agent.tools.findings import Finding, Severity
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.bindings import (
    Chain,
    chain_of,
    chains,
    imported_names,
    made_objects,
    rebound_names,
    stored_chains,
    undefined_names,
)
from ml_agent.tools.python_api.model import ApiObject, Parameter
from ml_agent.tools.python_source import only_names, read_python
from ml_agent.tools.signatures.nearest import nearest


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
    for item in sorted(located, key=lambda item: item.at):
        unique.setdefault((item.code, item.subject), item)
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

    def located(self) -> Iterator[Finding]:
        for item in imported_names(self._tree):
            yield from (msgspec.structs.replace(one, at=item.line) for one in self._imports.check(item))
        yield from self._attributes()
        yield from self._missing()
        yield from self._calls()
        yield from self._undefined_names()
        yield from self._nothing_runs()

    def _nothing_runs(self) -> Iterator[Finding]:
        """Code that would end well whatever it says: functions and classes that nobody calls."""
        if any(isinstance(node, _DEFINES) for node in self._tree.body) and all(map(only_names, self._tree.body)):
            yield Finding(code="nothing-runs", message="nothing runs: the code only defines functions and classes")

    @cached_property
    def _repository_names(self) -> dict[str, str]:
        """Names that mean something of the repository wherever they stand, with what they mean."""
        found: dict[str, set[str]] = {}
        for item in imported_names(self._tree):
            found.setdefault(item.local, set()).add(item.target)
        rebound = rebound_names(self._tree)
        single = {local: min(targets) for local, targets in found.items() if len(targets) == 1 and local not in rebound}
        return {local: target for local, target in single.items() if self._imports.is_own(target)}

    def _called(self, chain: Chain) -> ApiObject | None:
        """The function or class that a chain names, or the method of an object that the code made before."""
        found, kind = self._callable(chain), self._classes.get(chain.root)
        if found is not None or kind is None or len(chain.rest) != 1:
            return found
        return self._api.instances.method(kind, chain.rest[0])

    def _callable(self, chain: Chain) -> ApiObject | None:
        """The function or class of the repository that a chain names."""
        bound = self._repository_names.get(chain.root)
        found = self._imports.resolve(".".join((bound, *chain.rest))) if bound is not None else None
        return found if isinstance(found, ApiObject) and found.kind in ("function", "class") else None

    @cached_property
    def _classes(self) -> dict[str, ApiObject]:
        """Of the objects that the code makes of a known class that class, by their names."""
        found = {name: self._callable(called) for name, called in made_objects(self._tree).items()}
        return {name: kind for name, kind in found.items() if kind is not None and kind.kind == "class"}

    def _missing(self) -> Iterator[Finding]:
        """Attributes that objects surely do not have."""
        stored = {text.rpartition(".")[2] for text in stored_chains(self._tree)}
        for chain in chains(self._tree):
            kind, name = self._classes.get(chain.root), chain.rest[0] if chain.rest else ""
            if kind is None or not name or name in stored or self._api.instances.has(kind, name) is not False:
                continue
            line, near = chain.node.lineno, nearest(name, self._api.instances.methods(kind))
            message = f"line {line}: {kind.name.rpartition('.')[2]} has no attribute {name!r}"
            yield Finding(
                code="no-such-name", message=message + (f"; did you mean {near!r}?" if near else ""), at=line,
                subject=f"{chain.root}.{name}", suggestion=near, path=kind.path, line=kind.line,
            )  # fmt: skip

    def _attributes(self) -> Iterator[Finding]:
        """Attributes of the repository's modules that are not there."""
        stored = stored_chains(self._tree)
        for chain in chains(self._tree):
            if chain.root not in self._repository_names or chain.text in stored:
                continue
            for length in range(1, len(chain.rest) + 1):
                owner = ".".join((self._repository_names[chain.root], *chain.rest[: length - 1]))
                if self._imports.resolve(f"{owner}.{chain.rest[length - 1]}") is None:
                    line = chain.node.lineno
                    found = self._imports.missing_name(owner, chain.rest[length - 1], line)
                    yield msgspec.structs.replace(found, at=line)
                    break

    def _calls(self) -> Iterator[Finding]:
        """Calls of the repository's functions, classes and methods whose arguments do not fit."""
        for node in ast.walk(self._tree):
            if not isinstance(node, ast.Call):
                continue
            chain = chain_of(node.func)
            called = self._called(chain) if chain is not None else None
            if chain is None or called is None:
                continue
            yield from _left_open(node, chain.text)
            if called.sure:
                yield from _misfit(node, chain.text, called)

    def _undefined_names(self) -> Iterator[Finding]:
        """Names that nothing binds."""
        for item in undefined_names(self._tree):
            if item.star and not self._imports.stars_lack(item.name):
                continue
            certain = not any(word in self._text for word in _MAKES_NAMES) and self._is_reached(item.line)
            severity: Severity = "error" if certain else "warning"
            yield Finding(
                code="undefined-name",
                message=f"line {item.line}: {item.name!r} is not defined",
                severity=severity,
                subject=item.name,
                suggestion=self._api.usual_imports.get(item.name) or nearest(item.name, sorted(self._known_names)),
                at=item.line,
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


def _left_open(call: ast.Call, written: str) -> Iterator[Finding]:
    """`...` as an argument: somebody has to say what goes there."""
    given = [
        *((str(at), one) for at, one in enumerate(call.args, 1)),
        *((one.arg or "", one.value) for one in call.keywords),
    ]
    for name, value in given:
        if isinstance(value, ast.Constant) and value.value is Ellipsis:
            said = f"line {call.lineno}: {written}() is incomplete: replace the ... ({name})"
            subject = f"{written}.{name}"
            yield Finding(code="left-open", message=said, severity="warning", subject=subject, at=call.lineno)


def _misfit(call: ast.Call, written: str, called: ApiObject) -> Iterator[Finding]:
    wrong = mismatch(call, called.parameters)
    if wrong is None:
        return
    names = [item.name for item in called.parameters if item.kind in ("either", "keyword")]
    near = wrong.subject if wrong.subject in names else nearest(wrong.subject, names)
    advice = f"; did you mean {near}?" if near and near != wrong.subject else ""
    yield Finding(
        code="bad-call",
        message=f"line {call.lineno}: {written}() {wrong.message}; it takes ({', '.join(names)}){advice}",
        subject=f"{written}.{wrong.subject}" if wrong.subject else written,
        suggestion=near,
        path=called.path,
        line=called.line,
        at=call.lineno,
    )
