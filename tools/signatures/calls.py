"""Calls and attributes of the abstract interpreter."""

import ast
from collections.abc import Sequence
from pathlib import PurePath
from types import FunctionType
from typing import Any

from ml_agent.tools.signatures.branches import follow_function
from ml_agent.tools.signatures.control_flow import Machine, ProgramRaised, TooLong
from ml_agent.tools.signatures.library import call_external
from ml_agent.tools.signatures.methods import METHODS, call_method
from ml_agent.tools.signatures.values import (
    CONSTANTS,
    UNKNOWN,
    Arguments,
    Bound,
    Class,
    External,
    Frame,
    Function,
    Instance,
    Method,
    Module,
    Native,
    ParsedArgument,
    Super,
    Unknown,
    Value,
    join,
)

MAX_DEPTH = 24
MAX_AGAIN = 3
"""How often a function may be entered while it is being followed already: groups of options hold groups."""
MIN_CALL_STEPS = 300
FOLDS = {"lower": "lower", "upper": "upper", "casefold": "lower"}


def call(run: Machine, function: Value, arguments: Arguments) -> Value:
    """What calling a value gives; functions of the repository are followed."""
    if isinstance(function, Function):
        return call_function(run, function, arguments)
    if isinstance(function, Bound):
        placed = [function.self_value, *arguments.placed]
        moved = Arguments(placed, arguments.named, arguments.open)
        moved.path, moved.line = arguments.path, arguments.line
        return call_function(run, function.function, moved)
    if isinstance(function, Class):
        return make_instance(run, function, arguments)
    if isinstance(function, Method):
        return function.function(arguments)
    if isinstance(function, Native):
        return function.call(arguments)
    if isinstance(function, FunctionType):  # a package that adds a framework gave it
        return function(arguments)
    if isinstance(function, External):
        return _call_external(run, function.name, arguments)
    if isinstance(function, Instance):
        method = run.attribute(function, "__call__")
        return UNKNOWN if method is UNKNOWN else run.call(method, arguments)
    return run.hand_over("", arguments)


def _call_external(run: Machine, name: str, arguments: Arguments) -> Value:
    if name == "builtins.super":
        return _super(arguments)
    if name.startswith("functools."):
        made = call_functools(run, name.removeprefix("functools."), arguments)
        return run.hand_over(name, arguments) if made is UNKNOWN else made
    if name in ("sys.exit", "builtins.exit", "builtins.quit", "os._exit"):
        raise ProgramRaised
    made = run.make_native(name, arguments)
    if made is not None:
        return made
    result = call_external(run, name, arguments)
    return run.hand_over(name, arguments) if isinstance(result, Unknown) else result


def _super(arguments: Arguments) -> Value:
    frame: Frame | None = arguments.placed[0]
    while frame is not None and frame.owner is None:
        frame = frame.outer
    if frame is None or frame.owner is None:
        return UNKNOWN
    return Super(frame.owner, frame.self_value)


def call_function(run: Machine, function: Function, arguments: Arguments) -> Value:
    """Follow the body of a function; the value is known where all its returns agree."""
    again = run.active.count(function.node)
    if run.depth >= MAX_DEPTH or again >= MAX_AGAIN or (again and not _tells(arguments)):
        return UNKNOWN
    run.budget.spend()
    frame = Frame(function.module, {}, function.frame)
    bind(function, arguments, frame)
    frame.owner = function.owner
    if function.owner is not None and arguments.placed:
        frame.self_value = arguments.placed[0]
    if isinstance(function.node, ast.Lambda):
        return run.evaluate(function.node.body, frame)
    if isinstance(function.node, ast.AsyncFunctionDef) or _yields(function.node):
        return UNKNOWN
    run.active.append(function.node)
    try:
        _follow_body(run, function.node.body, frame)
    finally:
        run.active.remove(function.node)
    return _result(function, frame)


def _tells(arguments: Arguments) -> bool:
    """Whether arguments hold anything but numbers and what is not known: else entering a function once more shows nothing new."""
    return any(value is not UNKNOWN and not isinstance(value, int | float | None) for value in arguments.all())


