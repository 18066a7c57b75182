"""click as the interpreter sees it: decorators that collect options, commands and groups."""

import ast

import msgspec

from ml_agent.tools.outline import first_paragraph
from ml_agent.tools.signatures.argparse_option import TYPE_NAMES, metavar_of, opens_to_write, typed
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import WRITTEN_FILE, Option, OptionType, Origin, Signature, Unseen
from ml_agent.tools.signatures.registries import find_commands
from ml_agent.tools.signatures.values import (
    UNKNOWN,
    Arguments,
    Class,
    External,
    Function,
    Instance,
    Method,
    Native,
    ParsedArgument,
    Value,
)
from ml_agent.tools.signatures.words import NO_CASE

# click's parameters as the interpreter sees them: options, arguments and their types.

TYPES: dict[str, OptionType] = {
    "INT": "int", "FLOAT": "float", "STRING": "str", "BOOL": "bool", "UUID": "str", "Path": "path", "File": "path",
    "IntRange": "int", "FloatRange": "float", "DateTime": "str", "IntParamType": "int", "FloatParamType": "float",
}  # fmt: skip


class Noted(Native):
    """What decorators of parameters note themselves on, beside functions."""

    notes: list[Value]


class ParameterNote(Native):
    """click.option(...) or click.argument(...): a decorator that notes itself on the function."""

    def __init__(self, run: Interpreter, positional: bool, arguments: Arguments) -> None:
        self.run = run
        self.positional = positional
        self.arguments = arguments
        self.sure = not arguments.open and not run.uncertain

    def call(self, arguments: Arguments) -> Value:
        """Decorate."""
        target = arguments.get(0, "f")
        if isinstance(target, (Function, Noted)):
            target.notes.append(self)
        return target

    def option(self) -> Option | None:
        """The option; None where its name is not known."""
        names = [n for n in self.arguments.placed if isinstance(n, str)]
        if not names:
            return None
        return self._argument(names[0]) if self.positional else self._option(names)

    def _argument(self, name: str) -> Option:
        count = self._count()
        required = self.arguments.get(None, "required")
        default, known = typed(self.arguments.get(None, "default"), self.run)
        nargs = None if count == 1 else ("+" if required is True else "*") if count == -1 else str(count)
        if required is None:
            required = default is None and count != -1
        kind, choices, converter = self._type(default)
        if nargs is None and not required:
            nargs = "?"
        return Option(
            dest=name.replace("-", "_").lower(), type=kind, choices=choices, default=default, nargs=nargs,
            required=required is True, sure=known and self.sure, converter=converter, metavar=self._metavar(),
            path=self.arguments.path, line=self.arguments.line,
        )  # fmt: skip

    def _option(self, names: list[str]) -> Option:
        flags, negative, explicit = _split(names)
        get = self.arguments.named.get
        default_value = get("default")
        switch = (
            bool(negative) or get("is_flag") is True or (get("flag_value") is not None and get("is_flag") is not False)
        )
        counted = get("count") is True
        default, known = typed(None if isinstance(default_value, Function) else default_value, self.run)
        kind, choices, converter = self._type(default_value)
        stored = typed(get("flag_value"), self.run)[0] or "True"
        count = self._count()
        if switch or counted:
            kind = "int" if counted else "bool" if stored in ("True", "False") else "str"
            default = default if default is not None else None if counted or stored != "True" else "False"
        return Option(
            dest=explicit or _dest(flags), flags=tuple(flags), negative_flags=tuple(negative), type=kind, choices=choices,
            default=default, nargs="0" if switch or counted else None if count == 1 else str(count),
            switch_value=stored if switch else None, required=get("required") is True and default is None,
            repeatable=get("multiple") is True or counted, help=plain_text(get("help")), converter=converter,
            sure=known and self.sure, path=self.arguments.path, line=self.arguments.line,
            ends=switch and get("is_eager") is True and get("callback") is not None, metavar=self._metavar(),
        )  # fmt: skip

    def _metavar(self) -> str:
        """What its help shows for a value: said with it, or the name of a type of the program's own."""
        given = self.arguments.get(None, "type")
        own = self.run.attribute(given, "name") if isinstance(given, (Class, Instance)) else ""
        return metavar_of(self.arguments.get(None, "metavar")) or metavar_of(own).upper()

    def _count(self) -> Value:
        """How many words it takes: as many as there are types where several are given."""
        given = self.arguments.get(None, "type")
        return self.arguments.get(None, "nargs", len(given) if isinstance(given, tuple) else 1)

    def _type(self, default: Value) -> tuple[OptionType, tuple[str, ...], str]:
        given = self.arguments.get(None, "type")
        if isinstance(given, Choice):
            return "str", given.choices, "" if given.case else NO_CASE
        if isinstance(given, ClickType):
            return TYPES.get(given.name, "unknown"), (), WRITTEN_FILE if given.writes else ""
        if isinstance(given, External):
            return TYPES.get(given.name.rpartition(".")[2]) or TYPE_NAMES.get(given.name, "unknown"), (), ""
        if (
            isinstance(given, tuple)
            and given
            and isinstance(given[0], External)
            and all(one == given[0] for one in given)
        ):
            return TYPE_NAMES.get(given[0].name, "unknown"), (), ""
        if given is not None:
            return "unknown", (), ""
        names: dict[type, OptionType] = {bool: "bool", int: "int", float: "float"}
        return names.get(type(default), "str"), (), ""


