"""optparse, which argparse has taken the place of: what is alike is read as there."""

import msgspec

from ml_agent.tools.signatures.argparse_option import with_default
from ml_agent.tools.signatures.argparse_reader import Group, Parser
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, External, Native, Value

_TYPES = {"int": "int", "long": "int", "float": "float"}
"""Names of types by which others than texts are meant."""
_OPTIONS = 1
"""Place of the list of options among what the parser is given."""
_VERSION = 3


class OptionParser(Parser):
    """An OptionParser."""

    def __init__(self, run: Interpreter, arguments: Arguments) -> None:
        alike_in_both = ("description", "conflict_handler")
        said: dict[str, Value] = {name: arguments.named[name] for name in alike_in_both if name in arguments.named}
        alike = Arguments([], said)
        alike.path, alike.line, alike.open = arguments.path, arguments.line, arguments.open
        super().__init__(run, alike)
        listed = arguments.get(_OPTIONS, "option_list") or []
        for one in listed if isinstance(listed, (list, tuple)) else [UNKNOWN]:
            self.add(Arguments([one], {}))
        if arguments.get(_VERSION, "version") is not None:
            super().add(Arguments(["--version"], {"action": "version"}))

    def add(self, arguments: Arguments) -> Option | None:
        """Read one add_option call, or an option that was made before."""
        made = arguments.placed[0] if len(arguments.placed) == 1 else None
        if isinstance(made, MadeOption):
            arguments = made.arguments
        if arguments.named.get("action") == "callback":
            self.note_unseen("computed", "what a callback does with the words", arguments)
        found = super().add(_as_argparse(arguments))
        if found is not None and "%default" in found.help:
            told = with_default(found.help, "%default", found.default)
            found = self.options[-1] = msgspec.structs.replace(found, help=told)
        return found

    def do_add_options(self, arguments: Arguments) -> Value:
        """add_options: several that were made before."""
        several = arguments.get(0, "option_list")
        for one in several if isinstance(several, (list, tuple)) else [UNKNOWN]:
            self.add(Arguments([one], {}))
        return UNKNOWN

    def do_add_option_group(self, arguments: Arguments) -> Value:
        """add_option_group: a new one by its title, or one that is there."""
        given = arguments.get(0, "title")
        return given if isinstance(given, Group) else Group(self)

    def do_parse_args(self, arguments: Arguments) -> Value:
        """parse_args: options and, apart from them, the other words."""
        return (super().do_parse_args(arguments), UNKNOWN)

    def do_error(self, arguments: Arguments) -> Value:
        """error: which words are wrong is decided behind the parser."""
        return UNKNOWN

    def _signature(self, options: tuple[Option, ...], subcommand: tuple[str, ...]) -> Signature:
        words = Option(dest="args", nargs="*", path=self.path, line=self.line)
        found = super()._signature((*options, words), subcommand)
        return msgspec.structs.replace(found, framework="optparse", syntax="click")


class MadeOption(Native):
    """make_option(...) and Option(...): an option before it is added."""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments


def _as_argparse(arguments: Arguments) -> Arguments:
    """What is said of an option as argparse says it."""
    named = dict(arguments.named)
    kind = named.pop("type", None)
    if named.get("action") == "callback":
        named["action"] = "store" if kind is not None else "store_true"
    named.setdefault("default", None)  # a switch has none either
    name = kind.name.removeprefix("builtins.") if isinstance(kind, External) else kind
    if isinstance(name, str) and name in _TYPES:
        named["type"] = External(f"builtins.{_TYPES[name]}")
    alike = Arguments(arguments.placed, named)
    alike.path, alike.line, alike.open = arguments.path, arguments.line, arguments.open
    return alike


def _group(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """OptionGroup(parser, title)."""
    parser = arguments.get(0, "parser")
    return Group(parser) if isinstance(parser, Parser) else UNKNOWN


FACTORIES: dict[str, Factory] = {
    "optparse.OptionParser": lambda run, name, arguments: OptionParser(run, arguments),
    "optparse.OptionGroup": _group,
    "optparse.make_option": lambda run, name, arguments: MadeOption(arguments),
    "optparse.Option": lambda run, name, arguments: MadeOption(arguments),
}