def _follow_body(run: Machine, body: Sequence[ast.stmt], frame: Frame) -> None:
    """Follow the statements of a function, within what a single call may take."""
    floor = run.budget.floor
    if run.call_steps:
        run.budget.floor = max(floor, run.budget.steps - max(run.call_steps >> run.depth, MIN_CALL_STEPS))
    run.depth += 1
    try:
        follow_function(run, frame, lambda: run.execute(body, frame))
    except TooLong:
        if run.budget.steps < floor:
            raise
        frame.returns.append(UNKNOWN)
    finally:
        run.budget.floor = floor
        run.depth -= 1


def _result(function: Function, frame: Frame) -> Value:
    if not frame.returns:
        return None
    result = frame.returns[0]
    for other in frame.returns[1:]:
        result = join(result, other)
    return result


def _yields(node: Any) -> bool:
    known = getattr(node, "_yields", None)
    if known is None:
        known = node._yields = any(isinstance(n, (ast.Yield, ast.YieldFrom)) for s in node.body for n in _own(s))
    return bool(known)


def _own(node: ast.AST) -> list[ast.AST]:
    """A statement's nodes, without those of functions inside it."""
    found: list[ast.AST] = []
    todo = [node]
    while todo:
        current = todo.pop()
        found.append(current)
        if not isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo += ast.iter_child_nodes(current)
    return found


def bind(function: Function, arguments: Arguments, frame: Frame) -> None:
    """Give a function's parameters their values."""
    spec = function.node.args
    names = [p.arg for p in (*spec.posonlyargs, *spec.args)]
    placed = list(arguments.placed)
    for parameter in (*names, *(p.arg for p in spec.kwonlyargs)):
        frame.names[parameter] = UNKNOWN if arguments.open else function.defaults.get(parameter, UNKNOWN)
    for name, value in zip(names, placed, strict=False):
        frame.names[name] = value
    rest: dict[str, Value] = {}
    for name, value in arguments.named.items():
        (frame.names if name in frame.names else rest)[name] = value
    if spec.vararg is not None:
        frame.names[spec.vararg.arg] = UNKNOWN if arguments.open else tuple(placed[len(names) :])
    if spec.kwarg is not None:
        frame.names[spec.kwarg.arg] = UNKNOWN if arguments.open else rest


def make_instance(run: Machine, cls: Class, arguments: Arguments) -> Value:
    """An object of a class of the repository, with its __init__ followed."""
    if any(name.endswith(("Enum", "enum.Flag")) for name in cls.externals()):
        return UNKNOWN
    instance = Instance(cls)
    initialiser = cls.find("__init__")
    if isinstance(initialiser, Function):
        run.call(Bound(initialiser, instance), arguments)
    else:
        attach_native(run, instance, cls, arguments)
    return instance


def attach_native(run: Machine, instance: Instance, cls: Class, arguments: Arguments) -> None:
    """Where the class derives from a class of a known library, make that part of it."""
    for name in cls.externals():
        made = run.make_native(name, arguments)
        if isinstance(made, Native):
            instance.native = made
            return


def attribute(run: Machine, value: Value, name: str) -> Value:
    """What `value.name` gives."""
    if isinstance(value, Module):
        return _module_attribute(run, value, name)
    if isinstance(value, External):
        return run.external_attribute(value, name)
    if isinstance(value, Instance):
        return _instance_attribute(run, value, name)
    if isinstance(value, Class):
        return _class_attribute(run, value, name)
    if isinstance(value, Super):
        return _super_attribute(run, value, name)
    if isinstance(value, Native):
        return value.attribute(name)
    if isinstance(value, ParsedArgument):
        fold = FOLDS.get(name)
        if fold is not None:
            return Method(lambda _: ParsedArgument(value.dest, fold, value.value))
        known = run.settle(value) if name in METHODS and not run.beyond else value
        return call_method(run, known, name) if isinstance(known, str) else UNKNOWN
    if isinstance(value, (*CONSTANTS, list, dict, tuple, set, PurePath)) and (
        name in METHODS or isinstance(value, PurePath)
    ):
        return call_method(run, value, name)
    if isinstance(value, (Function, Bound)) and name in ("__name__", "__qualname__"):
        return value.name if isinstance(value, Function) else value.function.name
    return UNKNOWN


def _module_attribute(run: Machine, module: Module, name: str) -> Value:
    run.run_module(module)
    if name == "__dict__":
        return UNKNOWN if module.opaque or module.stars else module.env
    return run.module_name(module, name)


