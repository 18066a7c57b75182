"""Reads bash text into simple commands: which program or script is called, from which folder, with which words."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

import msgspec

from ml_agent.tools.commandline.grammar import refused
from ml_agent.tools.commandline.invocation import Invocation, read_invocation, split_assignments
from ml_agent.tools.commandline.lexer import Token, lex
from ml_agent.tools.own_cache import remembered

MAX_BYTES = 200_000
MAX_NESTING = 5
_KEYWORDS = frozenset({"if", "elif", "while", "until", "!", "then", "do", "else", "{", "}", "fi", "done", "esac"})
"""Words of the grammar before a command."""
_NO_COMMAND = frozenset({"for", "case", "select", "function", "[[", "((", "in"})
_DECLARE = frozenset({"export", "declare", "local", "readonly", "typeset"})
_SUBSTITUTION = re.compile(r"\$\(([^()]+)\)|`([^`]+)`")


class CommandLine(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of bash."""

    invocations: tuple[Invocation, ...] = ()
    error: str = ""
    """Why bash refuses it; it is read all the same."""
    assignments: tuple[tuple[str, str], ...] = ()
    """Variables that are set on the way, in order."""
    comments: tuple[str, ...] = ()
    """Comments that stand behind words of a command: what bash ignores, in full."""


def parse_command(text: str, *, prompts: bool = True) -> CommandLine:
    """Read bash text; never raises.

    Args:
        text: one or more commands, with continuations, comments, prompts and control structures.
        prompts: whether `>` at the beginning of a line may be a prompt.
    """
    if len(text) > MAX_BYTES:
        return CommandLine(error="too long")
    return _parse_text(text, ">" if prompts else "")


@remembered(2_000, longest=2_000)
def _parse_text(text: str, prompt: str) -> CommandLine:
    """What a text says; the commands of a repository's documents are asked for by several phases."""
    tokens = list(lex(text.replace("\0", ""), prompts=bool(prompt)))
    line = _assemble(list(simple_commands(tokens)))
    return msgspec.structs.replace(line, error=refused(tokens), comments=tuple(_comments(tokens)))


def simple_commands(tokens: Sequence[Token], depth: int = 0) -> Iterator[tuple[Token, ...]]:
    """Words and redirections of each simple command, and of what has only redirections; and the brackets of subshells.

    Those inside a substitution come before the command that holds it.
    """
    current: list[Token] = []
    for token in tokens:
        if token.kind in ("word", "redirect"):
            current.append(token)
            inside = depth < MAX_NESTING and not token.raw.startswith("'")
            for quoted, ticked in _SUBSTITUTION.findall(token.raw) if inside else ():
                tokens_inside = [one._replace(at=-1) for one in lex(f"({quoted or ticked}\n)")]
                yield from simple_commands(tokens_inside, depth + 1)
        elif token.kind != "comment":
            command = _without_keywords(current)
            if command:
                yield tuple(command)
            if token.raw in ("(", ")"):
                yield (token,)
            current = []


def _without_keywords(tokens: list[Token]) -> list[Token]:
    """The command in `if command`; nothing for `for x`, `case x` and `[[ x ]]`."""
    while tokens and tokens[0].kind == "word" and tokens[0].raw in _KEYWORDS:
        tokens = tokens[1:]
    return [] if tokens and tokens[0].raw in _NO_COMMAND else tokens


def _comments(tokens: Sequence[Token]) -> Iterator[str]:
    """Comments behind words on the same line."""
    words = False
    for token in tokens:
        if token.kind == "comment" and words:
            yield token.raw.lstrip("#").strip()
        words = token.kind in ("word", "redirect") or (words and "\n" not in token.raw)


def _assemble(simple: list[tuple[Token, ...]]) -> CommandLine:
    """Follow `cd`, whose effect ends with its subshell, and assignments."""
    folders = ["."]
    invocations: list[Invocation] = []
    assignments: list[tuple[str, str]] = []
    for command in simple:
        if command[0].raw == "(":
            folders.append(folders[-1])
            continue
        if command[0].raw == ")":  # it may also end a pattern of case
            del folders[max(1, len(folders) - 1) :]
            continue
        environment, words = split_assignments([token.value for token in command if token.kind == "word"])
        redirects = tuple((sign_of(token), token.value) for token in command if token.kind == "redirect")
        if words and words[0] in _DECLARE:
            environment, words = split_assignments([w for w in words[1:] if not w.startswith("-")])
            words = []
        if not words:
            assignments += environment
            continue
        if words[0] in ("cd", "pushd", "popd"):
            folders[-1] = change_folder(folders[-1], words[1:])
            continue
        made = read_invocation(words)
        invocations.append(
            msgspec.structs.replace(
                made,
                environment=(*environment, *made.environment),
                folder=folders[-1],
                redirects=redirects,
                line=command[0].line,
                offset=command[0].at,
            )
        )
    return CommandLine(invocations=tuple(invocations), assignments=tuple(assignments))


def sign_of(redirect: Token) -> str:
    """The operator of a redirection."""
    found = re.match(r"(?:\d*|\{\w+\})[<>&|-]+", redirect.raw)
    return found[0] if found is not None else redirect.raw


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
