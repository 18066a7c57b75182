"""Reads bash text into simple invocations: which program or script is called, from which folder, with which words."""

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec

from tools.bash_grammar import bash_trees
from tools.invocation import Invocation, read_invocation, split_assignments

MAX_BYTES = 200_000
MAX_GRAMMAR_BYTES = 10_000
"""Longer texts are no commands; they are only split into words, since bashlex takes seconds for them."""


OPERATORS = frozenset({"&&", "||", ";", "|", "&", "|&", ";;"})
RESERVED = frozenset({"(", ")", "{", "}", "then", "do", "done", "fi", "else", "in", "esac"})


class CommandLine(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of bash."""

    invocations: tuple[Invocation, ...] = ()
    error: str = ""
    """Why bash could not read it; the invocations are then those of the lines that could be read one by one."""
    assignments: tuple[tuple[str, str], ...] = ()
    """Variables that are set on the way, in order."""
    comments: tuple[str, ...] = ()
    """Comments that stand behind words of a command: what bash ignores, in full."""


class _Simple(msgspec.Struct):
    words: list[str]
    redirects: list[tuple[str, str]]
    piped: bool
    nested: bool


def parse_command(text: str) -> CommandLine:
    """Read bash text; never raises.

    Args:
        text: one or more commands, with continuations, comments and control structures.
    """
    if len(text) > MAX_BYTES:
        return CommandLine(error="too long")
    prepared, comments = _prepare(text)
    simple, error = _with_bashlex(prepared) if len(prepared) <= MAX_GRAMMAR_BYTES else (None, "")
    if simple is None:
        simple = list(_with_shlex(prepared))
    invocations, assignments = _assemble(simple)
    return CommandLine(
        invocations=tuple(invocations), error=error, assignments=tuple(assignments), comments=tuple(comments)
    )


def _prepare(text: str) -> tuple[str, list[str]]:
    """Join continued lines, drop prompts, and take comments out (bashlex stumbles over some)."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    text = re.sub(r"\\\n", " ", text)
    comments: list[str] = []
    lines: list[str] = []
    for line in text.split("\n"):
        stripped = re.sub(r"^\s*(?:\$|>|%|#!?\$)\s+(?=\S)", "", line)
        if stripped.lstrip().startswith("#"):
            continue
        kept, comment = _split_comment(stripped)
        if comment and kept.strip():
            comments.append(comment)
        lines.append(kept)
    return "\n".join(lines).strip(), comments


def _split_comment(line: str) -> tuple[str, str]:
    """A line and the comment behind it; quotes are respected."""
    quote = ""
    for place, char in enumerate(line):
        if quote:
            if char == quote and (quote == "'" or line[place - 1] != "\\"):
                quote = ""
        elif char in "'\"" and (place == 0 or line[place - 1] != "\\"):
            quote = char
        elif char == "#" and (place == 0 or line[place - 1].isspace()):
            return line[:place], line[place + 1 :].strip()
    return line, ""


def _with_bashlex(text: str) -> tuple[list[_Simple] | None, str]:
    if not text:
        return [], ""
    try:
        trees = bash_trees(text)
    except Exception as error:  # noqa: BLE001 - bashlex raises many kinds, also AttributeError and NotImplementedError
        message = " ".join(str(error).split())[:200] or type(error).__name__
        return None, _bash_refuses(text, message)
    found: list[_Simple] = []
    try:
        for tree in trees:
            _walk(tree, found, text)
    except RecursionError:
        return None, "too deeply nested"
    return found, ""


def _bash_refuses(text: str, message: str) -> str:
    """bashlex knows less than bash: only what no shell would read is an error."""
    try:
        shlex.split(text)
    except ValueError as error:
        return str(error)
    return message if re.search(r"unexpected (?:token|EOF)", message) and not _beyond_bashlex(text) else ""


def _beyond_bashlex(text: str) -> bool:
    """Constructs of bash that bashlex does not read."""
    return bool(re.search(r"\(\(|\[\[|\bcase\b|\bselect\b|=\(|<<|\bfunction\b|\bcoproc\b|\$\(\(", text))


def _walk(node: Any, found: list[_Simple], text: str, *, piped: bool = False, nested: bool = False) -> None:
    kind = getattr(node, "kind", "")
    if kind == "command":
        _take(node, found, text, piped, nested)
    elif kind == "pipeline":
        commands = [part for part in node.parts if part.kind not in ("pipe", "reservedword")]
        for place, part in enumerate(commands):
            _walk(part, found, text, piped=piped or place > 0, nested=nested)
    else:
        inner = nested or kind in ("for", "while", "until", "if", "function", "commandsubstitution")
        for part in [*getattr(node, "parts", ()), *getattr(node, "list", ())]:
            _walk(part, found, text, piped=piped, nested=inner)
        command = getattr(node, "command", None)
        if command is not None:
            _walk(command, found, text, piped=piped, nested=True)


def _take(node: Any, found: list[_Simple], text: str, piped: bool, nested: bool) -> None:
    words: list[str] = []
    redirects: list[tuple[str, str]] = []
    for part in node.parts:
        if part.kind in ("word", "assignment"):
            words.append(_unquoted(part, text))
        elif part.kind == "redirect":
            target = getattr(part.output, "word", part.output)
            redirects.append((str(part.type), str(target)))
        for inner in getattr(part, "parts", ()):
            _walk(inner, found, text, nested=True)
    if words:
        found.append(_Simple(words, redirects, piped, nested))


def _unquoted(part: Any, text: str) -> str:
    """A word without its quotes; shlex knows some that bashlex leaves in."""
    try:
        pieces = shlex.split(text[part.pos[0] : part.pos[1]])
    except ValueError:
        return str(part.word)
    return pieces[0] if len(pieces) == 1 else str(part.word)


def _with_shlex(text: str) -> Iterator[_Simple]:
    """Line by line, where bash grammar does not help."""
    for line in text.split("\n"):
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        try:
            words = list(lexer)
        except ValueError:
            words = line.split()
        yield from _split_operators(words)


def _split_operators(words: list[str]) -> Iterator[_Simple]:
    current: list[str] = []
    redirects: list[tuple[str, str]] = []
    piped = False
    rest = iter([*words, ";"])
    for word in rest:
        if word in OPERATORS or word in RESERVED:
            command = _without_keywords(current)
            if command:
                yield _Simple(command, redirects, piped, False)
            current, redirects, piped = [], [], word in ("|", "|&")
        elif re.fullmatch(r"\d*(?:>>?|<|>&|&>)", word):
            redirects.append((word, next(rest, "")))
        else:
            current.append(word)


def _without_keywords(words: list[str]) -> list[str]:
    """The command in `if command`; nothing for `for x`, `case x` and `[[ x ]]`."""
    while words and words[0] in ("if", "elif", "while", "until", "!"):
        words = words[1:]
    return [] if words and words[0] in ("for", "case", "select", "function", "[[", "((") else words


def _assemble(simple: list[_Simple]) -> tuple[list[Invocation], list[tuple[str, str]]]:
    """Follow `cd`, assignments and wrappers."""
    folder = "."
    invocations: list[Invocation] = []
    assignments: list[tuple[str, str]] = []
    for command in simple:
        environment, words = split_assignments(command.words)
        if words and words[0] in ("export", "declare", "local", "readonly", "typeset"):
            environment, words = split_assignments([w for w in words[1:] if not w.startswith("-")])
            words = []
        if not words:
            assignments += environment
            continue
        if words[0] in ("cd", "pushd"):
            folder = change_folder(folder, words[1:])
            continue
        made = read_invocation(words)
        invocations.append(
            msgspec.structs.replace(
                made, environment=(*environment, *made.environment), folder=folder, redirects=tuple(command.redirects),
                piped=command.piped, nested=command.nested,
            )
        )  # fmt: skip
    return invocations, assignments


def change_folder(folder: str, words: Sequence[str]) -> str:
    """The folder after `cd words`; "" where it is not known."""
    places = [w for w in words if not w.startswith("-")]
    if "-" in words or len(places) != 1 or "$" in places[0] or places[0].startswith("~"):
        return ""
    if places[0].startswith("/"):
        return places[0]
    if not folder:
        return ""
    parts: list[str] = []
    for part in PurePosixPath(folder, places[0]).parts:
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts).replace("//", "/") or "."