def version_arguments(given: Arguments) -> Arguments:
    """click.version_option(version, "-V", "--version") as the option that it adds."""
    flags = [flag for flag in given.placed[1:] if isinstance(flag, str) and flag.startswith("-")]
    made = Arguments(flags or ["--version"], {"is_flag": True, "is_eager": True, "callback": UNKNOWN})
    made.path, made.line = given.path, given.line
    return made


def _split(names: list[str]) -> tuple[list[str], list[str], str]:
    """(flags, flags that mean False, explicit name)."""
    flags: list[str] = []
    negative: list[str] = []
    explicit = ""
    for name in names:
        if name.isidentifier():
            explicit = name
            continue
        yes, slash, no = name.partition("/") if not name.startswith("/") else (name, "", "")
        flags.append(yes.strip())
        if slash and no.strip():
            negative.append(no.strip())
    return flags, negative, explicit


def _dest(flags: list[str]) -> str:
    """The first of the flags with the most dashes, as click does it."""
    if not flags:
        return ""
    best = max(flags, key=lambda f: len(f) - len(f.lstrip("-")))
    return best.lstrip("-").replace("-", "_").lower()


def plain_text(value: Value) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


class Choice(Native):
    """click.Choice([...])."""

    def __init__(self, run: Interpreter, arguments: Arguments) -> None:
        given = arguments.get(0, "choices")
        if isinstance(given, Class):
            members = run.attribute(given, "__members__")
            given = list(members) if isinstance(members, dict) else None
        items = list(given) if isinstance(given, (list, tuple, set, dict)) else []
        texts = [typed(item, run) for item in items]
        self.choices = tuple(t for t, _ in texts if t is not None) if all(known for _, known in texts) else ()
        self.case = arguments.get(1, "case_sensitive", True) is not False


class ClickType(Native):
    """click.Path(...), click.IntRange(...) and the like."""

    def __init__(self, name: str, arguments: Arguments) -> None:
        self.name = name
        self.writes = name == "File" and opens_to_write(arguments)


LIBRARIES = ("click", "rich_click", "asyncclick")


