"""click's parameters as the interpreter sees them: options, arguments and their types."""

from ml_agent.tools.signatures.argparse_option import TYPE_NAMES, metavar_of, typed
from ml_agent.tools.signatures.interpreter import Interpreter
from ml_agent.tools.signatures.model import Option, OptionType
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Class, External, Function, Instance, Native, Value
from ml_agent.tools.signatures.words import NO_CASE

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
            return TYPES.get(given.name, "unknown"), (), ""
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

    def __init__(self, name: str) -> None:
        self.name = name
