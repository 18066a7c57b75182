"""Whether the wording asks for a command or for Python."""

import re
from typing import Literal

_PYTHON = re.compile(
    r"(?<![.\w])py(?:\s+\w+)?:|(?<![\w/.-])python\b(?!/|\.\w|\s*(?:\d[\d.]*|commands?\b|scripts?\b|-m\b|packages?\b|environments?\b|implementations?\b))",
    re.IGNORECASE,
)
_BASH = re.compile(
    r"\b(?:shell|bash|terminal|command line|command-line|cli)\b|\b(?:the|a|exact|single|right) command\b", re.IGNORECASE
)

_AS_CODE = re.compile(
    r"\b(?:in|as|by|me|bit\s+of|lines\s+of)\s+code\b|^code\b|\bcode,?\s+(?:please|wanted)\b|\bsnippet\s*(?::|that\b)"
    r"|\b(?:with|write|like|want|need|give\s+me)\s+code\b(?!\s*-?bases?\b)|\b(?:write|inside)\s+a\s+script\b",
    re.IGNORECASE,
)
"""Who wants something in code wants no command: also where the language is not named."""

_SPELLED = re.compile(r"(?<![^\s`(])--?[A-Za-z]")
"""An option as it is typed: code has no such thing."""


def wanted_kind(instruction: str) -> Literal["bash", "python", "either"]:
    """The kind of answer; "either" where the wording leaves it open ("the code", "a script")."""
    if _PYTHON.search(instruction) is not None or _AS_CODE.search(instruction) is not None:
        # Who names the language means it, also where a command is ruled out: "Python code, not a command".
        return "python"
    is_command = _BASH.search(instruction) is not None or _SPELLED.search(instruction) is not None
    return "bash" if is_command else "either"
