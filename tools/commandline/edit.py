"""The calls of a bash text, and changes to them: an option set or taken out; everything else stays as it is written."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.lexer import Token, lex, quote
from ml_agent.tools.commandline.reader import Argument, ParsedCall
from ml_agent.tools.commandline.render import option_words
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.errors import RenderError
from ml_agent.tools.signatures.model import Option, Signature

Lookup = Callable[[Invocation], Sequence[Signature]]
"""The signatures of what an invocation calls; () where they are not known."""
_GREEDY = frozenset({"*", "+", "?", "..."})
_UNKNOWN = Signature(path="", accepts_unknown=True)


class _Span(NamedTuple):
    """Where a word stands in the text."""

    gap: int
    """Where the blanks before it begin."""
    start: int
    end: int


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One command of a bash text."""

    source: str
    """The whole text."""
    invocation: Invocation
    spans: tuple[_Span, ...]
    """Of the script or program that is called, and of each word behind it."""
    signature: Signature | None = None
    """By which the words were read; None where it is not known."""
    parsed: ParsedCall

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """What the entry point is given, in order."""
        return self.parsed.given

    @property
    def entry(self) -> str:
        """The script, module or program as it is written."""
        return self.source[self.spans[0].start : self.spans[0].end]

    def given(self, dest: str) -> Argument | None:
        """The last argument of an option; None where it is not given."""
        return next((part for part in reversed(self.arguments) if part.dest == dest), None)

    def text(self) -> str:
        """The whole text."""
        return self.source

    def with_entry(self, raw: str) -> str:
        """The text with another script, module or program."""
        return self.source[: self.spans[0].start] + raw + self.source[self.spans[0].end :]

    def with_words(self, start: int, stop: int, words: Sequence[str]) -> str:
        """The text with other words in the place of those from `start` to before `stop`.

        Raises:
            RenderError: a redirection stands among them.
        """
        old = self.spans[start + 1 : stop + 1]
        if any(before.end != after.gap for before, after in pairwise(old)):
            raise RenderError("a redirection stands among the words")
        end = old[-1].end if old else self.spans[start].end
        begin = (old[0].start if words else old[0].gap) if old else end
        new = " ".join(map(quote, words))
        return self.source[:begin] + ("" if old or not new else " ") + new + self.source[end:]


def find_calls(text: str, lookup: Lookup) -> Iterator[Call]:
    """The commands of a text, but for those in substitutions; never raises.

    Args:
        text: one or more commands.
        lookup: says what each of them takes.
    """
    text = text.replace("\0", "")  # no shell sees it, and it would shift the places
    for invocation in parse_command(text).invocations:
        if invocation.offset < 0:
            continue
        tokens = takewhile(
            lambda token: token.kind in ("word", "redirect"), lex(text[invocation.offset :], prompts=False)
        )
        spans = [_span(token, invocation.offset) for token in tokens if token.kind == "word"]
        signatures = lookup(invocation)
        signature = choose(signatures, invocation.words) or (signatures[0] if len(signatures) == 1 else None)
        yield Call(
            source=text,
            invocation=invocation,
            spans=tuple(spans[len(spans) - len(invocation.words) - 1 :]),
            signature=signature,
            parsed=parse_call(signature or _UNKNOWN, invocation.words),
        )


def _span(token: Token, offset: int) -> _Span:
    start = offset + token.at
    return _Span(start - len(token.gap), start, start + len(token.raw))


def parse_one(text: str, signature: Signature) -> Call | None:
    """The first command of a text that calls the entry point of a signature; None where none does."""
    found = find_calls(text, lambda invocation: (signature,) if calls(invocation, signature) else ())
    return next((call for call in found if call.signature is not None), None)


def calls(invocation: Invocation, signature: Signature) -> bool:
    """Whether an invocation calls an entry point: by its file's name, its module, or its own name."""
    path = PurePosixPath(signature.path)
    name = PurePosixPath(invocation.name).name
    if signature.kind == "make":
        return invocation.program == "make" and signature.name in invocation.words
    if signature.name and name == signature.name:
        return True
    if invocation.target in ("script", "shell", "console"):
        return name == path.name
    module = ".".join(path.with_suffix("").parts).removesuffix(".__main__")
    return invocation.target == "module" and (
        f".{module}".endswith(f".{invocation.name}") or invocation.name.rpartition(".")[2] == path.stem
    )


def set_option(call: Call, dest: str, value: Any) -> Call:
    """The call with an option given this value: in its place where it is given already, else added.

    Args:
        call: with a signature.
        dest: name of the option.
        value: bool, number, text, or a list of them.

    Raises:
        RenderError: no such option, a value that cannot be written, or one that would change what other words mean.
    """
    signature = _signature(call)
    options = [option for option in signature.options if option.dest == dest]
    if not options:
        raise RenderError(f"{signature.path} has no option {dest}")
    present = [part for part in call.arguments if part.dest == dest]
    fresh = _arguments(signature, options, value)
    if present:
        edited = without(call, present[1:])
        place = _alone(edited, edited.arguments[call.arguments.index(present[0])])
        words = _spelled_as(fresh, present[-1])
    else:
        edited, place, words = call, _new_place(call, fresh), [word for part in fresh for word in part.words()]
    changed = _read_again(call, edited.with_words(*place, words))
    return _checked(call, changed, dest)


