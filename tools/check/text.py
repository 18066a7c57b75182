"""Text that is no bash at all, and prompts that were copied with a command."""

import ast
import re
from collections.abc import Iterator, Sequence

import msgspec

from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.findings import Finding
from ml_agent.tools.python_source import parse_python

FENCE = re.compile(r"^[^\S\n]*+(?:```|~~~)", re.MULTILINE)
PYTHON_LINE = re.compile(r"^(?:import\s+\w|from\s+[\w.]+\s+import\s|def\s+\w+\(|class\s+\w|print\()", re.MULTILINE)


def unreadable(text: str) -> Finding | None:
    """Text that is no bash at all."""
    if not text.strip():
        return Finding(code="unreadable-command", message="there is no command")
    if FENCE.search(text):
        return Finding(code="unreadable-command", message="the command is inside a code fence", subject="```")
    if PYTHON_LINE.search(text) and _is_python(text):
        return Finding(
            code="unreadable-command", message="this is Python, not bash", subject=text.strip().split("\n")[0][:80]
        )
    return None


def _is_python(text: str) -> bool:
    tree = parse_python(text)
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
