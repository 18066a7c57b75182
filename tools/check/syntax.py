"""Files that Python 3 cannot read, such as those written for Python 2."""

import ast
import re
from collections.abc import Iterator, Sequence

import msgspec

from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.findings import Finding, Severity
from ml_agent.tools.python_source import parse_python
from ml_agent.tools.signatures.sources import Sources

# Text that is no bash at all, and prompts that were copied with a command.

FENCE = re.compile(r"^[^\S\n]*+(?:```|~~~)", re.MULTILINE)
PYTHON_LINE = re.compile(r"^(?:import\s+\w|from\s+[\w.]+\s+import\s|def\s+\w+\(|class\s+\w|print\()", re.MULTILINE)


def unreadable(text: str) -> Finding | None:
    """Text that is no bash at all."""
    if not text.strip():
        return Finding(code="unreadable-command", message="there is no command")
    if FENCE.search(text):
        return Finding(code="unreadable-command", message="the command is inside a code fence", subject="```")
    if is_python(text):
        return Finding(
            code="unreadable-command", message="this is Python, not bash", subject=text.strip().split("\n")[0][:80]
        )
    return None


def is_python(text: str) -> bool:
    """Whether a text is Python code, and could not be meant for bash."""
    tree = parse_python(text) if PYTHON_LINE.search(text) else None
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.Expr)
    return tree is not None and any(isinstance(node, kinds) for node in tree.body)


_PROMPT = re.compile(r"\s*([$%]|>>?(?=\s+(?:python|bash|sh|torchrun|accelerate|pip)[\d.]*\s))\s+(\S.*)")
"""A file that is named like an interpreter is no place for output."""


def check_prompts(text: str, invocations: Sequence[Invocation]) -> Iterator[Finding]:
    """The lines with commands that begin with a prompt."""
    lines = text.split("\n")
    for number in sorted({one.line for one in invocations if 0 < one.line <= len(lines)}):
        match = _PROMPT.match(lines[number - 1])
        if match is not None:
            message = f"{match[1]} is a prompt and not part of the command"
            finding = Finding(code="syntax", message=message, subject=match[1], suggestion=match[2])
            yield msgspec.structs.replace(finding, at=number)


_PYTHON_2 = re.compile(r"(?:.*/)?(?:python2(?:\.\d+)?|pypy|jython)")
_FIRST_LINE_2 = re.compile(r"#![^\n]*\bpython2")
_OTHER_PYTHON_3 = re.compile(
    r"\basync\b|\bawait\b|^\s*type\s+\w|\b(?:def|class)\s+\w+\[|(?<!\w)(?:[fFtT][rR]?|[rR][fFtT])['\"]"
)
"""In a line that this Python cannot read: an older or a newer Python 3 may."""
MOST = 400
"""Imported files that are looked at."""
_DEEPEST = 20
"""Packages within each other of an import."""


def check_syntax(sources: Sources, path: str, invocation: Invocation, *, sure: bool) -> list[Finding]:
    """Why a script or module cannot run at all; [] where Python 3 reads it and what it imports, or another Python is named.

    Args:
        sources: the repository's files.
        path: the file.
        invocation: how it is started.
        sure: whether it is as it lies in the repository.
    """
    text = sources.text(path) or ""
    starts_itself = invocation.program == invocation.name and _FIRST_LINE_2.match(text)
    if not path.endswith(".py") or _PYTHON_2.fullmatch(invocation.program) or starts_itself:
        return []
    found = _finding(sources, path, path, sure=sure)
    if found is None:
        others = (
            _finding(sources, one, f"{one}, which {path} imports,", sure=sure) for one in _import_chain(sources, path)
        )
        found = next((one for one in others if one is not None and one.severity != "unsure"), None)
    return [found] if found is not None else []


def _finding(sources: Sources, path: str, what: str, *, sure: bool) -> Finding | None:
    """Why Python 3 cannot read a file, which is called `what`."""
    sources.tree(path)
    error = sources.repaired.get(path)
    if error is None:
        return None
    line, lines = error.lineno or 1, (sources.text(path) or "").split("\n")
    shown = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    severity: Severity = "unsure" if _OTHER_PYTHON_3.search(shown) else "error" if sure else "warning"
    message = f"{what} is no Python 3: {error.msg}: {shown[:80]}"
    return Finding(code="syntax", message=message, severity=severity, subject=path, path=path, line=line)


def _import_chain(sources: Sources, script: str) -> Iterator[str]:
    """Files that a script surely imports when it starts, directly or not, in the order in which they are met."""
    seen, todo = {script}, [script]
    for current in todo:
        if len(todo) > MOST:
            return
        tree = None if current in sources.repaired else sources.tree(current)
        for node in tree.body if tree is not None else ():
            new = [path for path in dict.fromkeys(_files_of(node, sources, current, script)) if path not in seen]
            seen.update(new)
            todo += new
            yield from new


def _files_of(node: ast.stmt, sources: Sources, importer: str, script: str) -> Iterator[str]:
    """The repository's files that one statement at a file's top level imports, packages before their modules."""
    level, names = 0, []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        level = node.level
        names = [".".join(filter(None, (node.module, alias.name))) for alias in node.names]
    for name in names:
        parts = name.split(".", _DEEPEST)[:_DEEPEST]
        for size in range(1, len(parts) + 1):
            path = sources.resolve(".".join(parts[:size]), level, importer, script)
            if path is not None:
                yield path