def remove_option(call: Call, dest: str) -> Call:
    """The call without an option.

    Raises:
        RenderError: the words behind it would mean something else without it.
    """
    return _checked(call, without(call, [part for part in call.arguments if part.dest == dest]), dest)


def without(call: Call, parts: Sequence[Argument]) -> Call:
    """The call without some of its arguments.

    Raises:
        RenderError: one of them shares a word with another argument.
    """
    text = call.source
    for part in sorted(parts, key=lambda part: -part.start):
        text = msgspec.structs.replace(call, source=text).with_words(*_alone(call, part), ())
    return _read_again(call, text)


def _alone(call: Call, part: Argument) -> tuple[int, int]:
    """The places of an argument's words, which no other shares."""
    if any(other.start == part.start for other in call.arguments if other is not part):
        raise RenderError(f"{part.flag} stands in one word with others")
    return part.start, part.stop


def _arguments(signature: Signature, options: Sequence[Option], value: Any) -> list[Argument]:
    """The arguments that give an option a value; [] where leaving it out does.

    Args:
        signature: it belongs to.
        options: all that store under its name.
        value: as in `set_option`.
    """
    flat = tuple(msgspec.structs.replace(option, level=0) for option in options)
    alone = msgspec.structs.replace(signature, options=flat, subcommand=(), exclusive=())
    meant = dict(zip(flat, options, strict=True))
    found = parse_call(alone, option_words(alone, value)).given
    return [
        msgspec.structs.replace(part, option=meant[part.option] if part.option else None)
        for part in found
        if part.kind != "dashes"
    ]


def _spelled_as(fresh: Sequence[Argument], like: Argument) -> list[str]:
    """The words of new arguments, with the flag and the form of another one of the same option."""
    written = [word for part in fresh for word in part.words()]
    part = fresh[0] if len(fresh) == 1 else None
    if part is None or part.option != like.option or part.kind != like.kind or part.kind == "place":
        return written
    if like.flag.startswith("~"):  # what takes a key away gives it no value
        return written
    negative = part.option.negative_flags if part.option is not None else ()
    flag = like.flag if (part.flag in negative) == (like.flag in negative) else part.flag
    single = len(part.values) == 1 == len(like.values) and not part.values[0].startswith("-")
    return list(msgspec.structs.replace(part, flag=flag, form=like.form if single else part.form).words())


def _new_place(call: Call, fresh: Sequence[Argument]) -> tuple[int, int]:
    """Where new arguments are read as they are meant: in the words of their subcommand, before `--`."""
    option = fresh[0].option if fresh else None
    given, signature = call.arguments, _signature(call)
    start, stop = _level(given, option.level if option is not None else 0)
    if fresh and fresh[0].kind == "place":
        order = {one.dest: n for n, one in enumerate(signature.options)}
        mine = order.get(option.dest, 0) if option is not None else 0
        earlier = [n for n in range(start, stop) if given[n].kind == "place" and order.get(given[n].dest, 0) < mine]
        stop = earlier[-1] + 1 if earlier else start
    elif signature.syntax in ("absl", "plain"):
        stop = next((n for n in range(start, stop) if given[n].kind == "place"), stop)
    elif option is not None and option.nargs in _GREEDY and stop < len(given) and given[stop].kind == "subcommand":
        stop = start
    at = given[stop].start if stop < len(given) else len(call.spans) - 1
    return at, at


def _level(given: Sequence[Argument], level: int) -> tuple[int, int]:
    """Where the arguments of a level begin and where options of it may end."""
    names = [n for n, part in enumerate(given) if part.kind == "subcommand"]
    start = names[level - 1] + 1 if 0 < level <= len(names) else 0
    end = names[level] if level < len(names) else len(given)
    return start, next((n for n in range(start, end) if given[n].kind == "dashes"), end)


def _read_again(call: Call, text: str) -> Call:
    """The same call in a text that was changed behind its first word."""
    offset, signature = call.invocation.offset, _signature(call)
    return next(one for one in find_calls(text, lambda _: (signature,)) if one.invocation.offset == offset)


def _checked(call: Call, changed: Call, dest: str) -> Call:
    """A changed call, where everything but one option says what it said before."""
    before, after = (
        {name: value for name, value in one.parsed.values.items() if name != dest} for one in (call, changed)
    )
    if before != after:
        raise RenderError(f"the words beside {dest} would mean something else")
    return changed


def _signature(call: Call) -> Signature:
    if call.signature is None:
        raise RenderError(f"what {call.invocation.name} takes is not known")
    return call.signature