def _bind_member(run: Machine, member: Value, owner: Value) -> Value:
    if not isinstance(member, Function):
        return run.force(member)
    if member.kind == "property":
        return run.call(member, Arguments([owner], {}))
    if member.kind == "staticmethod":
        return member
    if member.kind == "classmethod":
        return Bound(member, owner.cls if isinstance(owner, Instance) else owner)
    return Bound(member, owner)


def _instance_attribute(run: Machine, value: Instance, name: str) -> Value:
    if name in value.attributes:
        return value.attributes[name]
    if name == "__dict__":
        return value.attributes
    if name == "__class__":
        return value.cls
    member = value.cls.find(name)
    if member is not None:
        return _bind_member(run, member, value)
    return UNKNOWN if value.native is None else value.native.attribute(name)


def _class_attribute(run: Machine, value: Class, name: str) -> Value:
    member = value.find(name)
    if name == "__name__":
        return value.name
    if name == "__doc__":
        return ast.get_docstring(value.node)
    if any(base.endswith("Enum") for base in value.externals()):
        return _enum_attribute(value, name, member)
    if member is None:
        return UNKNOWN
    if isinstance(member, Function) and member.kind == "classmethod":
        return Bound(member, value)
    return run.force(member)


def _enum_attribute(cls: Class, name: str, member: Value) -> Value:
    if name != "__members__":
        return UNKNOWN if member is None else _enum_member(cls, name, member)
    names = [n for n, v in cls.names.items() if not n.startswith("_") and not isinstance(v, Function)]
    return {n: _enum_member(cls, n, cls.names[n]) for n in names}


def _enum_member(cls: Class, name: str, value: Value) -> Value:
    if isinstance(value, Function):
        return value
    known = vars(cls).setdefault("members", {})
    if name not in known:
        known[name] = member = Instance(cls)
        member.attributes = {"name": name, "value": value}
    return known[name]


def _super_attribute(run: Machine, value: Super, name: str) -> Value:
    instance = value.self_value
    order = instance.cls.mro() if isinstance(instance, Instance) else value.after.mro()
    after = order[order.index(value.after) + 1 :] if value.after in order else value.after.mro()[1:]
    for cls in after:
        if name in cls.names:
            return _bind_member(run, cls.names[name], instance)
    if not isinstance(instance, Instance):
        return UNKNOWN
    if name == "__init__":
        return Method(lambda arguments: attach_native(run, instance, value.after, arguments))
    return UNKNOWN if instance.native is None else instance.native.attribute(name)


# What functools makes of functions: those with some arguments given already, and those that pass for another.


class Partial(Native):
    """functools.partial."""

    def __init__(self, run: Machine, function: Value, arguments: Arguments) -> None:
        self.run = run
        self.function = function
        self.arguments = arguments

    def call(self, arguments: Arguments) -> Value:
        """Call the function with both sets of arguments."""
        first = self.arguments
        placed, named = [*first.placed, *arguments.placed], {**first.named, **arguments.named}
        both = Arguments(placed, named, first.open or arguments.open)
        both.path, both.line = arguments.path, arguments.line
        return self.run.call(self.function, both)


def call_functools(run: Machine, name: str, arguments: Arguments) -> Value:
    """What a function of functools gives; UNKNOWN for those that are not modelled."""
    if name == "partial" and arguments.placed:
        return Partial(run, arguments.placed[0], Arguments(arguments.placed[1:], arguments.named, arguments.open))
    if name == "wraps":
        wrapped = arguments.get(0, "wrapped")
        return Method(lambda given: _pass_for(given.get(0, "wrapper", UNKNOWN), wrapped))
    if name == "update_wrapper":
        return _pass_for(arguments.get(0, "wrapper", UNKNOWN), arguments.get(1, "wrapped"))
    return UNKNOWN


def _pass_for(wrapper: Value, wrapped: Value) -> Value:
    """Give a function the name of another, what decorators attached to that one, and its parameters for who asks."""
    original = wrapped.function if isinstance(wrapped, Bound) else wrapped
    if isinstance(wrapper, Function) and isinstance(original, Function) and wrapper is not original:
        wrapper.name = original.name
        wrapper.notes = original.notes or wrapper.notes
        wrapper.original = original.original
    return wrapper
