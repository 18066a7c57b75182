"""A command line taken apart by a signature, so that parts of it can be changed and the rest stays as it was written."""

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

import msgspec

from tools.signatures.model import Option, Signature

_NUMBER = re.compile(r"^-(?:\d|\.\d)")
_OVERRIDE = re.compile(r"^\+{0,2}[A-Za-z_][\w./@-]*=")
_CONTROL = frozenset({"&&", "||", ";", "|", "&", ">", ">>", "2>", "2>&1", "<"})
_SEPARATORS = frozenset({"&&", "||", ";", "|", "&"})
_PATHLIKE = re.compile(r"^[\w./+:@%=,$~{}-]+$")


class Argument(msgspec.Struct, frozen=True, kw_only=True):
    """One option of a command line with its values, or one word given by place."""

    option: Option | None = None
    """None where the signature does not know it."""
    flag: str = ""
    """As written; "" for a word given by place."""
    values: tuple[str, ...] = ()
    """As written, with their quotes."""
    joined: bool = False
    """Whether the value stands behind "="."""
    subcommand: bool = False
    """Whether it is the name of a subcommand."""

    def words(self) -> list[str]:
        """The words of the command line."""
        if self.joined:
            return [f"{self.flag}={' '.join(self.values)}"]
        return [word for word in (self.flag, *self.values) if word]


class Invocation(msgspec.Struct, frozen=True, kw_only=True):
    """A command line: what stands before the script, the script, its arguments."""

    prefix: tuple[str, ...]
    script: str
    arguments: tuple[Argument, ...] = ()

    def text(self) -> str:
        """The command line."""
        return " ".join(
            [*self.prefix, self.script, *(word for argument in self.arguments for word in argument.words())]
        )


_SHELL_MARKS = frozenset("'\"\\ \t\n\r")


def quoted(text: str) -> str:
    """A value as it is typed; a variable is left to the shell."""
    if text and _PATHLIKE.match(text) and not re.search(r"\$(?![A-Za-z_{])", text):
        return text
    return shlex.quote(text)


def bare(word: str) -> str:
    """A word without its quotes."""
    if not _SHELL_MARKS.intersection(word):  # most words: thirty times faster than shlex
        return word
    try:
        return "".join(shlex.split(word)) if word else word
    except ValueError:
        return word


def raw_words(command: str) -> list[str]:
    """The words of a command with their quotes kept; a comment ends it."""
    found: list[str] = []
    current, quote, escaped = "", "", False
    for letter in command:
        if escaped:
            current, escaped = current + letter, False
        elif letter == "\\" and quote != "'":
            current, escaped = current + letter, True
        elif quote:
            current, quote = current + letter, "" if letter == quote else quote
        elif letter in "'\"":
            current, quote = current + letter, letter
        elif letter.isspace():
            found, current = ([*found, current] if current else found), ""
        elif letter == "#" and not current:
            break
        else:
            current += letter
    return [word for word in [*found, current] if word and word != "\\\n"]


def parse(command: str, signature: Signature) -> Invocation | None:
    """A command line that calls the entry point of `signature`; None where it does not."""
    words = raw_words(command.replace("\\\n", " "))
    at = next((place for place, word in enumerate(words) if _calls(words, place, signature)), None)
    if at is None:
        return None
    end = next((place for place in range(at, len(words)) if words[place] in _CONTROL), len(words))
    start = max((place + 1 for place in range(at) if words[place] in _CONTROL), default=0)
    return Invocation(
        prefix=tuple(words[start:at]),
        script=words[at],
        arguments=tuple(_arguments(words[at + 1 : end], signature)),
    )


def commands(text: str) -> list[str]:
    """The single commands of a bash text."""
    found: list[list[str]] = [[]]
    for line in text.replace("\\\n", " ").splitlines():
        for word in raw_words(line):
            if word in _SEPARATORS:
                found.append([])
            else:
                found[-1].append(word)
        found.append([])
    return [" ".join(words) for words in found if words] or [text]


def _calls(words: Sequence[str], place: int, signature: Signature) -> bool:
    word = bare(words[place])
    if word.startswith("-"):
        return False
    path = PurePosixPath(signature.path)
    if signature.name and word == signature.name:
        return True
    if PurePosixPath(word).name == path.name:
        return True
    module = ".".join(path.with_suffix("").parts).removesuffix(".__main__")
    before = words[place - 1] if place else ""
    return before == "-m" and (module == word or module.endswith("." + word) or word.endswith("." + path.stem))


def _arguments(words: Sequence[str], signature: Signature) -> Iterator[Argument]:
    by_flag = {flag: option for option in signature.options for flag in (*option.flags, *option.negative_flags)}
    places = [option for option in signature.options if option.positional]
    by_dest = {option.dest: option for option in signature.options}
    names = list(signature.subcommand)
    at = 0
    while at < len(words):
        word = words[at]
        if is_flag(word):
            flag, equals, value = word.partition("=")
            option = find_option(bare(flag), by_flag, signature)
            if equals:
                yield Argument(option=option, flag=flag, values=(value,), joined=True)
                at += 1
                continue
            count = _takes(option, flag, words[at + 1 :])
            yield Argument(option=option, flag=flag, values=tuple(words[at + 1 : at + 1 + count]))
            at += 1 + count
        elif names and bare(word) == names[0]:
            yield Argument(values=(names.pop(0),), subcommand=True)
            at += 1
        elif signature.syntax == "overrides" and _OVERRIDE.match(word):
            key, _, value = word.partition("=")
            yield Argument(option=by_dest.get(key.lstrip("+")), flag=key, values=(value,), joined=True)
            at += 1
        else:
            option = places[0] if places else None
            if option is not None and option.nargs not in {"*", "+"}:
                places = places[1:]
            yield Argument(option=option, values=(word,))
            at += 1


def is_flag(word: str) -> bool:
    """Whether a word is an option and no value; "-1.0" is a value."""
    return word.startswith("-") and len(word) > 1 and not _NUMBER.match(word)


def find_option(flag: str, by_flag: dict[str, Option], signature: Signature) -> Option | None:
    """The option of a flag: by its spelling, as absl takes it with one dash, or by a unique beginning."""
    if flag in by_flag:
        return by_flag[flag]
    if signature.syntax == "absl":
        stem = flag.lstrip("-")
        return by_flag.get(f"--{stem}") or by_flag.get(f"--{stem.removeprefix('no')}")
    if signature.allow_abbrev and flag.startswith("--"):
        longer = {option.dest: option for name, option in by_flag.items() if name.startswith(flag)}
        return next(iter(longer.values())) if len(longer) == 1 else None
    return None


def _takes(option: Option | None, flag: str, words: Sequence[str]) -> int:
    free = next((place for place, word in enumerate(words) if is_flag(word)), len(words))
    if option is None:
        return min(free, 1)
    if option.switch or flag in option.negative_flags:
        return 0
    if option.nargs == "?bool":
        return 0
    if option.nargs in {"*", "+"}:
        return free
    return min(free, int(option.nargs) if option.nargs and option.nargs.isdigit() else 1)


def given_options(command: str, signature: Signature) -> list[tuple[Option | None, str, str]]:
    """Each argument of a command: its option, the flag as written, and its values without quotes."""
    invocation = parse(command, signature)
    if invocation is None:
        return []
    return [(part.option, part.flag, " ".join(bare(word) for word in part.values)) for part in invocation.arguments]
