"""What docstrings say of parameters."""

import ast
import re
from collections.abc import Mapping

from tools.remember import remembered

LONGEST = 20_000
"""Characters of a docstring that is read; none that people write is longer."""
_LISTED = re.compile(
    r"^[ \t]*+[-*]?[ \t]*+[`'\"]{0,2}(?P<name>\*{0,2}\w+)[`'\"]{0,2}[ \t]*(?:\([^)\n]*\))?[ \t]*:[ \t]+(?P<text>\S[^\n]*)",
    re.MULTILINE,
)
"""A line of a list as people write it without any style: "- `rate` (float): how fast"."""
_UNDERLINED = re.compile(r"^[ \t]*+-{3,}$", re.MULTILINE)
_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def texts_in(*nodes: ast.AST | None) -> Mapping[str, str]:
    """By name: what the docstrings of functions and classes say of their parameters and attributes, the first one first.

    Args:
        nodes: definitions; what cannot have a docstring has none.
    """
    found: dict[str, str] = {}
    for node in nodes:
        text = ast.get_docstring(node) if isinstance(node, _DOCUMENTED) else None
        for name, description in parameter_texts(text or "").items():
            found.setdefault(name, description)
    return found


@remembered(256, longest=LONGEST)
def parameter_texts(docstring: str) -> Mapping[str, str]:
    """By name: what a docstring says of a parameter, in the style of Google, numpydoc, reST or Epydoc or as a list, in one line."""
    if len(docstring) > LONGEST or "\n" not in docstring:
        return {}
    listed = {one["name"].lstrip("*"): one["text"].strip() for one in _LISTED.finditer(docstring)}
    return {**listed, **_in_style(docstring)}


def _in_style(docstring: str) -> dict[str, str]:
    import docstring_parser  # most programs have no use for it

    style = docstring_parser.DocstringStyle.GOOGLE
    if ":param" in docstring:
        style = docstring_parser.DocstringStyle.REST
    elif "@param" in docstring:
        style = docstring_parser.DocstringStyle.EPYDOC
    elif _UNDERLINED.search(docstring):
        style = docstring_parser.DocstringStyle.NUMPYDOC
    try:
        parsed = docstring_parser.parse(docstring, style)
    except (docstring_parser.ParseError, LookupError, ValueError):  # it trips over some that are none
        return {}
    return {
        name.strip().lstrip("*"): " ".join(one.description.split())
        for one in parsed.params
        if one.description
        for name in one.arg_name.split(",")
    }
