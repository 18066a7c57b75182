"""fire: functions, classes and dictionaries as commands."""

import ast

import msgspec

from ml_agent.tools.signatures.fields import dashed, option_of, parameters
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, Signature, Unseen
from ml_agent.tools.signatures.values import (
    UNKNOWN,
    Arguments,
    Bound,
    Class,
    Function,
    Instance,
    Native,
    ParsedArgument,
    Value,
)

MAX_DEPTH = 3
_BY_PLACE = Unseen(origin="computed", name="fire takes parameters by place, too, and members of what is returned")


class Fire(Native):
    """fire.Fire(component)."""

    def __init__(self, run: Interpreter, component: Value) -> None:
        self.run = run
        self.component = component
        run.made.append(self)

    def signatures(self) -> list[Signature]:
        """One for a function, one a member for everything that has members."""
        found = self._of(self.component, (), ())
        return found or [Signature(path=self.run.script, framework="fire", accepts_unknown=True)]

    def _of(self, value: Value, subcommand: tuple[str, ...], before: tuple[Option, ...]) -> list[Signature]:
        if len(subcommand) > MAX_DEPTH:
            return []
        if isinstance(value, (Function, Bound)):
            return [self._function(value, subcommand, before)]
        if isinstance(value, Class):
            return self._class(value, subcommand, before)
        members = value if isinstance(value, dict) else None
        if isinstance(value, Instance):
            names = [
                n
                for c in value.cls.mro()
                for n, m in c.names.items()
                if isinstance(m, Function) and not n.startswith("_")
            ]
            members = {n: self.run.attribute(value, n) for n in names}
        if members is None:
            return []
        return [s for k, v in members.items() if isinstance(k, str) for s in self._of(v, (*subcommand, k), before)]

    def _class(self, cls: Class, subcommand: tuple[str, ...], before: tuple[Option, ...]) -> list[Signature]:
        """The constructor's options stand before the method's name or behind it."""
        initialiser = cls.find("__init__")
        if isinstance(initialiser, Function):
            before = (*before, *self._options(initialiser, len(subcommand)))
        methods = {
            n: m for c in cls.mro() for n, m in c.names.items() if isinstance(m, Function) and not n.startswith("_")
        }
        found = [self._function(m, (*subcommand, n), before) for n, m in methods.items() if m.kind != "property"]
        return found or [self._signature(before, subcommand, "", cls.node.lineno)]

    def _function(
        self, function: Function | Bound, subcommand: tuple[str, ...], before: tuple[Option, ...]
    ) -> Signature:
        plain = function.function if isinstance(function, Bound) else function
        options = (*before, *self._options(function, len(subcommand)))
        node = plain.original.node
        doc = "" if isinstance(node, ast.Lambda) else ast.get_docstring(node) or ""
        return self._signature(options, subcommand, doc, node.lineno)

    def _signature(self, options: tuple[Option, ...], subcommand: tuple[str, ...], doc: str, line: int) -> Signature:
        return Signature(
            path=self.run.script, framework="fire", options=options, subcommand=subcommand, accepts_unknown=True,
            unseen=(_BY_PLACE,), doc=" ".join(doc.split("\n\n")[0].split())[:500], line=line,
        )  # fmt: skip

    def _options(self, function: Function | Bound, level: int) -> list[Option]:
        found: list[Option] = []
        for field in parameters(self.run, function)[0]:
            made = option_of(self.run, field, field.name, dashed(field.name))
            if made.type == "bool":
                made = msgspec.structs.replace(
                    made, nargs="?", switch_value="True", negative_flags=(f"--no{field.name}",)
                )
            elif made.nargs is not None:
                made = msgspec.structs.replace(made, nargs=None, type="json")
            found.append(msgspec.structs.replace(made, level=level, sure=False, converter=made.converter or "literal"))
        return found


def _fire(run: Interpreter, name: str, arguments: Arguments) -> Value:
    component = arguments.get(0, "component")
    if component is None and not arguments.placed:
        env = run.modules[run.script].env
        component = {n: v for n, v in env.items() if isinstance(v, (Function, Class)) and not n.startswith("_")}
    made = Fire(run, component)
    run.note_parsed(made, strict=True)
    if isinstance(component, Function):
        fields, _ = parameters(run, component)
        run.call(component, Arguments([], {f.name: ParsedArgument(f.name) for f in fields}))
    return UNKNOWN


FACTORIES: dict[str, Factory] = {"fire.Fire": _fire}
