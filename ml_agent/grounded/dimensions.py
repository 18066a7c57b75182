"""Sizes that go together: what a changed shape changes elsewhere in an example, and what an error about channels asks for."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from ml_agent.grounded.literals import Literal, span_of
from ml_agent.grounded.scope import syntax_tree

_SMALL = 8
"""Up to here a number stands for too many things: a batch, colours, a kernel, heads."""
_CHANNELS = re.compile(r"expected input\[([\d, ]+)\] to have (\d+) channels, but got (\d+) channels")


def carry_sizes(
    exchanges: Iterable[tuple[str, str]], found: Sequence[Literal], settled: Sequence[tuple[int, int]]
) -> list[tuple[Literal, str]]:
    """Numbers given to calls that were a size of the old shape, each with the size at the same place of the new one.

    A size that the new shape has, too, at whatever place, stays: the dimensions may be in another order.

    Args:
        exchanges: each shape that changes, with the one that takes its place.
        found: the literals of the code.
        settled: stretches of the code that have their value already.
    """
    fresh: dict[str, set[str]] = defaultdict(set)
    for shapes in exchanges:
        old, new = (re.findall(r"\d+", text) for text in shapes)
        for before, after in zip(old, new, strict=False) if len(old) == len(new) else ():
            fresh[before].add(before if before in new else after)
    return [
        (literal, next(iter(fresh[literal.text])))
        for literal in found
        if literal.kind == "number"
        and literal.text.isdigit()
        and int(literal.text) > _SMALL
        and literal.owner
        and not any(start <= literal.start < end for start, end in settled)
        and len(fresh.get(literal.text, ())) == 1
        and fresh[literal.text] != {literal.text}
    ]


def fit_channels(code: str, error_lines: Iterable[str]) -> str | None:
    """The code with channels where the program looks for them; None where its error is about something else.

    A shape whose last dimension has the expected size is turned round (PyTorch wants batch, channels, height, width);
    else the expected size, where the code gives it to a call, becomes the size that came.
    """
    tree = syntax_tree(code)
    match = next((found for line in reversed(tuple(error_lines)) if (found := _CHANNELS.search(line))), None)
    if match is None or tree is None:
        return None
    shape, expected, got = [int(word) for word in match[1].split(",")], int(match[2]), int(match[3])
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    if expected in shape[2:]:
        made = next((call for call in calls if _numbers(call) == shape), None)
        if made is None:
            return None
        end = span_of(code, made)[1]
        return f"{code[:end]}.permute({_order(shape, expected)}){code[end:]}"
    sizes = [
        node
        for call in calls
        for node in (*call.args, *(keyword.value for keyword in call.keywords))
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value == expected and expected > _SMALL
    ]
    if len(sizes) != 1:
        return None
    start, end = span_of(code, sizes[0])
    return f"{code[:start]}{got}{code[end:]}"


def _order(shape: Sequence[int], expected: int) -> str:
    at = len(shape) - 1 - list(reversed(shape)).index(expected)
    rest = [place for place in range(1, len(shape)) if place != at]
    return ", ".join(map(str, [0, at, *rest]))


def _numbers(call: ast.Call) -> list[object]:
    """The numbers that a call is given, one by one or as one shape."""
    given = call.args
    if len(given) == 1 and isinstance(given[0], ast.Tuple | ast.List):
        given = given[0].elts
    return [node.value if isinstance(node, ast.Constant) else None for node in given]
