"""What bash text would do on the machine of whoever pastes it, beyond running a program: substitutions, redirections, secrets."""

import re
from collections.abc import Iterator

from tools.check.power import Found, leaves
from tools.commandline.lexer import lex
from tools.commandline.shell import parse_command, sign_of
from tools.secret_names import names_a_secret

_NAME = re.compile(r"!?[A-Za-z_]\w*")
_ARITHMETIC = re.compile(r"\$\(\((?![^)]*\w\s+[A-Za-z_])[\w\s$+\-*/%]*\)\)")
_DEVICES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"})
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash"})
_TO_SHELL = re.compile(rf"\|&?\s*(?:sudo\s+(?:-\S+\s+)*)?(?:/\S*/)?(?:{'|'.join(_SHELLS)})\b(?!\s+[\w./])")

_AT_LINE = re.compile(r"^[ \t]*>[ \t]*(\S+)", re.MULTILINE)
"""A redirection without a command, which documents also use for a prompt."""


def bash_powers(text: str, workdir: str = ".") -> list[Found]:
    """Substitutions that bash would run, redirections that leave the repository, variables that hold a secret, pipes to a shell.

    Args:
        text: bash text; what cannot be parsed is looked through all the same.
        workdir: folder relative to the repository from which it runs.
    """
    own = {name for name, _ in parse_command(text).assignments}
    found = [part for part in _expansions(text) if part.text.lstrip("${!") not in own]
    found += [Found("piped-to-shell", match[0]) for match in _TO_SHELL.finditer(text)]
    return list(dict.fromkeys([*found, *_redirects(text, workdir)]))


def _expansions(text: str) -> Iterator[Found]:
    """What bash expands: everywhere but in single quotes, behind a backslash and in comments."""
    at, double, size = 0, False, len(text)
    while at < size:
        char = text[at]
        if char == "\\":
            at += 2
            continue
        if char == "'" and not double:
            at = _single_quote_end(text, at)
            continue
        if char == '"':
            double = not double
        elif char == "#" and not double and (at == 0 or text[at - 1] in " \t\n;|&("):
            at = text.find("\n", at) if "\n" in text[at:] else size
        elif char == "`" or text.startswith("$(", at) or (not double and text.startswith(("<(", ">("), at)):
            arithmetic = _ARITHMETIC.match(text, at)
            if arithmetic is not None:
                at = arithmetic.end()
                continue
            yield Found("command-substitution", _excerpt(text, at))
        elif char == "$":
            yield from _variable(text, at)
        at += 1


def _single_quote_end(text: str, at: int) -> int:
    """Behind a quote that opens at `at`; in $'…' a backslash escapes."""
    escapes = at > 0 and text[at - 1] == "$"
    at += 1
    while at < len(text) and text[at] != "'":
        at += 2 if escapes and text[at] == "\\" else 1
    return at + 1


def _variable(text: str, at: int) -> Iterator[Found]:
    start = at + 2 if text.startswith("${", at) else at + 1
    name = _NAME.match(text, start)
    if name is not None and (name[0].startswith("!") or names_a_secret(name[0])):
        yield Found("secret-variable", text[at : name.end()])


def _redirects(text: str, workdir: str) -> Iterator[Found]:
    command = parse_command(text)
    targets = {(sign, target, call.folder) for call in command.invocations for sign, target in call.redirects}
    targets |= {
        ("tee", word, call.folder)
        for call in command.invocations
        if call.program == "tee"
        for word in call.words
        if not word.startswith("-")
    }
    attached = {(sign, target) for sign, target, _ in targets}
    alone = {(sign_of(token), token.value) for token in lex(text) if token.kind == "redirect"} - attached
    last = command.invocations[-1].folder if command.invocations else "."
    targets |= {(sign, target, last) for sign, target in alone | {(">", word) for word in _AT_LINE.findall(text)}}
    for sign, target, folder in sorted(targets):
        if _to_a_file(sign) and target not in _DEVICES and leaves(target, workdir, folder):
            yield Found("redirect-outside", f"{sign} {target}" if f"{sign} {target}" in text else f"{sign}{target}")


def _to_a_file(sign: str) -> bool:
    return "<<" not in sign and not sign.endswith("&-")


def _excerpt(text: str, at: int) -> str:
    """The substitution up to what closes it, as far as one line shows it."""
    if text[at] == "`":
        end = text.find("`", at + 1)
        return text[at : end + 1] if end > 0 else text[at : at + 60]
    depth = 0
    for place in range(at, min(len(text), at + 400)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0 and text[place] == ")":
            return text[at : place + 1]
    return text[at : at + 60]
