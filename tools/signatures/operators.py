"""Operations on constants: only such as are harmless and stay small."""

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from ml_agent.tools.signatures.values import UNKNOWN, Value, is_known, may_be_key

MAX_ITEMS = 2_000
MAX_TEXT = 100_000
WIDTH = re.compile(r"\d{4,}|\*|\{[^{}]*\{")
"""Format widths that could blow up a text."""

_HALF = re.compile("[\ud800-\udfff]")
"""Half a character, which no file can hold."""

OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_, ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b, ast.Is: operator.is_,
    ast.IsNot: operator.is_not, ast.USub: lambda a, _: -a, ast.UAdd: lambda a, _: +a, ast.Invert: lambda a, _: ~a,
}  # fmt: skip


def short(value: Value) -> Value:
    """A value, or UNKNOWN where it is so long a text that a loop could make it endless, or holds half a character."""
    if isinstance(value, str) and not value.isascii() and _HALF.search(value):
        return UNKNOWN
    return UNKNOWN if isinstance(value, (str, bytes)) and len(value) > MAX_TEXT else value


def guarded(function: Callable[[], Value]) -> Value:
    """The result of a harmless operation on constants; UNKNOWN where it fails."""
    try:
        return function()
    except Exception:  # noqa: BLE001 - the operands come from a foreign program and may be anything
        return UNKNOWN


def operate(op: ast.AST, left: Value, right: Value) -> Value:
    """A binary operation; never builds anything large."""
    both_lists = type(left) is type(right) and isinstance(left, (list, tuple))
    if isinstance(op, ast.Add) and both_lists:
        return left + right if len(left) + len(right) <= MAX_ITEMS else UNKNOWN
    if hasattr(left, "__truediv__") and isinstance(op, ast.Div) and isinstance(right, str):
        return guarded(lambda: left / right)
    if not (is_known(left) and is_known(right)) or not _small(op, left, right):
        return UNKNOWN
    function = OPERATORS.get(type(op))
    return UNKNOWN if function is None else short(guarded(lambda: function(left, right)))


def _small(op: ast.AST, left: Value, right: Value) -> bool:
    """Whether the result of an operation stays small."""
    numbers = [v for v in (left, right) if isinstance(v, int)]
    if any(n.bit_length() > 4096 for n in numbers):
        return False
    if isinstance(op, (ast.Pow, ast.LShift)):
        return not isinstance(right, int) or abs(right) <= 64
    if isinstance(op, ast.Mult) and len(numbers) == 1 and not isinstance(left, float) and not isinstance(right, float):
        other = right if isinstance(left, int) else left
        return not hasattr(other, "__len__") or len(other) * abs(numbers[0]) <= MAX_TEXT
    if isinstance(op, ast.Mod) and isinstance(left, (str, bytes)):
        return isinstance(left, str) and not WIDTH.search(left)
    return True


def operate_unary(op: ast.AST, value: Value) -> Value:
    """Minus, plus and invert of numbers."""
    if not isinstance(value, (int, float, complex)):
        return UNKNOWN
    return guarded(lambda: OPERATORS[type(op)](value, None))


def to_set(items: list[Value]) -> Value:
    """A set of values, in the order in which they stand (a dict's order would be lost in a set)."""
    return guarded(lambda: set(items)) if all(map(may_be_key, items)) else UNKNOWN


def set_item(owner: dict[Value, Value], key: Value, value: Value) -> None:
    """`owner[key] = value`, under UNKNOWN where the key is none that a dict takes."""
    try:
        owner[key if may_be_key(key) else UNKNOWN] = value
    except TypeError:
        owner[UNKNOWN] = value
