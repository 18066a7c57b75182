"""For packages that add a framework: how a library's calls become options. docs/extending.md has worked examples."""

import ast
from collections.abc import Callable
from typing import Literal, Self, TypeVar

import msgspec
from msgspec import structs

from ml_agent.tools.outline import first_paragraph
from ml_agent.tools.signatures.argparse_option import TYPE_NAMES
from ml_agent.tools.signatures.argparse_reader import Parser
from ml_agent.tools.signatures.fields import Field, fields_of, foreign_bases, option_of
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, OptionType, Origin, Signature, Unseen
from ml_agent.tools.signatures.registries import find_commands
from ml_agent.tools.signatures.values import (
    UNKNOWN,
    Arguments,
    Bound,
    Class,
    External,
    Function,
    Instance,
    Method,
    Native,
    ParsedArgument,
    Value,
    is_known,
)

__all__ = [
    "UNKNOWN", "Arguments", "Class", "CommandLine", "External", "Function", "Instance", "Value", "option", "option_function",
    "replace",
]  # fmt: skip

_TYPES: dict[type, OptionType] = {bool: "bool", int: "int", float: "float"}
_Made = TypeVar("_Made", bound=Option | None)
ByPlace = Literal["required", "all", "both", "none"]


def option(
    name: Value,
    default: Value = None,
    *,
    type: Value = None,
    choices: Value = (),
    switch: Value = False,
    help: Value = "",
) -> Option | None:
    """An option with this name, or a positional argument if the name has no dash; None if the name is computed.

    Every argument may be UNKNOWN, as it comes from the script; then the option is listed without that part. Without a
    type it is that of the default. `replace(option, …)` sets any other field of `Option`.
    """
    if not isinstance(name, str) or not name.strip("-"):
        return None
    flags = (name,) if name.startswith("-") else ()
    choices = () if choices is None else choices
    known = isinstance(choices, (list, tuple)) and is_known(choices)
    return Option(
        dest=name.lstrip("-").replace("-", "_"),
        flags=flags,
        type=_type_of(default, type),
        default=None if default is None or not is_known(default) else str(default),
        choices=tuple(map(str, choices)) if known else (),
        choices_unread=not known,
        nargs="0" if switch is True else None,
        required=not flags and default is None,
        help=help if isinstance(help, str) else "",
    )


def _type_of(default: Value, given: Value) -> OptionType:
    if given is not None:
        return TYPE_NAMES.get(given.name, "unknown") if isinstance(given, External) else "unknown"
    return _TYPES.get(type(default), "unknown" if default is UNKNOWN else "str")


def replace(option: _Made, **fields: Value) -> _Made:
    """An option with other fields, which may be values of the script; None, whose name is computed, stays None.

    What is None or UNKNOWN stays as it is; only `default` and `nargs` can be None.
    """
    if option is None:
        return option
    given = {
        name: _part(name, value)
        for name, value in fields.items()
        if value is not UNKNOWN and (value is not None or name in ("default", "nargs"))
    }
    if fields.get("choices") is UNKNOWN or UNKNOWN in given.get("choices", ()):
        given |= {"choices": (), "choices_unread": True}
    if fields.get("flags") is UNKNOWN:
        given["flags"] = (UNKNOWN,)
    return structs.replace(option, **given)


def _part(name: str, value: Value) -> Value:
    """A field as an option has it: flags and choices may come as a text or a list, a type as a class."""
    if name in ("flags", "negative_flags", "choices"):
        parts = (value,) if isinstance(value, str) or not isinstance(value, (list, tuple)) else tuple(value)
        return tuple(part if part is UNKNOWN or name != "choices" else str(part) for part in parts)
    if name == "type" and not isinstance(value, str):
        return _type_of(None, value)
    return value if name != "default" or value is None else str(value)


def _checked(option: Option) -> Option:
    """An option whose fields are of their types; else an error in whatever set them."""
    return msgspec.convert({name: getattr(option, name) for name in Option.__struct_fields__}, Option)


class Parameter(Option, frozen=True, kw_only=True, gc=True):
    """A parameter of a function as an option."""

    notes: tuple[Value, ...] = ()
    """What `Annotated` holds besides the type, an annotation that is no type, and a default that is a call."""
    names: tuple[str, ...] = ()
    """Of the members, where its type is an enumeration; `choices` are their values."""


