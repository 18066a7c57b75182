"""typer as the interpreter sees it: applications, commands, and options in the parameters of functions."""

import ast

import msgspec

from ml_agent.tools.outline import first_paragraph
from ml_agent.tools.signatures.argparse_option import metavar_of, typed
from ml_agent.tools.signatures.fields import Field, parameters
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, Signature, Unseen
from ml_agent.tools.signatures.registries import find_commands
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Function, Method, Native, ParsedArgument, Value


class ParameterInfo(Native):
    """typer.Option(...) or typer.Argument(...)."""

    def __init__(self, positional: bool, arguments: Arguments) -> None:
        self.positional = positional
        self.arguments = arguments


class App(Native):
    """typer.Typer()."""

    def __init__(self, run: Interpreter, arguments: Arguments) -> None:
        self.run = run
        self.arguments = arguments
        self.commands: list[tuple[str, Function, bool]] = []
        """Name and function of each, and whether it takes words that it does not know."""
        self.groups: list[tuple[str, App]] = []
        self.foreign: list[tuple[str, Arguments]] = []
        """Groups whose commands are not seen here."""
        self.callback: Function | None = None
        run.made.append(self)

    def attribute(self, name: str) -> Value:
        """Its decorators."""
        if name == "command":
            return Method(self._decorator)
        if name == "callback":
            return Method(lambda arguments: Method(self._set_callback))
        return super().attribute(name)

    def _decorator(self, arguments: Arguments) -> Value:
        def decorate(given: Arguments) -> Value:
            function = given.get(0, "f")
            if isinstance(function, Function):
                name = arguments.get(0, "name")
                settings = arguments.get(None, "context_settings")
                takes_all = isinstance(settings, dict) and settings.get("ignore_unknown_options") is True
                self.commands.append((name if isinstance(name, str) else _command_name(function), function, takes_all))
            return function

        return Method(decorate)

    def _set_callback(self, given: Arguments) -> Value:
        function = given.get(0, "f")
        self.callback = function if isinstance(function, Function) else None
        return function

    def do_add_typer(self, arguments: Arguments) -> Value:
        """app.add_typer(other, name=...)."""
        other, name = arguments.get(0, "typer_instance"), arguments.get(None, "name")
        if isinstance(other, App):
            own = other.arguments.get(0, "name")
            self.groups.append((name if isinstance(name, str) else own if isinstance(own, str) else "", other))
        elif isinstance(name, str):
            self.foreign.append((name, arguments))
        return None

    def call(self, arguments: Arguments) -> Value:
        """Calling the application parses the command line."""
        find_commands(self.run)
        self.run.note_parsed(self, strict=True)
        for _, function, _ in self.commands[:1] if len(self.commands) == 1 else []:
            follow(self.run, function)
        return UNKNOWN

    def signatures(self, subcommand: tuple[str, ...] = (), before: tuple[Option, ...] = ()) -> list[Signature]:
        """One a command; a single command without a callback needs no name."""
        level = len(subcommand)
        own = options_of(self.run, self.callback, level) if self.callback is not None else []
        outer = (*before, *own)
        single = (
            len(self.commands) == 1
            and not self.groups
            and not self.foreign
            and self.callback is None
            and not subcommand
        )
        self.run.budget.list_command(len(outer) * (1 + len(self.commands)))
        found: list[Signature] = []
        for name, function, takes_all in self.commands:
            path = () if single else (*subcommand, name)
            options = (*outer, *options_of(self.run, function, len(path)))
            made = signature_of(self.run, function, options, path)
            found.append(msgspec.structs.replace(made, accepts_unknown=takes_all))
        for name, group in self.groups:
            found += group.signatures((*subcommand, name) if name else subcommand, outer)
        return found + [_foreign(self.run, (*subcommand, name), outer, place) for name, place in self.foreign]


def signature_of(
    run: Interpreter, function: Function, options: tuple[Option, ...], subcommand: tuple[str, ...]
) -> Signature:
    """The signature of one command."""
    node = function.original.node
    doc = ast.get_docstring(node) if not isinstance(node, ast.Lambda) else ""
    return Signature(
        path=run.script, framework="typer", options=options, subcommand=subcommand, syntax="click", allow_abbrev=False,
        doc=first_paragraph(doc or ""), line=node.lineno,
    )  # fmt: skip


