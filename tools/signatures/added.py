"""For packages that add a framework: how a library's calls become options. docs/extending.md has three worked examples."""

from collections.abc import Callable

from msgspec.structs import replace

from ml_agent.tools.signatures.argparse_option import TYPE_NAMES
from ml_agent.tools.signatures.fields import option_of, parameters
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, OptionType, Signature, Unseen
from ml_agent.tools.signatures.values import (
    UNKNOWN,
    Arguments,
    Bound,
    External,
    Function,
    Native,
    ParsedArgument,
    Value,
    is_known,
)

_TYPES: dict[type, OptionType] = {bool: "bool", int: "int", float: "float"}


def option(
    name: Value, default: Value = None, *, choices: Value = (), switch: Value = False, help: Value = ""
) -> Option | None:
    """An option with this name, or a positional argument if the name has no dash; None if the name is computed.

    Every argument may be UNKNOWN, as it comes from the script; then the option is listed without that part. The type is
    that of the default, if `typed` gives no other. `msgspec.structs.replace(option, …)` sets any other field of `Option`.
    """
    if not isinstance(name, str) or not name.strip("-"):
        return None
    flags = (name,) if name.startswith("-") else ()
    choices = () if choices is None else choices
    known = isinstance(choices, (list, tuple)) and is_known(choices)
    return Option(
        dest=name.lstrip("-").replace("-", "_"),
        flags=flags,
        type=_TYPES.get(type(default), "unknown" if default is UNKNOWN else "str"),
        default=None if default is None or not is_known(default) else str(default),
        choices=tuple(map(str, choices)) if known else (),
        choices_unread=not known,
        nargs="0" if switch is True else None,
        required=not flags and default is None,
        help=help if isinstance(help, str) else "",
    )


def typed(option: Option | None, given: Value) -> Option | None:
    """The option with the type that its call names, such as `type=int`; as it is if the call names none."""
    if option is None or given is None:
        return option
    return replace(option, type=TYPE_NAMES.get(given.name, "unknown") if isinstance(given, External) else "unknown")


def parameter_options(run: Interpreter, function: Value) -> list[Option | None]:
    """One option for each parameter of a function, as its annotation, default and docstring say.

    A parameter without a default is a positional argument, one whose default is False a switch. None, for `declare`,
    says that there are others: the function takes **kwargs, or it is not known.
    """
    if not isinstance(function, (Function, Bound)):
        return [None]
    fields, more = parameters(run, function)
    made = [option_of(run, field, field.name, (f"--{field.name.replace('_', '-')}",)) for field in fields]
    return [*map(_by_default, made), *([None] if more else [])]


def _by_default(option: Option) -> Option:
    """A parameter as an option, a switch or a positional argument."""
    switch = option.type == "bool" and option.default == "False"
    return replace(option, flags=() if option.required else option.flags, nargs="0" if switch else option.nargs)


class CommandLine(Native):
    """The options of a script, as they are declared one after the other.

    Subclass it for a library with a parser object: a method `do_NAME` models `.NAME(…)`.
    """

    framework = "added"
    """The name that `explain` shows."""
    allow_abbrev = False
    """Whether the library accepts shortened names of long options."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.options: dict[str, Option] = {}
        self.unseen: list[Unseen] = []
        run.made.append(self)

    def declare(self, option: Option | None, arguments: Arguments) -> None:
        """One more option, at the place of the call; None says that there is one whose name is not known."""
        path, line = arguments.path, arguments.line
        if option is None:
            what = "an option whose name is computed"
            self.unseen.append(Unseen(origin="computed", name=what, path=path, line=line))
        elif self.run.options_left > 0:
            self.run.options_left -= 1
            self.options[option.dest] = replace(option, path=option.path or path, line=option.line or line)

    def parse(self) -> None:
        """The script parses its command line here, and declares no more options: the reading ends."""
        self.run.note_parsed(self, strict=True)

    def signatures(self) -> list[Signature]:
        """What was declared until then."""
        return [
            Signature(
                path=self.run.script, framework=self.framework, options=tuple(self.options.values()),
                unseen=tuple(self.unseen), accepts_unknown=bool(self.unseen), allow_abbrev=self.allow_abbrev,
            )
        ]  # fmt: skip


def option_function(framework: str, read: Callable[[Arguments], Option | None]) -> Factory:
    """For a library whose function declares one option and returns its value, such as `lr = opt("--lr", default=0.1)`.

    `read` turns the arguments of one call into an option. The script is read to its end.
    """

    def declare(run: Interpreter, name: str, arguments: Arguments) -> Value:
        made = (one for one in run.made if isinstance(one, CommandLine) and one.framework == framework)
        line = next(made, None)
        if line is None:
            line = CommandLine(run)
            line.framework = framework
            run.note_parsed(line, strict=True, more=True)
        option = read(arguments)
        line.declare(option, arguments)
        return UNKNOWN if option is None else ParsedArgument(option.dest)

    return declare