class CommandLine(Native):
    """The options of a script, as they are declared one after the other.

    Subclass it for a library with an object: a method `do_NAME` models `.NAME(…)`, `do___call__` a call of the object.
    """

    framework = ""
    """The name that `explain` shows; without one the first part of the name that the script called."""
    allow_abbrev = False
    """Whether the library accepts shortened names of long options."""

    def __init__(self, interpreter: Interpreter, name: str = "", call: Arguments | None = None) -> None:
        self.run = interpreter
        self.framework = self.framework or name.partition(".")[0]
        self.arguments = call or Arguments([], {})
        """How it was made."""
        self.options: dict[tuple[str, ...], Option] = {}
        self.commands: dict[str, CommandLine] = {}
        self.unseen: list[Unseen] = []
        self.doc = ""
        interpreter.made.append(self)

    @classmethod
    def of(cls, interpreter: Interpreter, name: str = "", call: Arguments | None = None) -> Self:
        """The one command line of a script, for a library whose functions all add to it; made by the first that asks."""
        return next((one for one in interpreter.made if type(one) is cls), None) or cls(interpreter, name, call)

    def declare(self, option: Option | None, call: Arguments | None = None) -> None:
        """One more option, at the place of the call; None says that there is one whose name is not known."""
        path, line = (call.path, call.line) if call is not None else ("", 0)
        if option is None or not all(isinstance(flag, str) for flag in (*option.flags, *option.negative_flags)):
            self.note_unseen("computed", "an option whose name is computed", path, line)
        elif self.run.options_left > 0:
            self.run.options_left -= 1
            made = _checked(option)
            self.options[made.flags or (made.dest,)] = structs.replace(
                made, path=made.path or path, line=made.line or line
            )

    def parameters(self, function: Value, by_place: ByPlace = "required") -> list[Parameter]:
        """What a function takes, or a class (its fields, or its constructor), as options: as annotations, defaults and docstring say.

        A default False makes a switch.

        by_place: which parameters are positional arguments, of those that Python takes by place and by name; both: all may
        be given either way. Where there are others (`**kwargs`, a function that is not known), unknown options are no errors.
        """
        if not isinstance(function, (Function, Bound, Class)):
            self.note_unseen("computed", "the parameters of a function that is not known")
            return []
        fields, more = fields_of(self.run, function, rest=True)
        plain = function.function if isinstance(function, Bound) else function
        node = plain.node if isinstance(plain, Class) else plain.original.node
        self.doc = self.doc or first_paragraph("" if isinstance(node, ast.Lambda) else ast.get_docstring(node) or "")
        if more:
            rest = next(iter(foreign_bases(plain)), "**kwargs") if isinstance(plain, Class) else "**kwargs"
            self.note_unseen("computed", rest, fields[0].path if fields else "", node.lineno)
        return [self._parameter(field, by_place) for field in fields]

    def _parameter(self, field: Field, by_place: ByPlace) -> Parameter:
        """A parameter as an option, a switch or a positional argument."""
        called = isinstance(field.default, (Arguments, Native))
        notes = (*field.kind.notes, field.default) if called else field.kind.notes
        field = structs.replace(field, default=None, required=True) if called else field
        made = option_of(self.run, field, field.name, (f"--{field.name.replace('_', '-')}",))
        nested = field.kind.nested is not None or bool(field.kind.classes)
        if nested:
            self.note_unseen("computed", f"the fields of {field.name}", field.path, field.line)
        untyped = made.type == "unknown" and not nested and field.default is None and not field.kind.notes
        made = structs.replace(made, sure=not nested, type="str" if untyped else made.type)
        either = field.way == "either"
        placed = field.way in ("place", "rest") or (
            either and (by_place == "all" or (by_place == "required" and made.required))
        )
        if placed:
            nargs = "*" if field.way == "rest" else made.nargs or (None if made.required else "?")
            made = structs.replace(made, flags=(), nargs=nargs, required=made.required and field.way != "rest")
        elif made.type == "bool" and made.default == "False":
            made = structs.replace(made, nargs="0")
        made = structs.replace(made, by_place=either and by_place == "both")
        return Parameter(
            **{one: getattr(made, one) for one in Option.__struct_fields__}, notes=notes, names=field.kind.names
        )

    def command(self, name: Value, line: Value = None) -> "CommandLine":
        """The command line of a subcommand, with options of its own; "" is that of the script without a subcommand.

        line: one that the script made itself: an application that is added to another, a parser of argparse.
        """
        given: Value = line.native if isinstance(line, Instance) else line
        made: CommandLine | None = self.commands.get(name) if line is None and isinstance(name, str) else given
        if not isinstance(made, (CommandLine, Parser)):
            made = CommandLine(self.run)
            if line is not None:
                made.note_unseen("computed", "a command line that is made elsewhere")
        if made in self.run.made:
            self.run.made.remove(made)
        if isinstance(name, str):
            self.commands[name] = made
        else:
            self.note_unseen("registry", "subcommands whose names are computed")
        return made

    def parse(self) -> None:
        """The script parses its command line here, and declares no more options: the reading ends."""
        methods = [name[len("do_") :] for name in dir(self) if name.startswith("do_")]
        functions = [name for name in self.run.factories if name.startswith(f"{self.framework}.")]
        if names := methods or [name.rpartition(".")[2] for name in functions]:
            find_commands(self.run, names)
        self.run.note_parsed(self, strict=True)

    def note_unseen(self, origin: Origin, name: str, path: str = "", line: int = 0) -> None:
        """There are options that cannot be read, or subcommands (registry): nobody can tell of unknown ones."""
        if all(name != one.name for one in self.unseen):
            self.unseen.append(Unseen(origin=origin, name=name, path=path or self.run.script, line=line))

    def note_handed(self, name: str) -> None:
        """Foreign code was given this object."""
        self.note_unseen("library" if name else "computed", name or "a function that is chosen when the script runs")

    def attribute(self, name: str) -> Value:
        """The method of a subclass that models `.NAME`, or what notes that none does."""
        method = getattr(self, "do_" + name, None)
        return _Unread(self, name) if method is None else Method(method)

    def call(self, arguments: Arguments) -> Value:
        """What calling the object itself gives."""
        called = self.attribute("__call__")
        return called.function(arguments) if isinstance(called, Method) else called.call(arguments)

    def signatures(self, words: tuple[str, ...] = ()) -> list[Signature]:
        """What was declared until then: one signature, or one for each subcommand, with what was declared before its word."""
        options = tuple(structs.replace(one, level=len(words)) for one in self.options.values())
        self.run.budget.list_command(len(options))
        found = [
            one for name, line in self.commands.items() for one in line.signatures((*words, name) if name else words)
        ]
        found = [
            structs.replace(one, options=(*options, *one.options), unseen=(*self.unseen, *one.unseen))
            for one in found or [Signature(path=self.run.script, subcommand=words, doc=self.doc, allow_abbrev=False)]
        ]
        if any(one.origin == "registry" for one in self.unseen):
            found = [_doubted(one) if one.subcommand == words else one for one in found]
        return [
            structs.replace(
                one,
                framework=self.framework,
                allow_abbrev=self.allow_abbrev or one.allow_abbrev,
                accepts_unknown=bool(one.unseen),
            )
            for one in found
        ]


