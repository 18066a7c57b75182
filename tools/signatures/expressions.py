"""Expressions of the abstract interpreter."""

import ast
import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ml_agent.tools.signatures.control_flow import Condition, Machine
from ml_agent.tools.signatures.operators import (
    MAX_ITEMS,
    OPERATORS,
    WIDTH,
    guarded,
    operate,
    operate_unary,
    set_item,
    short,
    to_set,
)
from ml_agent.tools.signatures.values import (
    CONSTANTS,
    UNKNOWN,
    Arguments,
    Class,
    External,
    Frame,
    Function,
    Module,
    ParsedArgument,
    TypeForm,
    Value,
    is_known,
    join,
    truth,
)

FORMS = ("typing.", "typing_extensions.", "builtins.", "collections.", "dataclasses.", "pydantic", "tyro.conf.")
"""Where names are that take types in brackets."""
UNION = External("types.UnionType")
_TYPES = (Class, TypeForm, External, type(None))
CONVERSIONS: dict[int, Callable[[object], str]] = {ord("r"): repr, ord("a"): ascii, ord("s"): str}


def _items(run: Machine, nodes: list[ast.expr], frame: Frame) -> list[Value]:
    values: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            items = iterate(run, run.evaluate(node.value, frame))
            values += [UNKNOWN] if items is None else items
        else:
            values.append(run.evaluate(node, frame))
    return values


def _dict(run: Machine, node: ast.Dict, frame: Frame) -> Value:
    result: dict[Value, Value] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = run.evaluate(value_node, frame)
        if key_node is None:
            result.update(value if isinstance(value, dict) else {UNKNOWN: UNKNOWN})
            continue
        set_item(result, run.evaluate(key_node, frame), value)
    return result


def _subscript(run: Machine, node: ast.Subscript, frame: Frame) -> Value:
    container = run.evaluate(node.value, frame)
    if isinstance(node.slice, ast.Slice):
        parts = [
            None if p is None else run.evaluate(p, frame) for p in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        if isinstance(container, (str, list, tuple)) and all(p is None or isinstance(p, int) for p in parts):
            return guarded(lambda: container[slice(*parts)])
        return UNKNOWN
    key = run.evaluate(node.slice, frame)
    if isinstance(container, dict) and isinstance(key, ParsedArgument):
        _accept_keys(run, container, key, f"{frame.module.path}:{node.lineno}")
        settled = run.settle(key)
        if not isinstance(settled, CONSTANTS) or settled not in container:
            return UNKNOWN
        return container[settled]
    if isinstance(container, (dict, list, tuple, str)) and isinstance(key, CONSTANTS):
        return guarded(partial(operator.getitem, container, key))
    if isinstance(container, Class):
        found = isinstance(key, str) and container.find(key) is not None
        return run.attribute(container, key) if found else UNKNOWN
    if isinstance(container, External) and container.name.startswith(FORMS):
        inner = key if isinstance(key, tuple) else (key,)
        return TypeForm(container, inner) if not any(isinstance(k, ParsedArgument) for k in inner) else UNKNOWN
    item = getattr(container, "item", None)
    return item(key) if item is not None and not isinstance(container, CONSTANTS) else UNKNOWN


def _accept_keys(run: Machine, container: dict[Value, Value], key: ParsedArgument, place: str) -> None:
    """A table is looked up with a command-line value: only its keys are accepted; of a module's names those that hold something of its own."""
    meant = {k for k, value in container.items() if not _is_of_module(k, value)}
    if meant and all(isinstance(k, (str, int)) for k in container):
        run.accept(Condition(key.dest, key.fold, frozenset(map(str, meant))), place)


def _is_of_module(name: Value, value: Value) -> bool:
    """Whether a name of a module is one that all have, or one by which it has another module or a feature of the language."""
    future = isinstance(value, External) and value.name.startswith("__future__.")
    return future or isinstance(value, Module) or str(name).startswith("__")


def _binary(run: Machine, node: ast.BinOp, frame: Frame) -> Value:
    left, right = (run.settle(run.evaluate(side, frame)) for side in (node.left, node.right))
    if isinstance(node.op, ast.BitOr) and isinstance(left, _TYPES) and isinstance(right, _TYPES):
        inner = left.inner if isinstance(left, TypeForm) and left.origin == UNION else (left,)
        return TypeForm(UNION, (*inner, right))
    return operate(node.op, left, right)


def _unary(run: Machine, node: ast.UnaryOp, frame: Frame) -> Value:
    value = run.evaluate(node.operand, frame)
    if isinstance(node.op, ast.Not):
        if isinstance(value, Condition):
            return value.opposite()
        known = truth(value)
        return UNKNOWN if known is None else not known
    return operate_unary(node.op, value)


def _boolean(run: Machine, node: ast.BoolOp, frame: Frame) -> Value:
    stop = isinstance(node.op, ast.Or)
    result: Value = None
    uncertain = False
    parts: list[Value] = []
    for part in node.values:
        value = run.evaluate(part, frame)
        parts.append(value)
        known = truth(value)
        if known is None:
            uncertain = True
        elif known is stop and not uncertain:
            return value
        elif known is stop:
            return UNKNOWN if not isinstance(value, bool) else value
        result = value
    return _either(parts) if uncertain and stop else (UNKNOWN if uncertain else result)


def _either(parts: list[Value]) -> Value:
    """`a == 1 or a == 2` as one condition."""
    first = parts[0]
    if all(isinstance(p, Condition) and not p.negated and (p.dest, p.fold) == (first.dest, first.fold) for p in parts):
        return Condition(first.dest, first.fold, frozenset().union(*(p.values for p in parts)))
    return UNKNOWN


def _compare(run: Machine, node: ast.Compare, frame: Frame) -> Value:
    left = run.evaluate(node.left, frame)
    outcome: Value = True
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = run.evaluate(right_node, frame)
        if not run.beyond:
            left, right = run.settle(left), run.settle(right)
        result = _compare_two(op, left, right)
        if len(node.ops) == 1:
            return result
        if truth(result) is False:
            return False
        outcome = outcome if truth(result) else UNKNOWN
        left = right
    return outcome


def _compare_two(op: ast.cmpop, left: Value, right: Value) -> Value:
    if isinstance(left, ParsedArgument) or isinstance(right, ParsedArgument):
        return _condition(op, left, right)
    equals = isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq))
    if equals and isinstance(left, Class) and isinstance(right, Class):
        return (left is right) is isinstance(op, (ast.Is, ast.Eq))
    if equals and (left is None) != (right is None):
        other = right if left is None else left
        if truth(other) is None:
            return UNKNOWN
        return isinstance(op, (ast.IsNot, ast.NotEq))
    if is_known(left) and is_known(right):
        return guarded(lambda: OPERATORS[type(op)](left, right))
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(left, str) and isinstance(right, (dict, list, tuple, set)):
        if left in right:
            return isinstance(op, ast.In)
        return UNKNOWN if UNKNOWN in right else isinstance(op, ast.NotIn)
    return UNKNOWN


