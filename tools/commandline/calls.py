"""The calls of a bash text, with the places of their words."""

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.lexer import Token, lex
from ml_agent.tools.commandline.reader import Argument, ParsedCall
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.signatures.model import Signature

Lookup = Callable[[Invocation], Sequence[Signature]]
"""The signatures of what an invocation calls; () where they are not known."""
_UNKNOWN = Signature(path="", accepts_unknown=True)


class Span(NamedTuple):
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
    spans: tuple[Span, ...]
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


def _span(token: Token, offset: int) -> Span:
    start = offset + token.at
    return Span(start - len(token.gap), start, start + len(token.raw))


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
