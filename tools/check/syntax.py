"""Files that Python 3 cannot read, such as those written for Python 2."""

import ast
import re
import warnings

from tools.commandline.invocation import Invocation
from tools.findings import Finding, Severity
from tools.signatures.sources import Sources

_PYTHON_2 = re.compile(r"(?:.*/)?(?:python2(?:\.\d+)?|pypy|jython)")
_FIRST_LINE_2 = re.compile(r"#![^\n]*\bpython2")
_OTHER_PYTHON_3 = re.compile(
    r"\basync\b|\bawait\b|^\s*type\s+\w|\b(?:def|class)\s+\w+\[|(?<!\w)(?:[fFtT][rR]?|[rR][fFtT])['\"]"
)
"""In a line that this Python cannot read: an older or a newer Python 3 may."""


def check_syntax(sources: Sources, path: str, invocation: Invocation, *, sure: bool) -> list[Finding]:
    """Why the file of a script or module cannot run at all; [] where Python 3 reads it, or another Python is named.

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
    if sources.tree(path) is not None and path not in sources.repaired:
        return []
    error = _syntax_error(text)
    if error is None:
        return []
    line, said = error
    lines = text.split("\n")
    shown = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    severity: Severity = "unsure" if _OTHER_PYTHON_3.search(shown) else "error" if sure else "warning"
    message = f"{path} is no Python 3: {said}: {shown[:80]}"
    return [Finding(code="syntax", message=message, severity=severity, subject=path, path=path, line=line)]


def _syntax_error(text: str) -> tuple[int, str] | None:
    """Line and words of the first syntax error; None where there is none, or where it is too large to tell."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return error.lineno or 1, error.msg
    except (ValueError, RecursionError, MemoryError):
        return None  # a limit of ours, not a fault of the file
    return None
