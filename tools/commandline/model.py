"""A command as it was written, taken apart: every part keeps its spelling, and put together they are the text again."""

from typing import Literal, NamedTuple

import msgspec

from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.quoting import quote, unquote
from ml_agent.tools.signatures.model import Option, Signature

Kind = Literal["option", "place", "subcommand", "override", "dashes", "redirect"]
Form = Literal["apart", "equals", "attached"]


class Word(NamedTuple):
    """One word as it was written."""

    raw: str
    """With its quotes."""
    gap: str = " "
    """Blanks before it; with them, a line that continues."""

    @property
    def value(self) -> str:
        """As the program gets it."""
        return unquote(self.raw)


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What some words of a command line are: an option with its values, or what is given by place."""

    kind: Kind = "option"
    """option: begins with a flag. place: values by position, also those behind `--`. override: key=value, +key=value, ~key.
    dashes: the `--` that ends the options. redirect: of the shell, not of the program."""
    option: Option | None = None
    """None where the signature does not know it."""
    flag: str = ""
    """As written: an abbreviation stays one; of an override the key with its sign."""
    values: tuple[str, ...] = ()
    """Without quotes."""
    form: Form = "apart"
    """apart: `--n 3`. equals: `--n=3`. attached: `-n3`."""
    glued: bool = False
    """One of several short flags in one word, and not the first: f in `-vf`."""


class Argument(Part, frozen=True, kw_only=True):
    """One option of a command line with its values, or what is given by place."""

    written: tuple[Word, ...] = ()
    """The words as they were written; what no longer says the same is written anew."""
    origin: str = ""
    """Where the values come from, for whoever keeps account; "" for the text that was read."""

    @property
    def dest(self) -> str:
        """The name of its option; "" where it is not known."""
        return self.option.dest if self.option is not None else ""

    def words(self) -> tuple[str, ...]:
        """The words without quotes; of a glued flag without the dash."""
        flag = self.flag[1:] if self.glued else self.flag
        if self.form == "equals" and self.values:
            return (f"{flag}={self.values[0]}", *self.values[1:])
        if self.form == "attached" and self.values:
            return (flag + self.values[0], *self.values[1:])
        return (flag, *self.values) if flag else self.values


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One simple command."""

    prefix: tuple[Word, ...] = ()
    """Environment assignments, wrappers and launchers with their own options."""
    entry: Word
    """The script, module, code or program that is called."""
    arguments: tuple[Argument, ...] = ()
    """What the entry point is given, in order."""
    invocation: Invocation
    """What is called, from which folder, with which environment."""
    signature: Signature | None = None
    """By which the arguments were read; None where it is not known."""

    @property
    def rest(self) -> tuple[str, ...]:
        """The values behind `--`."""
        places = [at for at, part in enumerate(self.arguments) if part.kind == "dashes"]
        return tuple(v for part in self.arguments[places[0] + 1 :] for v in part.values) if places else ()

    @property
    def subcommand(self) -> tuple[str, ...]:
        """The subcommand's words."""
        return tuple(value for part in self.arguments if part.kind == "subcommand" for value in part.values)

    def given(self, dest: str) -> Argument | None:
        """The last argument of an option; None where it is not given."""
        return next((part for part in reversed(self.arguments) if part.dest == dest), None)

    @property
    def gap(self) -> str:
        """Blanks before it, and a prompt."""
        return (*self.prefix, self.entry)[0].gap

    def words(self) -> list[str]:
        """The words that the entry point gets, without quotes."""
        found: list[str] = []
        before: Argument | None = None
        for part in self.arguments:
            words = _words(part, before)
            if _joins(part, before):
                found[-1] += words[0]
                words = words[1:]
            found += words
            before = part
        return found

    def text(self) -> str:
        """The command as bash text."""
        start = "".join(word.gap + word.raw for word in (*self.prefix, self.entry))
        before = (None, *self.arguments)
        return start[len(self.gap) :] + "".join(map(_text, self.arguments, before))


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of bash: its commands, and everything between them as it was written."""

    parts: tuple[Call | str, ...] = ()

    @property
    def calls(self) -> tuple[Call, ...]:
        """The commands in order."""
        return tuple(part for part in self.parts if isinstance(part, Call))

    def text(self) -> str:
        """The bash text."""
        return "".join(part if isinstance(part, str) else part.gap + part.text() for part in self.parts)

    def with_call(self, old: Call, new: Call) -> "Script":
        """The same with one command changed."""
        return Script(parts=tuple(new if part is old else part for part in self.parts))


def _joins(part: Argument, before: Argument | None) -> bool:
    """Whether a glued flag still stands behind the flag that it is glued to."""
    return part.glued and before is not None and not before.values and len(before.flag) == 2


def _words(part: Argument, before: Argument | None) -> tuple[str, ...]:
    """The words of an argument; those of a flag that is no longer glued begin with its dash."""
    if part.kind == "redirect":
        return ()
    words = part.words()
    return (part.flag[0] + words[0], *words[1:]) if part.glued and not _joins(part, before) else words


def _text(part: Argument, before: Argument | None) -> str:
    """An argument with the blanks before it; words that still say the same keep their spelling."""
    if part.kind == "redirect":
        return "".join(word.gap + word.raw for word in part.written)
    found = ""
    for place, text in enumerate(_words(part, before)):
        old = part.written[place] if place < len(part.written) else None
        word = old if old is not None and old.value == text else Word(quote(text), old.gap if old is not None else " ")
        gap = ("" if _joins(part, before) else " ") if part.glued and place == 0 else word.gap
        found += gap + word.raw
    return found
