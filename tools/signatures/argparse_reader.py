"""argparse as the interpreter sees it: parsers, groups, subcommands and their options."""

import msgspec

from ml_agent.tools.signatures.argparse_option import ActionSettings, FileType, OptionReader, text_of, typed
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, Origin, Signature, Unseen
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Instance, Namespace, Native, Value, is_known

_PARTS = ("options", "unseen", "exclusive", "handed")
"""What a parser takes over from its parents."""
_MOST_TAKEN = 5_000
"""Of all that together; parents of parents may be the same ones, over and over."""


class Parser(Native):
    """An ArgumentParser."""

    def __init__(self, run: Interpreter, arguments: Arguments) -> None:
        self.run = run
        self.options: list[Option] = []
        self.defaults: dict[str, Value] = {}
        self.values: dict[str, Value] = {}
        """What the program gets of options that are not given, as far as it is known."""
        self.handed: list[str] = []
        self.open = arguments.open
        self.unseen: list[Unseen] = []
        """Options may have been added that are not seen here."""
        self.subcommands: dict[str, Parser] = {}
        self.subcommands_required = False
        self.exclusive: list[list[str]] = []
        self.allow_abbrev = arguments.get(None, "allow_abbrev", True) is not False
        self.argument_default = arguments.get(None, "argument_default")
        self.description = text_of(arguments.get(2, "description")) or text_of(arguments.get(None, "help"))
        self.path, self.line = arguments.path, arguments.line
        self.level = 0
        self.result = Namespace()
        if arguments.get(None, "prefix_chars", "-") != "-":
            self.note_unseen("computed", "options that begin with another character")
        if arguments.get(None, "conflict_handler") == "resolve":
            self.note_unseen("computed", "options that take the place of others")
        self._take_parents(arguments.get(None, "parents"))
        if not run.importing:  # what modules make while they are imported, and nobody asks, is their own affair
            run.made.append(self)

    def _take_parents(self, parents: Value) -> None:
        for parent in parents if isinstance(parents, (list, tuple)) else []:
            other = as_parser(parent)
            if other is None or sum(len(getattr(one, part)) for one in (self, other) for part in _PARTS) > _MOST_TAKEN:
                self.note_unseen("computed", "a parent parser", None)
                continue
            self.defaults.update(other.defaults)
            self.values.update(other.values)
            self.open = self.open or other.open
            for part in _PARTS:
                getattr(self, part).extend(getattr(other, part))

    def note_handed(self, name: str) -> None:
        """Foreign code was given this parser."""
        self.handed.append(name)
        if name:
            self.note_unseen("library", name)
        else:
            self.note_unseen("computed", "a function that is chosen when it runs")

    def note_unseen(self, origin: Origin, name: str, arguments: Arguments | None = None) -> None:
        """Options come from somewhere that cannot be read."""
        self.open = True
        place = arguments or self
        made = Unseen(origin=origin, name=name, path=place.path, line=place.line)
        if made not in self.unseen:
            self.unseen.append(made)

    def do_add_argument(self, arguments: Arguments) -> Value:
        """add_argument."""
        self.add(arguments)
        return UNKNOWN

    do_add = do_add_arg = do_add_option = do_add_argument

    def add(self, arguments: Arguments) -> Option | None:
        """Read one add_argument call; None where its name is not known."""
        flags = [f for f in arguments.placed if isinstance(f, str)]
        if len(flags) < len(arguments.placed) or (not flags and "dest" not in arguments.named):
            self.note_unseen("computed", "an option whose name is computed", arguments)
            return None
        if self.run.options_left <= 0:
            self.note_unseen("computed", "more options than are followed")
            return None
        self.run.options_left -= 1
        reader = OptionReader(self, arguments, flags)
        made = reader.option()
        if not made.ends:
            self.values[made.dest] = reader.value(made.dest)
        self.options.append(made)
        return made

    def do_add_argument_group(self, arguments: Arguments) -> Value:
        """add_argument_group."""
        return Group(self, argument_default=arguments.get(None, "argument_default"))

    def do_add_mutually_exclusive_group(self, arguments: Arguments) -> Value:
        """add_mutually_exclusive_group."""
        group = Group(self, [])
        if group.members is not None:
            self.exclusive.append(group.members)
        return group

    def do_add_subparsers(self, arguments: Arguments) -> Value:
        """add_subparsers."""
        self.subcommands_required = arguments.get(None, "required") is True
        return Subcommands(self)

    def do_set_defaults(self, arguments: Arguments) -> Value:
        """set_defaults: later than the options it changes them, earlier it is their default."""
        self.defaults.update(arguments.named)
        self.values.update({name: value if is_known(value) else UNKNOWN for name, value in arguments.named.items()})
        for place, option in enumerate(self.options):
            if option.dest in arguments.named:
                text, sure = typed(arguments.named[option.dest], self.run)
                self.options[place] = msgspec.structs.replace(option, default=text, sure=option.sure and sure)
            elif arguments.open:
                self.options[place] = msgspec.structs.replace(option, sure=False)
        return None

    def do_parse_args(self, arguments: Arguments) -> Value:
        """parse_args."""
        if _from_command_line(arguments):
            self._record_parsing(strict=True)
        return arguments.get(1, "namespace") or self.result

    def _record_parsing(self, *, strict: bool) -> None:
        """The words are read; what was decided by an earlier reading of them decided which options there are."""
        if self.run.settled:
            self.note_unseen("computed", f"the options depend on {next(iter(self.run.settled))}")
        self.run.note_parsed(self, strict=strict)

    def do_parse_known_args(self, arguments: Arguments) -> Value:
        """parse_known_args."""
        if _from_command_line(arguments):
            self._record_parsing(strict=False)
            return (Namespace(self.values), UNKNOWN)
        return (self.result, UNKNOWN)

    do_parse_intermixed_args = do_parse_args
    do_parse_known_intermixed_args = do_parse_known_args

    def do_parse_args_into_dataclasses(self, arguments: Arguments) -> Value:
        """HfArgumentParser and its like."""
        known = arguments.get(None, "return_remaining_strings") is True
        if _from_command_line(arguments):
            self.run.note_parsed(self, strict=not known)
        return UNKNOWN

    def attribute(self, name: str) -> Value:
        """Methods, and the prefix characters."""
        if name == "description":
            return self.description
        found = super().attribute(name)
        if found is UNKNOWN and name.startswith(("add", "_add")):
            self.note_unseen("computed", f"options that {name} adds")
        return found

    def signatures(self, subcommand: tuple[str, ...] = (), before: tuple[Option, ...] = ()) -> list[Signature]:
        """This parser's signature, and one for each subcommand."""
        options = before + tuple(
            msgspec.structs.replace(o, level=len(subcommand)) if subcommand else o for o in self.options
        )
        self.run.budget.list_command(len(options))
        found: list[Signature] = []
        if not self.subcommands or not self.subcommands_required:
            found.append(self._signature(options, subcommand))
        for name, parser in self.subcommands.items():
            below = parser.signatures((*subcommand, name), options)
            found += [self._below(s) for s in below]
            if name == self.run.inserted and not subcommand:
                found[:1] = [msgspec.structs.replace(s, subcommand=()) for s in parser.signatures((), options)]
        return found

    def _below(self, signature: Signature) -> Signature:
        """A subcommand's signature; options that are not seen may stand before its word."""
        if not self.open:
            return signature
        return msgspec.structs.replace(signature, accepts_unknown=True, unseen=(*self.unseen, *signature.unseen))

    def _signature(self, options: tuple[Option, ...], subcommand: tuple[str, ...]) -> Signature:
        return Signature(
            path=self.run.script, framework="argparse", options=options, subcommand=subcommand, accepts_unknown=self.open,
            unseen=tuple(self.unseen), allow_abbrev=self.allow_abbrev, syntax="argparse", doc=self.description,
            line=self.line if self.path == self.run.script else 0,
            exclusive=tuple(tuple(dict.fromkeys(g)) for g in self.exclusive if len(set(g)) > 1),
        )  # fmt: skip


