"""docopt: the usage text is the signature. First its patterns: tokens, and which of them stand in which brackets."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec

from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Native, Value

USAGE = re.compile(r"usage:[ \t]*(.*?)(?:\n[ \t]*\n|\Z)", re.IGNORECASE | re.DOTALL)
TOKEN = re.compile(r"\[options\]|\.\.\.|[\[\]()|]|<[^>]+>|[^\s\[\]()|.]+(?:\.[^\s\[\]()|.]+)*")


class Frame(msgspec.Struct):
    """A pair of brackets, or the whole pattern."""

    start: int
    end: int
    optional: bool = False
    has_bar: bool = False
    """It holds alternatives."""
    repeated: bool = False
    """Three dots stand behind it."""


def find_frames(tokens: Sequence[str]) -> dict[int, Frame]:
    """The brackets by the place at which they open; the whole pattern at -1."""
    frames = {-1: Frame(-1, len(tokens))}
    within = [-1]
    for place, token in enumerate(tokens):
        if token in "[(":
            frames[place] = Frame(place, len(tokens), optional=token == "[")
            within.append(place)
        elif token in "])" and len(within) > 1:
            frame = frames[within.pop()]
            frame.end, frame.repeated = place, tokens[place + 1 : place + 2] == ["..."]
        elif token == "|":
            frames[within[-1]].has_bar = True
    return frames


def usage_patterns(text: str) -> list[list[str]]:
    """The tokens of each usage pattern, without the name of the program; [] where there are none."""
    usage = USAGE.search(text)
    lines = _lines(usage.group(1)) if usage is not None else []
    return [TOKEN.findall(line)[1:] for line in lines]


def _lines(text: str) -> list[str]:
    """The usage patterns; a line that does not begin with the program's name goes on the one before."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    name = lines[0].split()[0] if lines else ""
    joined: list[str] = []
    for line in lines:
        if line.split()[0] == name or not joined:
            joined.append(line)
        else:
            joined[-1] += " " + line
    return joined


OPTION = re.compile(r"^[ \t]*(-\S[^\n]*(?:\n(?![ \t]*(?:-|\n|\Z))[^\n]*)*)", re.MULTILINE)
"""An option and what is said of it, up to the next one or an empty line."""
DEFAULT = re.compile(r"\[default:\s*([^\]]*)\]", re.IGNORECASE)
MAX_USAGE = 20_000
"""Letters of a text; the time for brackets in brackets grows with their square."""
HELP = frozenset({"-h", "--help"})
STACKED = re.compile(r"-\w{2,}")
"""Short options in one word."""


class Docopt(Native):
    """docopt(text)."""

    def __init__(self, run: Interpreter, text: str, arguments: Arguments) -> None:
        self.run = run
        self.text = text if len(text) <= MAX_USAGE else ""
        self.path, self.line = arguments.path, arguments.line
        self.has_version = arguments.get(3, "version") is not None
        run.made.append(self)

    def signatures(self) -> list[Signature]:
        """One for each command; patterns of one command are ways to call it."""
        patterns = usage_patterns(self.text)
        if not patterns:
            return [self._signature((), [_Pattern((), {}, is_open=True)])]
        found: dict[tuple[str, ...], list[_Pattern]] = {}
        for tokens in patterns:
            if not self._only_ends(tokens):
                read = _PatternReader(self, tokens).read()
                self.run.budget.list_command(len(read.options))
                found.setdefault(read.commands, []).append(read)
        return [self._signature(commands, several) for commands, several in (found or {(): []}).items()]

    def _only_ends(self, tokens: Sequence[str]) -> bool:
        """Whether a pattern shows help or the version and nothing else."""
        words = [token for token in tokens if token not in "[]()|"]
        return bool(words) and all(self.ends(word) for word in words)

    def ends(self, word: str) -> bool:
        """Whether docopt itself answers an option."""
        return word in HELP or (word == "--version" and self.has_version)

    def _signature(self, subcommand: tuple[str, ...], patterns: "Sequence[_Pattern]") -> Signature:
        one = patterns[0] if len(patterns) == 1 else _Pattern((), {})
        return Signature(
            path=self.run.script, framework="docopt", options=tuple(_join(patterns)), subcommand=subcommand,
            accepts_unknown=any(pattern.is_open for pattern in patterns), line=self.line, endings=self._endings(),
            doc=self._doc, one_of=one.one_of, exclusive=one.one_of,
        )  # fmt: skip

    @cached_property
    def _doc(self) -> str:
        first = " ".join(self.text.strip().split("\n\n")[0].split())
        return "" if first.lower().startswith("usage") else first[:500]

    def _endings(self) -> tuple[Option, ...]:
        """`--version`, which docopt answers before it looks at anything else."""
        if not self.has_version:
            return ()
        known = self.described.get("--version") or self.inline("--version")
        return (msgspec.structs.replace(known, ends=True, anywhere=True),)

    @cached_property
    def described(self) -> dict[str, Option]:
        """Flag -> option, from the lines that describe options."""
        found: dict[str, Option] = {}
        for match in OPTION.finditer(self.text):
            spelled, _, text = match.group(1).replace("\n", "  ").strip().partition("  ")
            words = spelled.replace(",", " ").replace("=", " ").split()
            flags = tuple(w for w in words if w.startswith("-"))
            valued = any(not w.startswith("-") for w in words)
            default = DEFAULT.search(text) if valued else None
            if not flags or HELP & set(flags):
                continue
            option = Option(
                dest=_dest(flags), flags=flags, nargs=None if valued else "0", type="str" if valued else "bool",
                switch_value=None if valued else "True", default=default.group(1) if default else None,
                help=" ".join(DEFAULT.sub("", text).split()), path=self.path, line=self.line,
            )  # fmt: skip
            found |= dict.fromkeys(flags, option)
        return found

    def inline(self, token: str) -> Option:
        """An option that no line describes."""
        flag, equals, _ = token.partition("=")
        return Option(
            dest=_dest((flag,)), flags=(flag,), nargs=None if equals else "0", type="str" if equals else "bool",
            switch_value=None if equals else "True", path=self.path, line=self.line,
        )  # fmt: skip


