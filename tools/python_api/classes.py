"""What the instances of a class have besides methods."""

import ast
from collections.abc import Iterator

_OPENERS = frozenset(["__getattr__", "__getattribute__", "__dict__"])
_REGISTERS = frozenset(["register_buffer", "register_parameter", "register_module", "add_module", "setattr", "vars"])
"""What gives an instance an attribute by a name in a string."""


def class_attributes(node: ast.ClassDef) -> set[str]:
    """Names bound in the body of a class, on `self` anywhere in it, or by a string that is given to what binds names."""
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute) and not isinstance(part.ctx, ast.Load):
            found.add(part.id if isinstance(part, ast.Name) else part.attr)
        elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and part is not node:
            found.add(part.name)
    return found | {name for call in _registrations(node) for name in _given(call)}


def is_open(node: ast.ClassDef) -> bool:
    """Whether instances may have attributes whose names stand nowhere in the class."""
    names = {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    defined = {part.name for part in ast.walk(node) if isinstance(part, ast.FunctionDef)}
    return bool((names | defined) & _OPENERS) or any(not _given(call) for call in _registrations(node))


def _registrations(node: ast.ClassDef) -> Iterator[ast.Call]:
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            called = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
            if called in _REGISTERS:
                yield part


def _given(call: ast.Call) -> list[str]:
    """The names that a registration is given as plain strings."""
    return [item.value for item in call.args[:2] if isinstance(item, ast.Constant) and isinstance(item.value, str)][:1]