class Group(Native):
    """An argument group: a way to add options to its parser."""

    def __init__(self, parser: Parser, members: list[str] | None = None, argument_default: Value = None) -> None:
        self.parser = parser
        self.members = members
        self.argument_default = argument_default

    def note_handed(self, name: str) -> None:
        """Foreign code was given this group."""
        self.parser.note_handed(name)

    def do_add_argument(self, arguments: Arguments) -> Value:
        """add_argument."""
        if self.argument_default is not None and "default" not in arguments.named:
            arguments.named["default"] = self.argument_default
        made = self.parser.add(arguments)
        if made is not None and self.members is not None:
            self.members.append(made.dest)
        return UNKNOWN

    do_add = do_add_arg = do_add_option = do_add_argument

    def do_add_argument_group(self, arguments: Arguments) -> Value:
        """add_argument_group."""
        return self

    def do_add_mutually_exclusive_group(self, arguments: Arguments) -> Value:
        """add_mutually_exclusive_group."""
        return self.parser.do_add_mutually_exclusive_group(arguments)

    def do_set_defaults(self, arguments: Arguments) -> Value:
        """set_defaults."""
        return self.parser.do_set_defaults(arguments)


class Subcommands(Native):
    """What add_subparsers returns."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser

    def note_handed(self, name: str) -> None:
        """Foreign code was given the place for subcommands: it may add some."""
        self.parser.subcommands_required = False
        self.parser.note_handed(name)

    def do_add_parser(self, arguments: Arguments) -> Value:
        """add_parser."""
        made = Parser(self.parser.run, arguments)
        if made in self.parser.run.made:
            self.parser.run.made.remove(made)
        made.level = self.parser.level + 1
        aliases = arguments.get(None, "aliases", ())
        for name in (arguments.get(0, "name"), *(aliases if isinstance(aliases, (list, tuple)) else [UNKNOWN])):
            if isinstance(name, str):
                self.parser.subcommands[name] = made
            else:
                self.parser.subcommands_required = False
                self.parser.note_unseen("registry", "subcommands whose names are computed", arguments)
        return made


def _from_command_line(arguments: Arguments) -> bool:
    """Whether the words that are parsed are those of the command line, not a list in the program."""
    words = arguments.get(0, "args")
    return not isinstance(words, (list, tuple)) or not is_known(list(words))


def as_parser(value: Value) -> Parser | None:
    """The parser in a value: itself, or the part of an object whose class derives from one."""
    native = value.native if isinstance(value, Instance) else value
    return native if isinstance(native, Parser) else None


def make_parser(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """argparse.ArgumentParser(...)."""
    return Parser(run, arguments)


def _insert_word(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """sys.argv.insert(1, "run"): a subcommand that may be left out."""
    word = arguments.get(1, "object")
    if arguments.get(0, "index") == 1 and isinstance(word, str):
        run.inserted = word
    return None


FACTORIES: dict[str, Factory] = {
    "sys.argv.insert": _insert_word,
    "argparse.ArgumentParser": make_parser,
    "absl.flags.argparse_flags.ArgumentParser": make_parser,
    "jsonargparse.ArgumentParser": make_parser,
    "configargparse.ArgumentParser": make_parser,
    "configargparse.ArgParser": make_parser,
    "configargparse.get_argument_parser": make_parser,
    "simple_parsing.ArgumentParser": make_parser,
    "tap.Tap": make_parser,
    "argparse.FileType": lambda run, name, arguments: FileType(arguments),
    "argparse.Action": lambda run, name, arguments: ActionSettings(arguments),
    "configargparse.Action": lambda run, name, arguments: ActionSettings(arguments),
    "argparse.Namespace": lambda run, name, arguments: UNKNOWN,
}