def _condition(op: ast.cmpop, left: Value, right: Value) -> Value:
    argument, other = (left, right) if isinstance(left, ParsedArgument) else (right, left)
    negated = isinstance(op, (ast.NotEq, ast.NotIn))
    if isinstance(op, (ast.Eq, ast.NotEq)) and isinstance(other, (str, int)) and not isinstance(other, bool):
        return Condition(argument.dest, argument.fold, frozenset([str(other)]), negated)
    listed = (
        argument is left
        and isinstance(op, (ast.In, ast.NotIn))
        and isinstance(other, (list, tuple, set, frozenset, dict))
    )
    if listed and all(isinstance(v, (str, int)) for v in other):
        return Condition(argument.dest, argument.fold, frozenset(map(str, other)), negated)
    return UNKNOWN


def _conditional(run: Machine, node: ast.IfExp, frame: Frame) -> Value:
    known = truth(run.evaluate(node.test, frame))
    if known is None:
        run.uncertain += 1
        try:
            return join(run.evaluate(node.body, frame), run.evaluate(node.orelse, frame))
        finally:
            run.uncertain -= 1
    return run.evaluate(node.body if known else node.orelse, frame)


def _format(run: Machine, node: ast.JoinedStr, frame: Frame) -> Value:
    texts: list[str] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = run.settle(run.evaluate(part.value, frame))
            spec = "" if part.format_spec is None else run.evaluate(part.format_spec, frame)
            if not is_known(value) or not isinstance(spec, str) or WIDTH.search(spec):
                return UNKNOWN
            convert = CONVERSIONS.get(part.conversion)
            value = guarded(partial(format, value if convert is None else convert(value), spec))
        else:
            value = run.evaluate(part, frame)
        if not isinstance(value, str):
            return UNKNOWN
        texts.append(value)
    return short("".join(texts))


def _call(run: Machine, node: ast.Call, frame: Frame) -> Value:
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        from_frame = Arguments([frame], {})
        return run.call(External("builtins.super"), from_frame)
    return run.call(run.evaluate(node.func, frame), arguments_of(run, node, frame))


