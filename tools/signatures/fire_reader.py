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
    External,
    Function,
    Instance,
    Native,
    ParsedArgument,
    Value,
)

MAX_DEPTH = 3


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
        more = isinstance(initialiser, Function) and _takes_more(initialiser)
        if isinstance(initialiser, Function):
            before = (*before, *self._options(initialiser, len(subcommand)))
        methods = {
            n: m for c in cls.mro() for n, m in c.names.items() if isinstance(m, Function) and not n.startswith("_")
        }
        found = [self._function(m, (*subcommand, n), before) for n, m in methods.items() if m.kind != "property"]
        found = found or [self._signature(before, subcommand, "", cls.node.lineno, chains=True)]
        elsewhere = _elsewhere(cls)
        unseen = (
            (Unseen(origin="library", name=elsewhere, path=cls.module.path, line=cls.node.lineno),) if elsewhere else ()
        )
        return [
            msgspec.structs.replace(s, accepts_unknown=s.accepts_unknown or more or bool(elsewhere), unseen=unseen)
            for s in found
        ]

    def _function(
        self, function: Function | Bound, subcommand: tuple[str, ...], before: tuple[Option, ...]
    ) -> Signature:
        plain = function.function if isinstance(function, Bound) else function
        options = (*before, *self._options(function, len(subcommand)))
        node = plain.original.node
        doc = "" if isinstance(node, ast.Lambda) else ast.get_docstring(node) or ""
        made = self._signature(options, subcommand, doc, node.lineno, chains=_returns(plain))
        return msgspec.structs.replace(made, accepts_unknown=_takes_more(plain))

    def _signature(
        self, options: tuple[Option, ...], subcommand: tuple[str, ...], doc: str, line: int, *, chains: bool
    ) -> Signature:
        return Signature(
            path=self.run.script, framework="fire", options=options, subcommand=subcommand, chains=chains,
            doc=" ".join(doc.split("\n\n")[0].split())[:500], line=line,
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


def _elsewhere(cls: Class) -> str:
    """What may give a class members that it does not define; "" where nothing does."""
    foreign = [name for name in cls.externals() if name.rpartition(".")[2] not in ("object", "ABC", "Protocol")]
    if foreign:
        return foreign[0]
    if any(not isinstance(base, (Class, External)) for c in cls.mro() for base in c.bases):
        return "a base of the class"
    named = any("__getattr__" in c.names or "__getattribute__" in c.names for c in cls.mro())
    return "__getattr__" if named else "a decorator" if cls.decorators or cls.node.keywords else ""


def _takes_more(function: Function) -> bool:
    """Whether a function takes keywords or words that it does not name, or what is around it may."""
    node = function.node
    if node.args.kwarg is not None or node.args.vararg is not None:
        return True
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return any(ast.unparse(d) not in ("staticmethod", "classmethod") for d in decorators)


def _returns(function: Function) -> bool:
    """Whether a function returns something that may have members."""
    if isinstance(function.node, ast.Lambda):
        return True
    return any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(function.node))


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