class Command(Noted):
    """A function that was made a command, or a group with commands in it."""

    def __init__(self, run: Interpreter, callback: Value, arguments: Arguments, *, group: bool = False) -> None:
        self.run = run
        self.callback = callback
        self.arguments = arguments
        self.group = group
        self.commands: dict[str, Command] = {}
        self.notes: list[Value] = []
        self.more: list[Unseen] = []
        """From where a group may have commands that are not seen here."""
        run.made.append(self)

    @property
    def name(self) -> str:
        """Under which a group knows it."""
        given = self.arguments.get(0, "name")
        if isinstance(given, str):
            return given
        name = self.callback.name if isinstance(self.callback, Function) else ""
        for ending in ("_command", "_cmd", "_group", "_grp"):
            name = name.removesuffix(ending)
        return name.lower().replace("_", "-")

    def options(self) -> list[Option]:
        """Its own options, in the order of the decorators from the top."""
        notes = [*(self.callback.notes if isinstance(self.callback, Function) else []), *self.notes]
        extra = self.arguments.get(None, "params")
        notes = [*(reversed(extra) if isinstance(extra, list) else []), *notes]
        made = [n.option() for n in reversed(notes) if isinstance(n, ParameterNote)]
        return [o for o in made if o is not None]

    def call(self, arguments: Arguments) -> Value:
        """Calling a command parses the command line; in a test or in code it may be given words."""
        words = arguments.get(0, "args")
        if isinstance(words, (list, tuple)):
            return UNKNOWN
        if self.group:
            find_commands(self.run)
        self.run.note_parsed(self, strict=True)
        if isinstance(self.callback, Function):
            names = {o.dest: ParsedArgument(o.dest) for o in self.options()}
            self.run.call(self.callback, Arguments([], dict(names)))
        return UNKNOWN

    do_main = call

    def attribute(self, name: str) -> Value:
        """Its methods."""
        if name in ("command", "group"):
            return Method(lambda arguments: self._inner(arguments, group=name == "group"))
        if name == "callback":
            return self.callback
        return super().attribute(name)

    def _inner(self, arguments: Arguments, *, group: bool) -> Value:
        def decorate(given: Arguments) -> Value:
            target = given.get(0, "f")
            made = Command(self.run, target, arguments, group=group)
            self.commands[made.name] = made
            return made

        if arguments.placed and isinstance(arguments.placed[0], Function):
            target, arguments = arguments.placed[0], Arguments([], {})
            return decorate(Arguments([target], {}))
        return Method(decorate)

    def do_add_command(self, arguments: Arguments) -> Value:
        """group.add_command."""
        command = arguments.get(0, "cmd")
        if isinstance(command, Command):
            name = arguments.get(1, "name")
            self.commands[name if isinstance(name, str) else command.name] = command
        else:
            self._note_more("registry", "commands that are added to it", arguments)
        return None

    def note_handed(self, name: str) -> None:
        """Foreign code was given this command: to a group it may add commands."""
        if self.group:
            self._note_more("library", name or "a function that is chosen when it runs", self.arguments)

    def _note_more(self, origin: Origin, name: str, place: Arguments) -> None:
        made = Unseen(origin=origin, name=name, path=place.path, line=place.line)
        if made not in self.more:
            self.more.append(made)

    def signatures(self, subcommand: tuple[str, ...] = (), before: tuple[Option, ...] = ()) -> list[Signature]:
        """This command's signature, or one for each command of a group."""
        level = len(subcommand)
        unseen = self._other_commands()
        options = before + tuple(msgspec.structs.replace(o, level=level) for o in self.options())
        self.run.budget.list_command(len(options))
        found: list[Signature] = []
        alone = not self.commands or self.arguments.get(None, "invoke_without_command") is True
        if alone or unseen:
            found.append(
                Signature(
                    path=self.run.script, framework="click", options=options, subcommand=subcommand, syntax="click", allow_abbrev=False,
                    doc=self._doc(), accepts_unknown=not alone or self._takes_all() or bool(self._find_own_options()), unseen=unseen,
                )
            )  # fmt: skip
        for name, command in self.commands.items():
            found += map(self._below, command.signatures((*subcommand, name), options))
        return found

    def _below(self, signature: Signature) -> Signature:
        """A subcommand's signature; options that are not listed may stand before its word."""
        is_open = bool(self._find_own_options() or self._settings().get("ignore_unknown_options"))
        return msgspec.structs.replace(signature, accepts_unknown=True) if is_open else signature

    def _other_commands(self) -> tuple[Unseen, ...]:
        """From where a group has commands that are not seen here: a class of the program's own may find some."""
        cls = self.arguments.get(None, "cls")
        if isinstance(cls, External) and self.group and cls.name.partition(".")[0] not in LIBRARIES:
            where = Unseen(origin="library", name=cls.name, path=self.arguments.path, line=self.arguments.line)
            return (*self.more, where)
        if not isinstance(cls, Class) or cls.find("get_command") is None:
            return (*self.more, *self._find_own_options())
        name = f"the commands that {cls.name} finds"
        return (Unseen(origin="registry", name=name, path=cls.module.path, line=cls.node.lineno),)

    def _find_own_options(self) -> tuple[Unseen, ...]:
        """Says that a class of the program's own may add options where it reads the words itself."""
        cls = self.arguments.get(None, "cls")
        if not isinstance(cls, Class) or not any(map(cls.find, ("parse_args", "get_params", "make_parser"))):
            return ()
        name = f"the options that {cls.name} adds"
        return (Unseen(origin="computed", name=name, path=cls.module.path, line=cls.node.lineno),)

    def _doc(self) -> str:
        given = plain_text(self.arguments.get(None, "help"))
        node = self.callback.original.node if isinstance(self.callback, Function) else None
        if given or node is None or isinstance(node, ast.Lambda):
            return given
        return first_paragraph(ast.get_docstring(node) or "")

    def _settings(self) -> dict[Value, Value]:
        settings = self.arguments.get(None, "context_settings")
        return settings if isinstance(settings, dict) else {}

    def _takes_all(self) -> bool:
        known = self._settings()
        return (self.group and not self.commands) or bool(
            known.get("ignore_unknown_options") or known.get("allow_extra_args")
        )


def _command(run: Interpreter, name: str, arguments: Arguments) -> Value:
    group = name.endswith(("group", "Group"))
    if arguments.placed and isinstance(arguments.placed[0], Function):
        return Command(run, arguments.placed[0], Arguments([], {}), group=group)
    return Method(lambda given: Command(run, given.get(0, "f"), arguments, group=group))


def _parameter(positional: bool) -> Factory:
    return lambda run, name, arguments: ParameterNote(run, positional, arguments)


def _class(run: Interpreter, name: str, arguments: Arguments) -> Value:
    return Command(run, arguments.get(None, "callback", UNKNOWN), arguments, group=name.endswith("Group"))


def _factories() -> dict[str, Factory]:
    made: dict[str, Factory] = {}
    for library in LIBRARIES:
        made |= {
            f"{library}.command": _command, f"{library}.group": _command, f"{library}.option": _parameter(False),
            f"{library}.argument": _parameter(True), f"{library}.Group": _class, f"{library}.Command": _class,
            f"{library}.version_option": lambda run, name, arguments: ParameterNote(run, False, version_arguments(arguments)),
            f"{library}.Choice": lambda run, name, arguments: Choice(run, arguments),
        }  # fmt: skip
        for kind in ("Path", "File", "IntRange", "FloatRange", "DateTime"):
            made[f"{library}.{kind}"] = lambda run, name, arguments: ClickType(name.rpartition(".")[2], arguments)
    return made


FACTORIES: dict[str, Factory] = _factories()
