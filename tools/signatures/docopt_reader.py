"""docopt: the usage text is the signature."""

import re
from functools import cached_property

import msgspec

from tools.signatures.interpreter import Factory, Interpreter
from tools.signatures.model import Option, Signature
from tools.signatures.values import UNKNOWN, Arguments, Native, Value

USAGE = re.compile(r"usage:[ \t]*(.*?)(?:\n[ \t]*\n|\Z)", re.IGNORECASE | re.DOTALL)
OPTION_LINE = re.compile(r"^[ \t]*(-\S.*)$", re.MULTILINE)
TOKEN = re.compile(r"\[options\]|\.\.\.|[\[\]()|]|<[^>]+>|[^\s\[\]()|.]+(?:\.[^\s\[\]()|.]+)*")
DEFAULT = re.compile(r"\[default:\s*([^\]]*)\]", re.IGNORECASE)


class Docopt(Native):
    """docopt(text)."""

    def __init__(self, run: Interpreter, text: str, arguments: Arguments) -> None:
        self.run = run
        self.text = text
        self.path, self.line = arguments.path, arguments.line
        self.has_version = arguments.get(3, "version") is not None
        run.made.append(self)

    def signatures(self) -> list[Signature]:
        """One a usage line."""
        usage = USAGE.search(self.text)
        if usage is None:
            return [self._signature((), [], True)]
        found: dict[tuple[str, ...], Signature] = {}
        for line in _usage_lines(usage.group(1)):
            subcommand, options, is_open = self._line(TOKEN.findall(line)[1:], self._described_options)
            self.run.budget.list_command(len(options))
            found.setdefault(subcommand, self._signature(subcommand, options, is_open))
        return list(found.values())

    def _signature(self, subcommand: tuple[str, ...], options: list[Option], is_open: bool) -> Signature:
        return Signature(
            path=self.run.script, framework="docopt", options=tuple(options), subcommand=subcommand,
            accepts_unknown=is_open, doc=self._doc, line=self.line,
            endings=self._endings(),
        )  # fmt: skip

    @cached_property
    def _doc(self) -> str:
        first = " ".join(self.text.strip().split("\n\n")[0].split())
        return "" if first.lower().startswith("usage") else first[:500]

    def _endings(self) -> tuple[Option, ...]:
        """`--version`, which docopt answers before it looks at anything else."""
        if not self.has_version:
            return ()
        known = self._described_options.get("--version") or self._inline("--version")
        return (msgspec.structs.replace(known, ends=True, anywhere=True),)

    @cached_property
    def _described_options(self) -> dict[str, Option]:
        """Flag -> option, from the lines that describe options."""
        found: dict[str, Option] = {}
        for match in OPTION_LINE.finditer(self.text):
            spelled, _, text = match.group(1).strip().partition("  ")
            words = spelled.replace(",", " ").replace("=", " ").split()
            flags = tuple(w for w in words if w.startswith("-"))
            valued = any(not w.startswith("-") for w in words)
            default = DEFAULT.search(text)
            if not flags or "--help" in flags:
                continue
            option = Option(
                dest=_dest(flags), flags=flags, nargs=None if valued else "0", type="str" if valued else "bool",
                switch_value=None if valued else "True", default=default.group(1) if default else None,
                help=" ".join(DEFAULT.sub("", text).split()), path=self.path, line=self.line,
            )  # fmt: skip
            found |= dict.fromkeys(flags, option)
        return found

    def _line(self, tokens: list[str], described: dict[str, Option]) -> tuple[tuple[str, ...], list[Option], bool]:
        """(commands, options, whether more is possible) of one usage line."""
        commands: list[str] = []
        options: dict[str, Option] = {}
        brackets: list[str] = []
        is_open = any(token == "|" and not _are_options(tokens, place) for place, token in enumerate(tokens))
        for place, token in enumerate(tokens):
            following = tokens[place + 1] if place + 1 < len(tokens) else ""
            if token in "[(":
                brackets.append(token)
            elif token in "])":
                del brackets[-1:]
            elif token == "[options]":
                options |= {o.dest: o for o in described.values()}
            elif token.startswith("-") and token not in ("-", "--"):
                option = described.get(token.partition("=")[0]) or self._inline(token)
                options[option.dest] = option
            elif token.startswith("<") or (token.isupper() and len(token) > 1):
                if not (place and tokens[place - 1].startswith("-") and described.get(tokens[place - 1])):
                    made = self._place(token, following, "[" in brackets, len(commands))
                    options[made.dest] = made
            elif token not in ("|", "...", "-", "--"):
                if brackets or options:
                    is_open = True
                else:
                    commands.append(token)
        return tuple(commands), list(options.values()), is_open

    def _inline(self, token: str) -> Option:
        flag, equals, _ = token.partition("=")
        return Option(
            dest=_dest((flag,)), flags=(flag,), nargs=None if equals else "0", type="str" if equals else "bool",
            switch_value=None if equals else "True", path=self.path, line=self.line,
        )  # fmt: skip

    def _place(self, token: str, following: str, optional: bool, level: int) -> Option:
        """An argument that stands behind so many commands."""
        name = token.strip("<>").replace("-", "_").lower()
        several = following == "..."
        nargs = ("*" if optional else "+") if several else "?" if optional else None
        return Option(dest=name, nargs=nargs, required=not optional, path=self.path, line=self.line, level=level)


def _are_options(tokens: list[str], bar: int) -> bool:
    """Whether a bar stands between two options: other words than these are not taken there."""
    beside = [tokens[place] for place in (bar - 1, bar + 1) if 0 <= place < len(tokens)]
    return len(beside) == 2 and all(one.startswith("-") and one.strip("-") for one in beside)


def _dest(flags: tuple[str, ...]) -> str:
    long = [f for f in flags if f.startswith("--")]
    return (long or list(flags))[0].lstrip("-").replace("-", "_")


def _usage_lines(text: str) -> list[str]:
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


def _docopt(run: Interpreter, name: str, arguments: Arguments) -> Value:
    text = arguments.get(0, "doc")
    made = Docopt(run, text if isinstance(text, str) else "", arguments)
    run.note_parsed(made, strict=True)
    return UNKNOWN


FACTORIES: dict[str, Factory] = {"docopt.docopt": _docopt, "docopt_ng.docopt": _docopt}