def _foreign(run: Interpreter, path: tuple[str, ...], options: tuple[Option, ...], place: Arguments) -> Signature:
    """A group whose application is not the repository's: what it takes is open."""
    unseen = Unseen(origin="library", name=f"the commands of {path[-1]}", path=place.path, line=place.line)
    return Signature(
        path=run.script, framework="typer", options=options, subcommand=path, syntax="click", allow_abbrev=False,
        accepts_unknown=True, unseen=(unseen,),
    )  # fmt: skip


def _command_name(function: Function) -> str:
    return function.name.replace("_", "-").lower()


def options_of(run: Interpreter, function: Function, level: int) -> list[Option]:
    """The options of a function's parameters."""
    fields, _ = parameters(run, function)
    made = [_option(run, field) for field in fields if field.name not in ("ctx", "context") or not field.required]
    return [msgspec.structs.replace(o, level=level) for o in made]


def _option(run: Interpreter, field: Field) -> Option:
    info = next((n for n in (field.note, *field.kind.notes) if isinstance(n, ParameterInfo)), None)
    default, required = field.default, field.required
    if info is not None and field.note is info:
        default = info.arguments.get(0, "default", None)
        required = default is Ellipsis or (not info.arguments.placed and "default" not in info.arguments.named)
    if default is Ellipsis:
        default, required = None, True
    text, known = typed(default, run)
    named = info.arguments.named if info is not None else {}
    help_text = named.get("help")
    positional = info.positional if info is not None else required
    common = Option(
        dest=field.name, type=field.kind.type if field.kind.type != "unknown" else "str", choices=field.kind.choices,
        default=text, required=required and not (positional and field.kind.optional), path=field.path, line=field.line,
        help=" ".join(help_text.split()) if isinstance(help_text, str) else "", sure=known and field.kind.type != "unknown",
        metavar=metavar_of(named.get("metavar")), ends=named.get("is_eager") is True and named.get("callback") is not None,
    )  # fmt: skip
    if positional:
        nargs = field.kind.nargs or (None if common.required else "?")
        return msgspec.structs.replace(common, nargs=nargs)
    return _name_flags(common, field, info)


def _name_flags(option: Option, field: Field, info: ParameterInfo | None) -> Option:
    placed = info.arguments.placed if info is not None else []
    if info is not None and field.note is info:
        placed = placed[1:]
    given = [p for p in placed if isinstance(p, str)]
    long = "--" + field.name.replace("_", "-")
    flags = tuple(g.partition("/")[0] for g in given) or (long,)
    if option.type == "bool" and field.kind.nargs is None:
        negative = tuple(g.partition("/")[2] for g in given if "/" in g)
        if not given:
            negative = ("--no-" + field.name.replace("_", "-"),)
        return msgspec.structs.replace(option, flags=flags, negative_flags=negative, nargs="0", switch_value="True")
    several = field.kind.nargs == "*"
    nargs = field.kind.nargs if field.kind.nargs not in (None, "*") else None
    return msgspec.structs.replace(option, flags=flags, repeatable=several, nargs=nargs)


def follow(run: Interpreter, function: Function) -> None:
    """Go on into a command with the values of the command line."""
    fields, _ = parameters(run, function)
    run.call(function, Arguments([], {f.name: ParsedArgument(f.name) for f in fields}))


def _run(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """typer.run(function)."""
    function = arguments.get(0, "function")
    app = App(run, Arguments([], {}))
    if isinstance(function, Function):
        app.commands.append((_command_name(function), function, False))
    return app.call(Arguments([], {}))


def _as_command(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """typer.main.get_command(app): click's command, which parses like the application when it is called."""
    return arguments.get(0, "typer_instance")


FACTORIES: dict[str, Factory] = {
    "typer.Typer": lambda run, name, arguments: App(run, arguments),
    "typer.run": _run,
    "typer.main.get_command": _as_command,
    "typer.main.get_group": _as_command,
    "typer.Option": lambda run, name, arguments: ParameterInfo(False, arguments),
    "typer.Argument": lambda run, name, arguments: ParameterInfo(True, arguments),
}