class _Pattern(msgspec.Struct):
    """One way to call a program."""

    commands: tuple[str, ...]
    options: dict[str, Option]
    is_open: bool = False
    """It takes words that no option stands for."""
    one_of: tuple[tuple[str, ...], ...] = ()


class _PatternReader:
    """Reads the tokens of one usage pattern."""

    def __init__(self, docopt: Docopt, tokens: Sequence[str]) -> None:
        self.docopt = docopt
        self.tokens = tokens
        self.described = docopt.described
        self.frames = find_frames(tokens)
        self.within = [self.frames[-1]]
        self.commands: list[str] = []
        self.needed: set[str] = set()
        """Options that each of several alternatives spells."""
        self.made = _Pattern((), {})

    def read(self) -> _Pattern:
        """The commands that it begins with, its options and arguments."""
        place = 0
        while place < len(self.tokens):
            place = self._take(place)
        self.made.commands = tuple(self.commands)
        return self.made

    def _take(self, place: int) -> int:
        """Read what stands at a place; returns the place behind it."""
        token = self.tokens[place]
        if token in "[(":
            return self._enter(self.frames[place])
        if token in "])":
            del self.within[max(1, len(self.within) - 1) :]
        elif token == "[options]":
            for option in self.described.values():
                if not any(map(self.docopt.ends, option.flags)):
                    self.made.options.setdefault(option.dest, option)
        elif token.startswith("-") and token.strip("-"):
            return self._take_options(place)
        elif _is_argument(token):
            self._add(self._argument(token, place))
        elif token == "-" or token.strip("-|."):
            self._take_word(token)
        return place + 1

    def _enter(self, frame: Frame) -> int:
        """Go into brackets, or past them where they hold nothing but words of which one is written."""
        content = self.tokens[frame.start + 1 : frame.end]
        words = content[::2]
        if len(content) > 1 - frame.optional and all(map(_is_word, words)) and set(content[1::2]) <= {"|"}:
            count = sum(one.dest.startswith("command") for one in self.made.options.values())
            loose = frame.optional or self._is_loose()
            self._add(
                Option(
                    dest=f"command{count + 1}" if count else "command", choices=tuple(words), nargs="?" if loose else None,
                    required=not loose, path=self.docopt.path, line=self.docopt.line, level=len(self.commands),
                )
            )  # fmt: skip
            return frame.end + 1
        self._note_alternatives(frame)
        self.within.append(frame)
        return frame.start + 1

    def _note_alternatives(self, frame: Frame) -> None:
        """One of the options in brackets must be given."""
        parts = list(_split(self.tokens[frame.start + 1 : frame.end]))
        if frame.optional or self._is_loose() or len(parts) < 2:
            return
        if all(part and part[0].startswith("-") and part[0].strip("-") for part in parts):
            dests = tuple(dict.fromkeys(self._options(part[0])[0].dest for part in parts))
            self.needed |= set(dests) if len(dests) == 1 else set()
            self.made.one_of += (dests,) if len(dests) > 1 else ()

    def _is_loose(self) -> bool:
        """Whether what stands here may be left out."""
        return any(frame.optional or frame.has_bar for frame in self.within)

    def _take_options(self, place: int) -> int:
        """Read an option, or short ones in one word, with the value behind it."""
        token, following = self.tokens[place], place + 1
        options = [one for one in self._options(token) if not any(map(self.docopt.ends, one.flags))]
        needed = not self._is_loose()
        valued = any(not option.switch for option in options) and "=" not in token
        if valued and following < len(self.tokens) and _is_argument(self.tokens[following]):
            following += 1
        for option in options:
            several = self._is_repeated(following) or options.count(option) > 1
            required = needed or option.dest in self.needed
            self._add(msgspec.structs.replace(option, required=required, repeatable=several))
        return following

    def _options(self, token: str) -> list[Option]:
        """The options that a word spells."""
        known = self.described.get(token.partition("=")[0])
        if known is None and STACKED.fullmatch(token):
            first = self.described.get(token[:2])
            if first is not None and not first.switch:
                return [first]
            letters = [f"-{letter}" for letter in token[1:]]
            return [self.described.get(letter) or self.docopt.inline(letter) for letter in letters]
        return [known or self.docopt.inline(token)]

    def _is_repeated(self, following: int) -> bool:
        """Whether what ends before a place may stand several times."""
        return self.tokens[following : following + 1] == ["..."] or any(frame.repeated for frame in self.within)

    def _argument(self, token: str, place: int) -> Option:
        """An argument that stands behind the commands."""
        loose = self._is_loose()
        nargs = ("*" if loose else "+") if self._is_repeated(place + 1) else "?" if loose else None
        return Option(
            dest=token.strip("<>").replace("-", "_").lower(), nargs=nargs, required=not loose, path=self.docopt.path,
            line=self.docopt.line, level=len(self.commands),
        )  # fmt: skip

    def _take_word(self, token: str) -> None:
        if len(self.within) > 1 or self.made.options or token == "-":
            self.made.is_open = True
        else:
            self.commands.append(token)

    def _add(self, option: Option) -> None:
        self.made.options[option.dest] = option


