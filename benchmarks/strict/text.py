"""What kind of answer a text is, and the text that counts."""

import ast
import re
from collections.abc import Callable
from typing import Literal

from ml_agent.benchmarks.strict.bash_text import commands, strip_bash
from ml_agent.benchmarks.strict.python_text import strip_python

Kind = Literal["bash", "python"]
FENCE = re.compile(r"^[ \t]*```[ \t]*([\w+-]*)[ \t]*\n(.*?)^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)
PYTHON_LINE = re.compile(
    r"^(import \w|from [\w.]+ import |def \w+\(|class \w+|with .*:$|for .* in .*:$|\w+(\.\w+)* = )"
)
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1[^\n]*\n(?:(?!\s*\2[ \t]*$)[^\n]*\n)*\s*\2[ \t]*$", re.MULTILINE)
"""A text within a shell's, which may well be Python."""


def unfence(answer: str) -> str:
    """The content of the fenced blocks where there are any, else the answer itself."""
    blocks = [m.group(2) for m in FENCE.finditer(answer.replace("\r\n", "\n"))]
    if blocks:
        return "\n".join(blocks)
    text = answer.strip()
    if len(text) > 1 and text[0] == text[-1] == "`" and text.count("`") == 2:
        return text[1:-1]
    return answer


def kind_of(text: str) -> Kind:
    """Python where it parses as Python and does something; else shell, unless most lines read like Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        lines = [
            line for line in _HEREDOC.sub("", text).splitlines() if line.strip() and not line.lstrip().startswith("#")
        ]
        like = sum(bool(PYTHON_LINE.match(line)) for line in lines)
        return "python" if like and like * 4 >= len(lines) else "bash"
    does = (ast.Import, ast.ImportFrom, ast.Call, ast.Assign, ast.FunctionDef, ast.ClassDef)
    return "python" if any(isinstance(n, does) for n in ast.walk(tree)) or not commands(text) else "bash"


def strip(text: str, kind: Kind, reads: Callable[[str], bool] = lambda name: False) -> str:
    """The text without comments, docstrings, printed words and unused assignments."""
    return strip_python(text) if kind == "python" else strip_bash(text, reads)
