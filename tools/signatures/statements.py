"""Statements of the abstract interpreter: both branches are followed where a condition is not known."""

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ml_agent.tools.signatures.branches import follow_way, merge_ways
from ml_agent.tools.signatures.control_flow import Condition, Flow, Machine, ProgramRaised
from ml_agent.tools.signatures.expressions import assign_names, function_of, iterate
from ml_agent.tools.signatures.operators import operate, set_item
from ml_agent.tools.signatures.values import (
    UNKNOWN,
    Arguments,
    Class,
    External,
    Frame,
    Function,
    Instance,
    Module,
    Native,
    Repeated,
    Value,
    join,
    truth,
)

MAX_ROUNDS = 1_000


def execute(run: Machine, body: Sequence[ast.stmt], frame: Frame) -> Flow:
    """Follow statements until one leaves the block."""
    for statement in body:
        run.budget.spend()
        handler = HANDLERS.get(type(statement))
        if handler is not None:
            flow = handler(run, statement, frame)
            if flow is not None and flow is not Flow.NORMAL:
                return flow
    return Flow.NORMAL


def _expression(run: Machine, node: ast.Expr, frame: Frame) -> None:
    if not isinstance(node.value, ast.Constant):
        run.evaluate(node.value, frame)


def _assign(run: Machine, node: ast.Assign, frame: Frame) -> None:
    value = run.evaluate(node.value, frame)
    for target in node.targets:
        assign(run, target, value, frame)


def _assign_annotated(run: Machine, node: ast.AnnAssign, frame: Frame) -> None:
    if node.value is not None:
        assign(run, node.target, run.evaluate(node.value, frame), frame)


def _assign_augmented(run: Machine, node: ast.AugAssign, frame: Frame) -> None:
    if isinstance(node.target, ast.Name):
        old = run.look_up(node.target.id, frame)
    elif isinstance(node.target, ast.Attribute):
        old = run.evaluate(node.target, frame)
    else:
        old = UNKNOWN
    assign(run, node.target, operate(node.op, old, run.evaluate(node.value, frame)), frame)


def assign(run: Machine, target: ast.expr, value: Value, frame: Frame) -> None:
    """Bind a value to a target."""
    if isinstance(target, ast.Name):
        names = frame.module.env if target.id in frame.globals else frame.names
        names[target.id] = value
    elif isinstance(target, (ast.Tuple, ast.List)):
        items = iterate(run, value)
        fits = items is not None and len(items) == len(target.elts)
        for place, part in enumerate(target.elts):
            item = items[place] if fits and items is not None else UNKNOWN
            assign(run, part.value if isinstance(part, ast.Starred) else part, item, frame)
    elif isinstance(target, ast.Attribute):
        run.place = (frame.module.path, target.lineno)
        set_attribute(run, run.evaluate(target.value, frame), target.attr, value)
    elif isinstance(target, ast.Subscript):
        run.place = (frame.module.path, target.lineno)
        _set_item(run, run.evaluate(target.value, frame), target, value, frame)


def set_attribute(run: Machine, owner: Value, name: str, value: Value) -> None:
    """owner.name = value."""
    names: dict[str, Value]
    if isinstance(owner, Instance):
        names = owner.attributes
    elif isinstance(owner, Class):
        names = owner.names
    elif isinstance(owner, Module):
        names = owner.env
    elif isinstance(owner, Native):
        owner.store(name, value)
        return
    else:
        if isinstance(owner, Function) and name == "__signature__":
            owner.original = owner
        return
    names[name] = join(names[name], value) if run.uncertain and name in names else value


def _set_item(run: Machine, owner: Value, target: ast.Subscript, value: Value, frame: Frame) -> None:
    key = UNKNOWN if isinstance(target.slice, ast.Slice) else run.evaluate(target.slice, frame)
    if isinstance(owner, dict):
        set_item(owner, key, value)
        if run.uncertain:
            owner[UNKNOWN] = UNKNOWN
    elif isinstance(owner, Native) and isinstance(key, str):
        owner.store(key, value)
    elif isinstance(owner, list):
        if isinstance(key, int) and -len(owner) <= key < len(owner):
            owner[key] = value if not run.uncertain else join(owner[key], value)
        else:
            owner.append(UNKNOWN)


