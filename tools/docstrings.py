"""What docstrings say of parameters."""

import ast
from collections.abc import Mapping

from tools.remember import remembered

LONGEST = 20_000
"""Characters of a docstring that is read; none that people write is longer."""
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
    """By name: what a docstring (Google, numpydoc, ReST or Epydoc) says of a parameter, in one line; {} where it cannot be read."""
    if len(docstring) > LONGEST or "\n" not in docstring:
        return {}
    import docstring_parser  # most programs have no use for it

    try:
        parsed = docstring_parser.parse(docstring)
    except (docstring_parser.ParseError, LookupError, ValueError):  # it trips over some that are none
        return {}
    return {
        name.strip().lstrip("*"): " ".join(one.description.split())
        for one in parsed.params
        if one.description
        for name in one.arg_name.split(",")
    }