def arguments_of(run: Machine, node: ast.Call, frame: Frame) -> Arguments:
    """The arguments of a call, with * and ** spread as far as they are known."""
    placed: list[Value] = []
    named: dict[str, Value] = {}
    is_open = False
    for item in node.args:
        if isinstance(item, ast.Starred):
            values = iterate(run, run.evaluate(item.value, frame))
            is_open = is_open or values is None
            placed += values or []
        else:
            placed.append(run.evaluate(item, frame))
    for keyword in node.keywords:
        value = run.evaluate(keyword.value, frame)
        if keyword.arg is not None:
            named[keyword.arg] = value
        elif isinstance(value, dict):
            named.update({k: v for k, v in value.items() if isinstance(k, str)})
            is_open = is_open or not all(isinstance(k, str) for k in value)
        else:
            is_open = True
    found = Arguments(placed, named, is_open)
    found.path, found.line = frame.module.path, node.lineno
    return found


def iterate(run: Machine, value: Value) -> list[Value] | None:
    """The items of a value, or None where they are not known."""
    if isinstance(value, (list, tuple, set, frozenset, dict, str)):
        if isinstance(value, (set, frozenset)):
            return sorted(value, key=repr)[:MAX_ITEMS]
        return list(value)[:MAX_ITEMS]
    if isinstance(value, Class):
        members = run.attribute(value, "__members__")
        return list(members.values()) if isinstance(members, dict) else None
    return None


def assign_names(run: Machine, target: ast.expr, value: Value, frame: Frame) -> None:
    """Bind the names of a loop or comprehension target."""
    if isinstance(target, ast.Name):
        frame.names[target.id] = value
    elif isinstance(target, (ast.Tuple, ast.List)):
        items = iterate(run, value)
        for place, part in enumerate(target.elts):
            item = items[place] if items is not None and len(items) == len(target.elts) else UNKNOWN
            assign_names(run, part.value if isinstance(part, ast.Starred) else part, item, frame)


def _rows(run: Machine, generators: list[ast.comprehension], frame: Frame) -> Iterator[bool]:
    """Bind the names of a comprehension, row by row; False for a row that may or may not be there."""
    first, rest = generators[0], generators[1:]
    items = iterate(run, run.evaluate(first.iter, frame))
    certain = items is not None
    for item in [UNKNOWN] if items is None else items:
        assign_names(run, first.target, item, frame)
        tests = [truth(run.evaluate(test, frame)) for test in first.ifs]
        if False in tests:
            continue
        sure = certain and None not in tests
        if rest:
            for inner in _rows(run, rest, frame):
                yield inner and sure
        else:
            yield sure


def _comprehension(run: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: Frame) -> Value:
    inner = Frame(frame.module, {}, frame)
    values: list[Value] = []
    for sure in _rows(run, node.generators, inner):
        values.append(run.evaluate(node.elt, inner))
        if not sure:
            return UNKNOWN
    return to_set(values) if isinstance(node, ast.SetComp) else values


def _dict_comprehension(run: Machine, node: ast.DictComp, frame: Frame) -> Value:
    inner = Frame(frame.module, {}, frame)
    result: dict[Value, Value] = {}
    for sure in _rows(run, node.generators, inner):
        key, value = run.evaluate(node.key, inner), run.evaluate(node.value, inner)
        if not sure or not isinstance(key, CONSTANTS):
            return UNKNOWN
        result[key] = value
    return result


def function_of(run: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, frame: Frame) -> Function:
    """A function with the defaults of its parameters."""
    function = Function(node, frame)
    arguments = node.args
    places = [*arguments.posonlyargs, *arguments.args]
    for parameter, default in zip(reversed(places), reversed(arguments.defaults), strict=False):
        function.defaults[parameter.arg] = run.evaluate(default, frame)
    for parameter, given in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if given is not None:
            function.defaults[parameter.arg] = run.evaluate(given, frame)
    return function


HANDLERS: dict[type[ast.expr], Callable[[Machine, Any, Frame], Value]] = {
    ast.Constant: lambda run, node, frame: node.value,
    ast.Name: lambda run, node, frame: run.look_up(node.id, frame),
    ast.Attribute: lambda run, node, frame: run.attribute(run.evaluate(node.value, frame), node.attr),
    ast.List: lambda run, node, frame: _items(run, node.elts, frame),
    ast.Tuple: lambda run, node, frame: tuple(_items(run, node.elts, frame)),
    ast.Set: lambda run, node, frame: to_set(_items(run, node.elts, frame)),
    ast.Lambda: function_of,
    ast.Dict: _dict, ast.Subscript: _subscript, ast.BinOp: _binary, ast.UnaryOp: _unary,
    ast.BoolOp: _boolean, ast.Compare: _compare, ast.IfExp: _conditional, ast.JoinedStr: _format,
    ast.Call: _call, ast.ListComp: _comprehension, ast.SetComp: _comprehension, ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
}  # fmt: skip
