"""Bash text taken apart into calls, each read by the signature of what it calls."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

import msgspec

from ml_agent.tools.commandline.invocation import Invocation, read_invocation, split_assignments
from ml_agent.tools.commandline.lexer import Token, lex
from ml_agent.tools.commandline.model import Argument, Call, Script, Word
from ml_agent.tools.commandline.quoting import quote, unquote
from ml_agent.tools.commandline.reader import LocatedPart
from ml_agent.tools.commandline.shell import MAX_BYTES, change_folder, is_keyword, never_a_command, sign_of
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.signatures.model import Signature

Lookup = Callable[[Invocation], Sequence[Signature]]
"""The signatures of what an invocation calls; () where they are not known."""
_UNKNOWN = Signature(path="", accepts_unknown=True)


def parse(text: str, lookup: Lookup) -> Script:
    """Take bash text apart; put together again (`Script.text`) it is the same text. Never raises.

    Args:
        text: one or more commands.
        lookup: says what each of them takes.
    """
    if len(text) > MAX_BYTES:
        return Script(parts=(text,))
    return Script(parts=tuple(_parts(list(lex(text)), lookup)))


def parse_one(text: str, signature: Signature) -> Call | None:
    """The first command of a text that calls the entry point of a signature; None where none does."""
    script = parse(text, lambda invocation: (signature,) if calls(invocation, signature) else ())
    return next((call for call in script.calls if call.signature is not None), None)


def single_commands(text: str) -> list[str]:
    """The commands of a text one by one; the text itself where there is none."""
    return [call.text() for call in parse(text, lambda _: ()).calls] or [text]


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
        module == invocation.name
        or module.endswith("." + invocation.name)
        or invocation.name.rpartition(".")[2] == path.stem
    )


def _parts(tokens: Sequence[Token], lookup: Lookup) -> Iterator[Call | str]:
    folder = "."
    current: list[Token] = []
    for token in tokens:
        if token.kind in ("word", "redirect"):
            current.append(token)
            continue
        made, folder = _command(current, folder, lookup)
        yield from made
        current = []
        yield token.gap + token.raw


def _command(tokens: list[Token], folder: str, lookup: Lookup) -> tuple[list[Call | str], str]:
    """One simple command, with what of the grammar stands before it; and the folder after it."""
    count = next((n for n, token in enumerate(tokens) if not is_keyword(token)), len(tokens))
    parts: list[Call | str] = [token.gap + token.raw for token in tokens[:count]]
    rest = tokens[count:]
    words = [token.value for token in rest if token.kind == "word"]
    environment, program = split_assignments(words)
    if not program or never_a_command(rest[0]):
        return [*parts, *(token.gap + token.raw for token in rest)], folder
    call = _call(rest, environment, folder, lookup)
    after = change_folder(folder, program[1:]) if program[0] in ("cd", "pushd") else folder
    return [*parts, call], after


def _call(tokens: list[Token], environment: list[tuple[str, str]], folder: str, lookup: Lookup) -> Call:
    places = [n for n, token in enumerate(tokens) if token.kind == "word"]
    words = [tokens[n].value for n in places]
    invocation = read_invocation(words[len(environment) :])
    invocation = msgspec.structs.replace(
        invocation,
        environment=(*environment, *invocation.environment),
        folder=folder,
        redirects=tuple((sign_of(token), token.value) for token in tokens if token.kind == "redirect"),
    )
    first = len(words) - len(invocation.words)
    signatures = lookup(invocation)
    signature = choose(signatures, invocation.words) or (signatures[0] if len(signatures) == 1 else None)
    start = places[first - 1]
    return Call(
        prefix=tuple(_word(token) for token in tokens[:start]),
        entry=_word(tokens[start]),
        arguments=tuple(_arguments(tokens[start + 1 :], signature or _UNKNOWN)),
        invocation=invocation,
        signature=signature,
    )


def _word(token: Token) -> Word:
    return Word(token.raw, token.gap)


def _arguments(tokens: Sequence[Token], signature: Signature) -> Iterator[Argument]:
    """The arguments in the order of the text; a redirection in the midst of one counts as blanks between its words."""
    places = [n for n, token in enumerate(tokens) if token.kind == "word"]
    parsed = parse_call(signature, [tokens[n].value for n in places])
    at = 0
    left: dict[int, str] = {}
    for part in parsed.given:
        first = places[part.start]
        yield from _redirects(tokens[at:first])
        words = [_word(tokens[first])]
        for last, place in pairwise(places[part.start : part.stop]):
            between = "".join(token.gap + token.raw for token in tokens[last + 1 : place])
            words.append(Word(tokens[place].raw, between + tokens[place].gap))
        yield _argument(part, words, left)
        at = places[part.stop - 1] + 1
    yield from _redirects(tokens[at:])


def _redirects(tokens: Sequence[Token]) -> Iterator[Argument]:
    for token in tokens:
        if token.kind == "redirect":
            yield Argument(kind="redirect", values=(token.value,), written=(_word(token),))


def _argument(part: LocatedPart, words: list[Word], left: dict[int, str]) -> Argument:
    """An argument with its words as written.

    Args:
        part: what it says.
        words: its words.
        left: by place, what is left of a word of which a flag was taken already.
    """
    made = Argument(
        kind=part.kind, option=part.option, flag=part.flag, values=part.values, form=part.form, glued=part.glued
    )
    said = made.words()[0]
    raw = left.get(part.start, words[0].raw)
    if unquote(raw) != said:  # one of several flags in a word, and not the last
        left[part.start] = raw[len(said) :]
        raw = raw[: len(said)] if raw.startswith(said) else quote(said)
    first = Word(raw, "" if part.glued else words[0].gap)
    return msgspec.structs.replace(made, written=(first, *words[1:]))
