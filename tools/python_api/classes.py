"""What the instances of a class have besides methods."""

import ast
from typing import NamedTuple

from ml_agent.tools.python_api.walk import nodes

_OPENERS = frozenset(["__getattr__", "__getattribute__", "__dict__"])
_REGISTERS = frozenset(["register_buffer", "register_parameter", "register_module", "add_module", "setattr", "vars"])
"""What gives an instance an attribute by a name in a string."""


class Attributes(NamedTuple):
    """What a class says of the attributes of its instances."""

    names: frozenset[str]
    """Bound in its body, on `self` anywhere in it, or by a string that is given to what binds names."""
    open: bool
    """Instances may have attributes whose names stand nowhere in the class."""


def class_attributes(node: ast.ClassDef) -> Attributes:
    """What a class says of attributes."""
    found: set[str] = set()
    is_open = False
    for part in nodes(node):
        if isinstance(part, (ast.Name, ast.Attribute)):
            name = part.id if isinstance(part, ast.Name) else part.attr
            is_open = is_open or name in _OPENERS
            if not isinstance(part.ctx, ast.Load):
                found.add(name)
        elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(part.name)
        elif isinstance(part, ast.Call) and _callee(part) in _REGISTERS:
            given = _registered_names(part)
            found.update(given)
            is_open = is_open or not given
    return Attributes(frozenset(found - {node.name}), is_open or bool(found & _OPENERS))


def _callee(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _registered_names(call: ast.Call) -> list[str]:
    """The names that a registration is given as plain strings."""
    return [item.value for item in call.args[:2] if isinstance(item, ast.Constant) and isinstance(item.value, str)][:1]
