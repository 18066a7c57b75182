"""The commands of a shell script or of a bash block, each with the folder, the variables and the comment it stands under."""

import heapq
import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

_LONGEST_QUOTE = 40
"""Lines over which a quoted string may run; an apostrophe in prose must not eat the rest."""
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_DECLARES = frozenset(["export", "set", "declare", "local", "readonly", "typeset", "setenv"])
_OPENERS = frozenset(["do", "then", "else", "{", "(", "!", "elif", "if", "while", "until"])
_CLOSERS = frozenset(["done", "fi", "esac", "}", ")", ";;", "in", "break", "continue", "shift"])
_LOOP = re.compile(r"for\s+(\w+)\s+in\s+(.*)")
_TOKEN = re.compile(
    r"""'[^']*'|"(?:\\.|[^"\\])*"|\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`|\\.|&&|\|\||;;|[;&]|[^;&]""", re.DOTALL
)
_MOST_EXPORTED = 100
"""A command that needs more variables than these last ones is none that a person would copy."""
_REFERENCE = re.compile(r"\$\{?(\w+)")


class ShellCommand(NamedTuple):
    """One command of a script."""

    text: str
    """On one line, with its pipe and redirections."""
    line: int
    """0-based, within the script."""
    comment: str
    """The comment right above it, or behind it."""
    folders: tuple[str, ...]
    """The `cd`s before it, in order."""
    setup: tuple[str, ...]
    """The assignments before it that it uses, and all exported ones."""


class _Assigned(NamedTuple):
    word: str
    """The whole assignment."""
    place: int
    """Of how many it was the last."""


class _Line(NamedTuple):
    text: str
    number: int


class ShellState:
    """What is in force at a line of a script. One state may be handed from block to block of a document."""

    def __init__(self) -> None:
        self.folders: tuple[str, ...] = ()
        """The folders that were entered, in order."""
        self._assigned: dict[str, _Assigned] = {}
        self._count = 0
        self._exported: set[str] = set()
        self._in_force: dict[str, None] = {}
        """Exported since the block began."""
        self._comment: list[str] = []
        self._used = False

    def begin(self) -> None:
        """A new block: comments end, and what was exported before it is in force only where it is used."""
        self._in_force = {}
        self._comment, self._used = [], False

    def remark(self, comment: str) -> None:
        """A line with nothing but a comment, or nothing at all."""
        if self._used:
            self._comment, self._used = [], False
        if comment:
            self._comment.append(comment)

    def use_comment(self) -> None:
        """A comment holds for all commands below it up to the next blank line or comment."""
        self._used = True

    def assign(self, word: str, *, exported: bool = False) -> None:
        name = re.split(r"\+?=", word, maxsplit=1)[0]
        self._count += 1
        self._assigned[name] = _Assigned(word, self._count)
        if exported:
            self._exported.add(name)
        if name in self._exported:
            self._in_force[name] = None

    def absorb(self, text: str) -> bool:
        """Take note of a command that only changes what is in force for those after it."""
        words = _words(text)
        head, rest = words[0], [word for word in words[1:] if not word.startswith("-")]
        if head == "popd" or words == ["cd", "-"]:
            self.folders = self.folders[:-1]
        elif head in ("cd", "pushd"):
            self.folders += tuple(word.strip("'\"") for word in rest[:1])
        elif head in _DECLARES:
            for word in rest:
                if _ASSIGNMENT.match(word):
                    self.assign(word, exported=head in ("export", "set"))
        elif all(_ASSIGNMENT.match(word) for word in words):
            for word in words:
                self.assign(word)
        else:
            return False
        return True

    def command(self, text: str, line: int, comment: str) -> ShellCommand:
        above = "\n".join(self._comment)
        return ShellCommand(text, line, comment or above, self.folders, self._setup(text))

    def _setup(self, text: str) -> tuple[str, ...]:
        """The assignments that a command uses, directly or through earlier ones, and the exported ones."""
        wanted = {name for name in _REFERENCE.findall(text) if name in self._assigned}
        pending = [(-self._assigned[name].place, name) for name in wanted]
        heapq.heapify(pending)
        while pending:
            place, name = heapq.heappop(pending)
            for other in _REFERENCE.findall(self._assigned[name].word):
                if other in self._assigned and other not in wanted:
                    wanted.add(other)
                    if self._assigned[other].place < -place:
                        heapq.heappush(pending, (-self._assigned[other].place, other))
        in_force = itertools.islice(reversed(self._in_force), _MOST_EXPORTED)
        names = sorted({*wanted, *in_force}, key=lambda name: self._assigned[name].place)
        return tuple(
            f"export {self._assigned[name].word}" if name in self._exported else self._assigned[name].word
            for name in names
        )


