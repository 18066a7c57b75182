"""Text that is not what it is taken for: Python or a fence where bash is wanted, prompts before commands, scripts that are no Python 3."""

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


def check_syntax(sources: Sources, path: str, invocation: Invocation, *, sure: bool) -> list[Finding]:
    """Why a script or module cannot run at all; [] where Python 3 reads it, or another Python is named.

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
    sources.tree(path)
    error = sources.repaired.get(path)
    if error is None:
        return []
    line, lines = error.lineno or 1, text.split("\n")
    shown = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    severity: Severity = "unsure" if _OTHER_PYTHON_3.search(shown) else "error" if sure else "warning"
    message = f"{path} is no Python 3: {error.msg}: {shown[:80]}"
    return [Finding(code="syntax", message=message, severity=severity, subject=path, path=path, line=line)]
