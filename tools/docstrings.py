"""What docstrings say of parameters and of what is given back, in the styles of Google, NumPy and reST."""

import ast
import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

_MOST_LINES, _LONGEST_LINE = 600, 400
_MOST_TEXT = 1_000
"""Characters of what is said of one parameter."""
_MOST_RESULT = 2_000
_NAME = r"[`'\"]{0,2}(?P<names>\*{0,2}(?<!\w)\w++(?:, ?\*{0,2}\w++)*+)[`'\"]{0,2}"
_PLAIN = re.compile(rf"(?:[-*] )?{_NAME} ?(?:\(.*?\))?(?P<gap> ?)(?::(?: |$)|--? )(?P<text>.*)")
"""`name (type): text`, `name : type` with the text below, `name - text`."""
_FIELD = re.compile(r"[:@]param (?:.*[ \]])?\*{0,2}(?P<names>\w+):(?P<gap>) ?(?P<text>.*)")
_TYPE = re.compile(
    r"(?:int|float|str|string|bool|boolean|list|tuple|dict|array|array_like|(?:np\.|numpy\.)?ndarray|callable|object"
    r"|None|Optional\[.*|List\[.*|[\w.]+, (?:optional|default).*|`.*`)\b[^.]*"
)
_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_RESULT = re.compile(r"(?:Returns?|Yields?|[:@]returns?):? ?(?P<text>.*)")

_RESULTS = re.compile(r"(?:Returns?|Yields?|Raises|Examples?|See Also|References|Notes?):?")
_ARGUMENTS = re.compile(r"(?:(?:Other |Keyword )?(?:Parameters|Arg(?:ument)?s)|Attributes):?|[:@]param\b.*")
"""Headings in docstrings: of what is no parameter, and of parameters."""


def descriptions_in(*nodes: ast.AST | None) -> Mapping[str, str]:
    """By name: what the docstrings of functions and classes say of their parameters and attributes, the first one first.

    Args:
        nodes: definitions; what cannot have a docstring has none.
    """
    found: dict[str, str] = {}
    for node in nodes:
        text = ast.get_docstring(node) if isinstance(node, _DOCUMENTED) else None
        for name, description in parameter_descriptions(text or "").items():
            found.setdefault(name, description)
    return found


def parameter_descriptions(doc: str) -> dict[str, str]:
    """By parameter: what a docstring says of it. Other words that stand before a colon are among the names."""
    lines = _lines_of(doc)
    found = dict[str, str]()
    of_result = False
    for at, line in enumerate(lines):
        plain = line.strip()
        of_result = _RESULTS.fullmatch(plain) is not None or (of_result and not _ARGUMENTS.fullmatch(plain))
        head = None if of_result else _FIELD.fullmatch(plain) or _PLAIN.fullmatch(plain)
        if head is None:
            continue
        below = _below(lines, at)
        is_type = bool(below) and (head["gap"] or _TYPE.fullmatch(head["text"]))
        text = " ".join(below if is_type else [head["text"], *below]).strip()
        if text:
            for name in re.findall(r"\w+", head["names"]):
                found.setdefault(name, text[:_MOST_TEXT])
    return found


def result_description(doc: str) -> str:
    """What a docstring says that a function gives back; "" where it says nothing."""
    lines = _lines_of(doc)
    for at, line in enumerate(lines):
        head = _RESULT.fullmatch(line.strip())
        if head is not None:
            rest = lines[at + 1 :]
            is_underlined = bool(rest) and set(rest[0].strip()) == {"-"}
            below = list(takewhile(str.strip, rest[1:])) if is_underlined else _below(lines, at, _MOST_RESULT)
            return " ".join([head["text"], *(one.strip() for one in below)]).strip()[:_MOST_RESULT]
    return ""


def _lines_of(doc: str) -> list[str]:
    return [line.expandtabs(4)[:_LONGEST_LINE] for line in doc.split("\n", _MOST_LINES)[:_MOST_LINES]]


def _below(lines: Sequence[str], at: int, room: int = _MOST_TEXT) -> list[str]:
    """The lines that stand below one, farther in."""
    indent = _indent(lines[at])
    found = []
    for line in lines[at + 1 :]:
        if (line.strip() and _indent(line) <= indent) or room < 0:
            break
        room -= len(line)
        found += [" ".join(line.split())] if line.strip() else []
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