def _doubted(signature: Signature) -> Signature:
    """A signature whose values by place may be subcommands that are not seen."""
    return structs.replace(signature, options=tuple(structs.replace(one, sure=False) for one in signature.options))


class _Unread(Native):
    """A method that no `do_NAME` models: what it is given may become an option or a subcommand."""

    truth = None

    def __init__(self, line: CommandLine, name: str) -> None:
        self.line = line
        self.name = name

    def call(self, arguments: Arguments) -> Value:
        """A decorator with arguments is called once more, with the function."""
        if any(map(_may_declare, arguments.all())):
            why = f"which the package for {self.line.framework} does not read (no method do_{self.name})"
            self.line.note_unseen("registry", f"{self.name}(…), {why}", arguments.path, arguments.line)
            return UNKNOWN
        return self


def _may_declare(value: Value) -> bool:
    """Whether what a method is given may become an option or a subcommand."""
    return isinstance(value, (Function, Bound, Class, CommandLine)) or (
        isinstance(value, str) and value.startswith("-")
    )


def option_function(framework: str, read: Callable[[Arguments], Option | None]) -> Factory:
    """For a library whose function declares one option and returns its value, such as `lr = opt("--lr", default=0.1)`.

    `read` turns the arguments of one call into an option. The script is read to its end.
    """

    def declare(run: Interpreter, name: str, arguments: Arguments) -> Value:
        made = (one for one in run.made if isinstance(one, CommandLine) and one.framework == framework)
        line = next(made, None)
        if line is None:
            line = CommandLine(run, framework)
            run.note_parsed(line, strict=True, more=True)
        option = read(arguments)
        line.declare(option, arguments)
        return UNKNOWN if option is None else ParsedArgument(option.dest)

    return declare
