"""What kind of answer a text is."""

import ast
import re

from ml_agent.benchmarks.data import Kind
from ml_agent.tools.commandline.shell import parse_command

_FENCE = re.compile(r"^[ \t]*```[ \t]*([\w+-]*)[ \t]*\n(.*?)^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)
_PYTHON_LINE = re.compile(
    r"^(import \w|from [\w.]+ import |def \w+\(|class \w+|with .*:$|for .* in .*:$|\w+(\.\w+)* = )"
)
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1[^\n]*\n(?:(?!\s*\2[ \t]*$)[^\n]*\n)*\s*\2[ \t]*$", re.MULTILINE)
"""A text within a shell's, which may well be Python."""


def unfence(answer: str) -> str:
    """The content of the fenced blocks where there are any, else the answer itself."""
    blocks = [m.group(2) for m in _FENCE.finditer(answer.replace("\r\n", "\n"))]
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
        lines = [s for line in _HEREDOC.sub("", text).splitlines() if (s := line).strip() and s.lstrip()[0] != "#"]
        like = sum(bool(_PYTHON_LINE.match(line)) for line in lines)
        return "python" if like and like * 4 >= len(lines) else "bash"
    does = (ast.Import, ast.ImportFrom, ast.Call, ast.Assign, ast.FunctionDef, ast.ClassDef)
    acts = any(isinstance(n, does) for n in ast.walk(tree))
    return "python" if acts or not parse_command(text, prompts=False).invocations else "bash"


def exports(prefix: str) -> str:
    """The assignments of a script as exports: what of a row's prefix code stays in force for the answer."""
    found = parse_command(prefix, prompts=False).assignments
    escaped = ((name, value.replace("\\", "\\\\").replace('"', '\\"')) for name, value in found)
    return "".join(f'export {name}="{value}"\n' for name, value in escaped)
