"""The signature of an entry point: what it takes, read from its source."""

from collections.abc import Container
from typing import Literal

import msgspec

OptionType = Literal["str", "int", "float", "bool", "path", "json", "unknown"]
Kind = Literal["python", "module", "shell", "console", "make"]


CONFIG_FILE = "config_file"
"""Marks, as a converter, an option that names a file in which all others may stand."""
SETTINGS_FILE = "settings_file"
"""Marks, as a converter, an option that names a file of Python whose settings are options, too (ml_collections)."""
WRITTEN_FILE = "written_file"
"""Marks, as a converter, an option that names a file that is opened to be written."""


class Option(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One option or positional argument."""

    dest: str
    """The name by which schema, ledger and renderer know it."""
    flags: tuple[str, ...] = ()
    """As typed, for example ("-b", "--batch-size"); empty for a positional argument."""
    negative_flags: tuple[str, ...] = ()
    """Spellings that mean False (--no-x of BooleanOptionalAction, click's --x/--no-x, absl's --nox)."""
    type: OptionType = "str"
    """What its value must be; unknown: a type of the program's own, so any word is taken."""
    choices: tuple[str, ...] = ()
    """The only words that it takes; () where any is right."""
    choices_unread: bool = False
    """It has choices, and they are made in a way that could not be followed."""
    default: str | None = None
    """The default as it would be typed; None where there is none or it is unknown."""
    nargs: str | None = None
    """None: one value. "0": a switch. "?", "*", "+", or a number of values. "?bool": absl booleans (--x, --x=false, --nox)."""
    switch_value: str | None = None
    """What a switch stores: "True", "False" or a constant."""
    metavar: str = ""
    """What the program's own help shows in the place of a value, where its source says so: FILE, MOUNT:DIRECTORY."""
    required: bool = False
    """Whether the program ends with an error where it is not given."""
    repeatable: bool = False
    """May be given several times (action=append, click multiple)."""
    help: str = ""
    """What the program says of it."""
    path: str = ""
    """File that declares it, relative to the repository."""
    line: int = 0
    """Line of that file, from 1."""
    sure: bool = True
    """False where a part was computed in a way that could not be followed."""
    level: int = 0
    """How many subcommand words stand before it on the command line."""
    converter: str = ""
    """Name of the function that converts the word (`type=` of argparse), as written; "" for none."""
    accepted: tuple[str, ...] = ()
    """The only values that the program goes on with, where it tests them by hand after parsing; () where unknown."""
    accepted_fold: Literal["", "lower", "upper"] = ""
    """How the program changes the word before that test."""
    accepted_at: str = ""
    """FILE:LINE of that test."""
    joined: bool = False
    """Its value stands in the same word, for a program that takes words apart itself: `--name=value`."""
    by_place: bool = False
    """It has flags, and may be given by place as well, as an argument of a Python function may."""
    absent: tuple[str, ...] = ()
    """Words that mean None, which it takes beside what its type and its choices say; () where there are none."""
    ends: bool = False
    """Where it is given the program says something and ends, such as its version; nothing behind it is looked at."""

    @property
    def positional(self) -> bool:
        """Whether it is given by place and not by name."""
        return not self.flags

    @property
    def switch(self) -> bool:
        """Whether it takes no value."""
        return self.nargs == "0"


Origin = Literal["library", "registry", "configuration", "computed", "package"]


class Unseen(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A place from which an entry point takes options that its signature does not list."""

    origin: Origin
    """library: a class or function of a package that is not in the repository. registry: plug-ins that add their own.
    configuration: a file that is chosen when it runs. computed: code that could not be followed.
    package: an error in the installed package that reads its options."""
    name: str
    """The class, function, registry or file as the source calls it, for a person to read."""
    path: str = ""
    """File of the repository where it comes in."""
    line: int = 0


class Signature(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one entry point (or one subcommand of it) takes."""

    path: str
    """Its file, relative to the repository; for console scripts the file of the function."""
    kind: Kind = "python"
    framework: str = "none"
    """argparse, absl, click, typer, fire, dataclass, hydra, omegaconf, sysargv, shell, make, none, or what a package adds."""
    name: str = ""
    """How it is called where it is not called by its path: a console script, a module, a make target."""
    subcommand: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    accepts_unknown: bool = False
    """Unknown options are no error (parse_known_args, a parser handed to foreign code, hydra overrides)."""
    unseen: tuple[Unseen, ...] = ()
    """From where options come that are not listed; () where all are."""
    allow_abbrev: bool = True
    """Unique prefixes of long options are accepted, as argparse does it."""
    syntax: Literal["argparse", "absl", "click", "overrides", "plain"] = "argparse"
    """How a command line is read: plain means by place, overrides means key=value."""
    doc: str = ""
    """Module docstring, parser description or leading comment: first paragraph."""
    calls: tuple[str, ...] = ()
    """For shell scripts and make targets: the commands inside, as written."""
    variables: tuple[tuple[str, str], ...] = ()
    """For shell scripts: the environment variables that they read, each with its default, "" for none."""
    line: int = 0
    exclusive: tuple[tuple[str, ...], ...] = ()
    """Groups of dests of which at most one may be given."""
    chains: bool = False
    """Words that are left may be members of what it returns (fire)."""
    lone_file: tuple[str, ...] = ()
    """Suffixes of a file that may stand alone on the command line and gives every value (HfArgumentParser.parse_json_file)."""

    @property
    def title(self) -> str:
        """How it is called: the console script, module or path, and the subcommand."""
        return " ".join([self.name or self.path, *self.subcommand])

    def may_be_in_file(self, given: Container[str]) -> bool:
        """Whether what is required may stand in a file of settings that is among the given dests."""
        files = [option.dest for option in self.options if option.converter == CONFIG_FILE]
        return self.syntax == "argparse" and any(dest in given for dest in files)

    @property
    def whole(self) -> bool:
        """Whether every option that the entry point takes is listed, so that any other is wrong.

        absl that tolerates unknown flags drops them: they do nothing, which is not what was meant.
        """
        return not self.unseen and (not self.accepts_unknown or self.syntax == "absl")


class EntryPoint(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One thing that can be started."""

    path: str
    """Its file; of a console script that of its function."""
    kind: Kind = "python"
    name: str = ""
    """How it is called where it is not called by its path: a console script, a make target."""
    framework: str = "none"
    """What seems to read its command line."""
    doc: str = ""
    """What it says of itself."""
    words: tuple[str, ...] = ()
    """What looks like an option or a subcommand in its text."""

    @property
    def title(self) -> str:
        """How it is called."""
        return self.name or self.path
