"""The commands of shell scripts, bash blocks and Makefiles, each with the folder, the variables and the comment it stands under."""

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from ml_agent.tools.commandline.invocation import ASSIGNMENT
from ml_agent.tools.commandline.lexer import Token, lex

_SLIP = re.compile(r"(?<!\\)\\[ \t]*\n")
"""A line that is meant to be continued: often without a blank before the backslash, or with one behind it."""
_DECLARES = frozenset({"export", "set", "declare", "local", "readonly", "typeset", "setenv"})
_OPENERS = frozenset({"do", "then", "else", "{", "!", "elif", "if", "while", "until"})
_NO_COMMANDS = frozenset(
    {"done", "fi", "esac", "}", "in", "break", "continue", "shift", "case", "select", "function", "[", "[[", "test"}
)
_MOST_EXPORTED = 100
"""A command that needs more variables than these last ones is none that a person would copy."""
_CONTINUED = re.compile(r"(?<![ \t])[ \t]*+\\\n[ \t]*")
_PRAGMAS = ("#!", "#SBATCH", "#PBS", "#$", "#BSUB")
_REFERENCE = re.compile(r"\$\{?(\w+)")


class ShellCommand(NamedTuple):
    """One command of a script."""

    text: str
    """With its pipe and redirections; a continued line is joined."""
    line: int
    """0-based, within the script."""
    comment: str
    """The comment right above it, or behind it."""
    folders: tuple[str, ...]
    """The `cd`s before it, in order."""
    setup: tuple[str, ...]
    """The assignments before it that it uses, and all exported ones."""


class ShellState:
    """What is in force at a line of a script. One state may be handed from block to block of a document."""

    def __init__(self) -> None:
        self.folders: tuple[str, ...] = ()
        """The folders that were entered, in order."""
        self._assigned: dict[str, str] = {}
        """The last assignment of each name, in order."""
        self._exported: set[str] = set()
        self._in_force: dict[str, None] = {}
        """Exported since the block began."""

    def begin(self) -> None:
        """A new block: what was exported before it is in force only where it is used."""
        self._in_force = {}

    def assign(self, word: str, *, exported: bool = False) -> None:
        """Take note of NAME=VALUE."""
        name = re.split(r"\+?=", word, maxsplit=1)[0]
        self._assigned.pop(name, None)
        self._assigned[name] = word
        if exported:
            self._exported.add(name)
        if name in self._exported:
            self._in_force[name] = None

    def absorb(self, words: list[str]) -> bool:
        """Take note of a command that only changes what is in force for those after it; False where it is another."""
        head, rest = words[0], [word for word in words[1:] if not word.startswith("-")]
        if head == "popd" or words == ["cd", "-"]:
            self.folders = self.folders[:-1]
        elif head in ("cd", "pushd"):
            self.folders += tuple(word.strip("'\"") for word in rest[:1])
        elif head in _DECLARES or all(map(ASSIGNMENT.match, words)):
            for word in filter(ASSIGNMENT.match, words):
                self.assign(word, exported=head in ("export", "set"))
        else:
            return False
        return True

    def setup(self, text: str) -> tuple[str, ...]:
        """The assignments that a command uses, directly or through earlier ones, and the exported ones."""
        wanted = set(_REFERENCE.findall(text))
        for name in reversed(self._assigned):
            if name in wanted:
                wanted.update(_REFERENCE.findall(self._assigned[name]))
        wanted.update(itertools.islice(reversed(self._in_force), _MOST_EXPORTED))
        return tuple(
            "export " * (name in self._exported) + word for name, word in self._assigned.items() if name in wanted
        )


def read_commands(script: str, state: ShellState | None = None) -> Iterator[ShellCommand]:
    """The commands of a script in order. Of a loop, the first turn; of an `if`, every branch.

    A comment holds for all commands below it, up to the next blank line or comment.

    Args:
        script: a script, or a bash block of a document.
        state: what the blocks before it left; it is carried on.
    """
    state = state or ShellState()
    state.begin()
    above: list[str] = []
    used = False
    for line in _lines(script):
        comment, parts = _comment(line), list(_parts(line))
        if not parts:
            above = [*([] if used else above), *filter(None, [comment])]
        used = bool(parts)
        for part in parts:
            tokens = _without_keywords(part, state)
            words = [token.raw for token in tokens if token.kind == "word"]
            if words and not state.absorb(words):
                text = "".join(map(_on_one_line, tokens)).strip(" \t\\")
                said = comment or "\n".join(above)
                if text:
                    yield ShellCommand(text, tokens[0].line - 1, said, state.folders, state.setup(text))


def _on_one_line(token: Token) -> str:
    if token.kind == "redirect":
        return _CONTINUED.sub(" ", token.gap + token.raw)
    return _CONTINUED.sub(" ", token.gap) + token.raw


def _lines(script: str) -> Iterator[list[Token]]:
    """The tokens of each line; what is continued or in quotes belongs to one."""
    line: list[Token] = []
    for token in lex(_SLIP.sub(r" \\\n", script)):
        if token.kind != "end" and not (token.kind == "operator" and "\n" in token.raw):
            line.append(token)
            continue
        yield line
        line = []


def _comment(line: list[Token]) -> str:
    """The comment at the end of a line; none where it is for programs, such as `#!/bin/bash` and `#SBATCH`."""
    if not line or line[-1].kind != "comment" or line[-1].raw.startswith(_PRAGMAS):
        return ""
    return line[-1].raw.lstrip("#").strip()


def _parts(line: list[Token]) -> Iterator[list[Token]]:
    """The commands of a line; those that a pipe joins are one."""
    part: list[Token] = []
    depth = 0  # subshells; any other bracket is none of bash and belongs to the text
    for token in line:
        opens, closes = token.raw == "(" and not part, token.raw == ")" and depth > 0
        depth += opens - closes
        if token.kind in ("word", "redirect") or (part and token.raw in ("|", "|&", "(", ")") and not closes):
            part.append(token)
        elif part:
            yield part
            part = []
    if part:
        yield part


def _without_keywords(part: list[Token], state: ShellState) -> list[Token]:
    """A command without `do`, `then` and the like in front; nothing for what is only grammar or a condition."""
    while part and part[0].raw in _OPENERS:
        part = part[1:]
    words = [token.raw for token in part]
    if words[:1] == ["for"] and words[2:3] == ["in"]:
        state.assign(f"{words[1]}={''.join(words[3:4])}")
    return [] if words[:1] in (["for"], []) or words[0] in _NO_COMMANDS else part