def read_commands(script: str, state: ShellState | None = None) -> Iterator[ShellCommand]:
    """The commands of a script in order. Of a loop, the first turn; of an `if`, every branch.

    Args:
        script: A script, or a bash block of a document.
        state: What the blocks before it left; it is carried on.
    """
    state = state or ShellState()
    state.begin()
    for line in _logical_lines(script):
        code, comment = _split_comment(line.text)
        if not code:
            state.remark(comment)
            continue
        for part in _parts(code):
            text = _without_keywords(part, state)
            if text and not state.absorb(text):
                yield state.command(text, line.number, comment)
        state.use_comment()


def _logical_lines(script: str) -> Iterator[_Line]:
    """Lines with their continuations joined; a blank behind the backslash, a common slip, is forgiven."""
    rows = script.split("\n")
    last = {row.strip(): place for place, row in enumerate(rows)}
    at = 0
    while at < len(rows):
        start, text = at, rows[at].rstrip()
        while text.endswith("\\") and not text.endswith("\\\\") and at + 1 < len(rows) and not _is_comment(text):
            at += 1
            text = text[:-1].rstrip() + " " + rows[at].strip()
        end = _end_of_quote(text, rows, at)
        if end > at:
            text = "\n".join([text, *rows[at + 1 : end + 1]])
            at = end
        heredoc = None if _is_comment(text) else _HEREDOC.search(text)
        at += 1
        if heredoc and last.get(heredoc[2], 0) >= at:
            at = _after_heredoc(rows, at, heredoc[2])
        yield _Line(text.strip().rstrip("\\").rstrip(), start)


def _is_comment(text: str) -> bool:
    return text.lstrip().startswith("#")


def _end_of_quote(text: str, rows: list[str], at: int) -> int:
    """The row where a quoted string that is open at the end of `text` is closed; `at` where none is, or none closes it."""
    if _is_comment(text) or not _open_quote(text):
        return at
    for end in range(at + 1, min(at + _LONGEST_QUOTE, len(rows))):
        text += "\n" + rows[end]
        if not _open_quote(text):
            return end
    return at


def _open_quote(text: str) -> bool:
    bare = re.sub(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*"|(?:^|\s)#[^\n]*""", "", text, flags=re.DOTALL)
    return "'" in bare or '"' in bare


def _after_heredoc(rows: list[str], at: int, mark: str) -> int:
    return next(place for place in range(at, len(rows)) if rows[place].strip() == mark) + 1


def _split_comment(text: str) -> tuple[str, str]:
    """The code of a line, and its comment."""
    quoted = ""
    for position, sign in enumerate(text):
        if quoted:
            quoted = "" if sign == quoted else quoted
        elif sign in "'\"":
            quoted = sign if text.find(sign, position + 1) > 0 else ""
        elif sign == "#" and (position == 0 or text[position - 1].isspace()):
            comment = text[position:].lstrip("#").strip()
            return text[:position].strip(), "" if _is_pragma(text[position:]) else comment
    return text.strip(), ""


def _is_pragma(comment: str) -> bool:
    """Lines for programs, not for people: `#!/bin/bash`, `#SBATCH`."""
    return comment.startswith(("#!", "#SBATCH", "#PBS", "#$", "#BSUB"))


def _parts(code: str) -> Iterator[str]:
    """The commands of a line, split at `;`, `&&`, `||` and `&`, not within quotes and not at redirections such as `2>&1`."""
    current = ""
    for token in _TOKEN.findall(code):
        if token in (";", "&&", "||", ";;") or (token == "&" and not current.endswith((">", "<"))):
            yield current.strip()
            current = ""
        else:
            current += token
    yield current.strip()


def _without_keywords(part: str, state: ShellState) -> str:
    """A command without `do`, `then` and the like in front; "" for what is only grammar or a condition."""
    text = part
    while text:
        head, _, rest = text.partition(" ")
        loop = _LOOP.match(text)
        if loop:
            values = _words(loop[2])
            state.assign(f"{loop[1]}={values[0] if values else ''}")
            return ""
        if head in _CLOSERS or head in ("for", "case", "select", "function", "[", "[[", "test") or head.endswith("()"):
            return ""
        if head not in _OPENERS:
            return text.strip()
        text = rest.strip()
    return ""


def _words(text: str) -> list[str]:
    """Words as the shell splits them, quotes kept."""
    return re.findall(r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\$\([^)]*\)|\S)+""", text)