def _join(patterns: Sequence[_Pattern]) -> Iterator[Option]:
    """The options of all patterns: needed is what each of them needs."""
    for dest in dict.fromkeys(dest for pattern in patterns for dest in pattern.options):
        found = [pattern.options[dest] for pattern in patterns if dest in pattern.options]
        option, needed = found[0], len(found) == len(patterns) and all(one.required for one in found)
        nargs = next((one.nargs for one in found if one.nargs in ("*", "+")), option.nargs)
        if option.positional and not needed:
            nargs = "*" if nargs in ("*", "+") else "?"
        yield msgspec.structs.replace(
            option, required=needed, nargs=nargs, choices=tuple(dict.fromkeys(word for one in found for word in one.choices)),
            repeatable=any(one.repeatable for one in found),
        )  # fmt: skip


def _is_argument(token: str) -> bool:
    return token.startswith("<") or (token.isupper() and len(token) > 1 and not token.startswith("-"))


def _is_word(token: str) -> bool:
    return not _is_argument(token) and not token.startswith("-") and token.strip("[]()|.") != ""


def _split(tokens: Sequence[str]) -> Iterator[list[str]]:
    """The alternatives in brackets; nothing where there are brackets within."""
    part: list[str] = []
    for token in tokens:
        if token in "[]()":
            return
        if token == "|":
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _dest(flags: tuple[str, ...]) -> str:
    long = [f for f in flags if f.startswith("--")]
    return (long or list(flags))[0].lstrip("-").replace("-", "_")


def _docopt(run: Interpreter, name: str, arguments: Arguments) -> Value:
    text = arguments.get(0, "doc")
    made = Docopt(run, text if isinstance(text, str) else "", arguments)
    run.note_parsed(made, strict=True)
    return UNKNOWN


FACTORIES: dict[str, Factory] = {"docopt.docopt": _docopt, "docopt_ng.docopt": _docopt}