def _function(run: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> None:
    value: Value = function_of(run, node, frame)
    for one in reversed(node.decorator_list):
        value = _decorate(run, run.evaluate(one, frame), value, (frame.module.path, one.lineno))
    frame.names[node.name] = value


def _decorate(run: Machine, decorator: Value, value: Value, place: tuple[str, int]) -> Value:
    if isinstance(decorator, External):
        kind = decorator.name.rpartition(".")[2]
        if kind in ("property", "cached_property", "staticmethod", "classmethod") and isinstance(value, Function):
            value.kind = "property" if "property" in kind else kind
            return value
    arguments = Arguments([value], {})
    arguments.path, arguments.line = place
    result = run.call(decorator, arguments)
    return value if result is UNKNOWN or result is None else result


def _class(run: Machine, node: ast.ClassDef, frame: Frame) -> None:
    made = Class(node, [run.evaluate(base, frame) for base in node.bases], frame)
    inner = Frame(frame.module, made.names, frame)
    inner.is_class = True
    run.execute(node.body, inner)
    for value in made.names.values():
        if isinstance(value, Function) and value.owner is None:
            value.owner = made
    made.decorators = [run.evaluate(d, frame) for d in node.decorator_list]
    value = made
    for decorator in reversed(made.decorators):
        value = _decorate(run, decorator, value, (frame.module.path, node.lineno))
    frame.names[node.name] = value


def _if(run: Machine, node: ast.If, frame: Frame) -> Flow:
    test = run.evaluate(node.test, frame)
    if not run.beyond:
        test = run.settle(test)
    known = truth(test)
    if known is not None:
        return run.execute(node.body if known else node.orelse, frame)
    condition = test if isinstance(test, Condition) else None
    place = f"{frame.module.path}:{node.lineno}"
    before = dict(frame.names)
    first = follow_way(run, frame, lambda: run.execute(node.body, frame), condition, place)
    after = dict(frame.names)
    frame.names.clear()
    frame.names.update(before)
    opposite = None if condition is None else condition.opposite()
    second = follow_way(run, frame, lambda: run.execute(node.orelse, frame), opposite, place)
    if first.flow is Flow.NORMAL and second.flow is Flow.NORMAL:
        for name in after.keys() | frame.names.keys():
            frame.names[name] = join(after.get(name, UNKNOWN), frame.names.get(name, UNKNOWN))
    elif first.flow is Flow.NORMAL:
        frame.names.clear()
        frame.names.update(after)
    return merge_ways(run, frame, (first, second))


def _for(run: Machine, node: ast.For | ast.AsyncFor, frame: Frame) -> Flow:
    value = run.evaluate(node.iter, frame)
    items = [UNKNOWN] if isinstance(value, Repeated) else iterate(run, value)
    if items is None:
        return _uncertain_loop(run, node.body, frame, node.target)
    uncertain, returned = run.uncertain, len(frame.returned)
    for item in items[:MAX_ROUNDS]:
        assign(run, node.target, item, frame)
        flow = run.execute(node.body, frame)
        if flow is Flow.RETURN:
            return flow
        if flow is Flow.BREAK:
            return Flow.NORMAL
    if len(frame.returned) == returned:
        run.uncertain = uncertain
    return run.execute(node.orelse, frame)


def _uncertain_loop(run: Machine, body: Sequence[ast.stmt], frame: Frame, target: ast.expr | None = None) -> Flow:
    before = dict(frame.names)
    if target is not None:
        assign_names(run, target, UNKNOWN, frame)
    way = follow_way(run, frame, lambda: run.execute(body, frame))
    if way.returned or way.flow is Flow.RETURN:
        frame.returned.append({})
        run.uncertain += 1
    for name in frame.names:
        frame.names[name] = join(before.get(name, UNKNOWN), frame.names[name])
    return Flow.NORMAL


def _while(run: Machine, node: ast.While, frame: Frame) -> Flow:
    if truth(run.evaluate(node.test, frame)) is False:
        return run.execute(node.orelse, frame)
    return _uncertain_loop(run, node.body, frame)


def _with(run: Machine, node: ast.With | ast.AsyncWith, frame: Frame) -> Flow:
    for item in node.items:
        value = run.evaluate(item.context_expr, frame)
        if item.optional_vars is not None:
            assign(run, item.optional_vars, value if isinstance(value, Native) else UNKNOWN, frame)
    return run.execute(node.body, frame)


def _try(run: Machine, node: ast.Try, frame: Frame) -> Flow:
    uncertain = run.uncertain
    caught = bool(node.handlers)
    run.muted += caught
    try:
        flow = run.execute(node.body, frame)
        if flow is Flow.NORMAL:
            flow = run.execute(node.orelse, frame)
    except ProgramRaised:
        run.uncertain = uncertain
        if not node.handlers:
            run.execute(node.finalbody, frame)
            raise
        flow = run.execute(node.handlers[0].body, frame)
    finally:
        run.muted -= caught
    last = run.execute(node.finalbody, frame)
    return flow if last is Flow.NORMAL else last


def _return(run: Machine, node: ast.Return, frame: Frame) -> Flow:
    frame.returns.append(None if node.value is None else run.evaluate(node.value, frame))
    return Flow.RETURN


def _raise(run: Machine, node: ast.Raise, frame: Frame) -> Flow:
    if node.exc is not None:
        run.evaluate(node.exc, frame)  # `raise SystemExit(main())` is a way to start a program
    raise ProgramRaised


def _assert(run: Machine, node: ast.Assert, frame: Frame) -> None:
    test = run.evaluate(node.test, frame)
    if isinstance(test, Condition) and not test.negated:
        run.accept(test, f"{frame.module.path}:{node.lineno}")


def _import(run: Machine, node: ast.Import, frame: Frame) -> None:
    for alias in node.names:
        value = run.import_module(alias.name, 0, frame.module)
        if alias.asname is not None:
            frame.names[alias.asname] = value
            continue
        top = alias.name.partition(".")[0]
        first = run.import_module(top, 0, frame.module) if top != alias.name else value
        frame.names[top] = first


def _import_from(run: Machine, node: ast.ImportFrom, frame: Frame) -> None:
    module = run.import_module(node.module or "", node.level, frame.module)
    for alias in node.names:
        if alias.name == "*":
            _import_star(run, module, frame)
        else:
            frame.names[alias.asname or alias.name] = run.member(module, alias.name, frame.module)


def _import_star(run: Machine, module: Value, frame: Frame) -> None:
    if not isinstance(module, Module):
        frame.module.opaque = True
    elif module is not frame.module:
        frame.module.stars.append(module)


def _match(run: Machine, node: ast.Match, frame: Frame) -> Flow:
    run.evaluate(node.subject, frame)
    for case in node.cases:
        follow_way(run, frame, partial(run.execute, case.body, frame))
    return Flow.NORMAL


HANDLERS: dict[type[ast.stmt], Callable[[Machine, Any, Frame], Flow | None]] = {
    ast.Expr: _expression, ast.Assign: _assign, ast.AnnAssign: _assign_annotated, ast.AugAssign: _assign_augmented,
    ast.FunctionDef: _function, ast.AsyncFunctionDef: _function, ast.ClassDef: _class, ast.If: _if, ast.For: _for,
    ast.AsyncFor: _for, ast.While: _while, ast.With: _with, ast.AsyncWith: _with, ast.Try: _try, ast.Return: _return,
    ast.Raise: _raise, ast.Assert: _assert, ast.Global: lambda run, node, frame: frame.globals.update(node.names), ast.Import: _import, ast.ImportFrom: _import_from,
    ast.Match: _match, ast.Break: lambda *_: Flow.BREAK, ast.Continue: lambda *_: Flow.CONTINUE,
}  # fmt: skip
