"""gin: options whose values bind parameters of functions, `name.parameter=value`."""

from collections.abc import Iterator

import msgspec

from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Class, Function, Method, Native, ParsedArgument, Value

ANY = "*"


class Configurable(Native):
    """A function or class whose parameters may be bound."""

    def __init__(self, run: Interpreter, name: str, target: Function | Class) -> None:
        self.name = name
        self.target = target
        run.made.append(self)

    def bindings(self) -> Iterator[str]:
        """`name.parameter` for each; `name.*` where it takes any."""
        function = self.target.find("__init__") if isinstance(self.target, Class) else self.target
        if not isinstance(function, Function):
            yield f"{self.name}.{ANY}"
            return
        spec = function.node.args
        names = [p.arg for p in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
        yield from (f"{self.name}.{name}" for name in names if name not in ("self", "cls"))
        if spec.kwarg is not None:
            yield f"{self.name}.{ANY}"


class Bindings(Native):
    """Options whose values are bindings."""

    def __init__(self, run: Interpreter, dest: str) -> None:
        self.dest = dest
        run.made.append(self)


def with_bindings(run: Interpreter, option: Option) -> Option:
    """An option with the bindings that its values may make."""
    if not any(isinstance(made, Bindings) and made.dest == option.dest for made in run.made):
        return option
    known = {name for made in run.made if isinstance(made, Configurable) for name in made.bindings()}
    return msgspec.structs.replace(option, bindings=tuple(sorted(known)))


def _configurable(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """@gin.configurable, with or without a name."""
    first = arguments.placed[0] if arguments.placed else None
    if isinstance(first, (Function, Class)):
        return _take(run, first, "")
    given = arguments.get(0, "name_or_fn", arguments.get(None, "name"))
    return Method(lambda inner: _take(run, inner.get(0, "f"), given if isinstance(given, str) else ""))


def _take(run: Interpreter, target: Value, name: str) -> Value:
    if isinstance(target, (Function, Class)):
        Configurable(run, name or target.name, target)
    return target


def _parse(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """gin.parse_config_files_and_bindings(files, bindings), gin.parse_config(bindings)."""
    given = arguments.get(0 if name.endswith("parse_config") else 1, "bindings")
    if isinstance(given, ParsedArgument):
        Bindings(run, given.dest)
    return UNKNOWN


FACTORIES: dict[str, Factory] = {
    "gin.configurable": _configurable,
    "gin.register": _configurable,
    "gin.config.configurable": _configurable,
    "gin.parse_config": _parse,
    "gin.parse_config_files_and_bindings": _parse,
}
