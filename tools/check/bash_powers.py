"""What bash text would do on the machine of whoever pastes it, beyond running a program: substitutions, redirections, secrets."""

import re
from collections.abc import Iterator

from ml_agent.tools.check.bash_commands import command_powers
from ml_agent.tools.check.bash_history import earlier_commands
from ml_agent.tools.check.bash_literal import NUMBERS, exposed
from ml_agent.tools.check.bash_writes import folders_of, names_secret_file
from ml_agent.tools.check.power import PowerUse, leaves
from ml_agent.tools.commandline.lexer import lex
from ml_agent.tools.commandline.shell import parse_command, sign_of
from ml_agent.tools.secret_names import names_a_secret

_EXPANSION = re.compile(r"`|[<>$]\(|\$\[|\$\{?!?[A-Za-z_]\w*|\$\{[!#]?[@*\d]")
_ENCODED = re.compile(r"\$'[^']*\\[xuUc0-7][^']*'?")
"""Letters by their numbers: nobody who reads it knows what it says."""
_HARMLESS = re.compile(
    r"(?<![\\$`])\$\((nproc|pwd|date)(?:(?<=nproc) --all|(?<=date)(?: -u)?(?: (?:\+[\w%:.-]+|'\+[\w%:. -]+'|\"\+[\w%:. -]+\"))?)?\)"
)
"""Substitutions that tell a number, the folder, the time."""
_STANDS_FOR = {"nproc": "1", "pwd": ".", "date": "date"}
_MOST = 200
"""Substitutions that are told one by one."""
_DEVICES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"})
_TO_SHELL = re.compile(r"\|&?\s*(?:sudo\s+(?:-\S+\s+)*)?(?:/\S*/)?(?:sh|bash|dash|zsh|ksh|ash)\b(?!\s+[\w./])")
_REDIRECT = re.compile(r"(\d{0,4}(?:&>>?|[<>]{1,2}[&|]?))[ \t]*([^\s;|&()<>]+)")
_AT_LINE = re.compile(r"^[ \t]*>[ \t]*(\S+)", re.MULTILINE)
"""A redirection without a command, which documents also use for a prompt."""
_PLAIN_BEFORE = re.compile(r"[&|(){}]|<<|\b(?:if|then|else|elif|for|while|until|do|case|select|function|time|coproc)\b")
"""Behind these it is not sure that an assignment was made."""


def bash_powers(text: str, workdir: str = ".") -> list[PowerUse]:
    """Substitutions that bash would run, redirections that leave the repository, secrets, commands that run text, earlier commands.

    Args:
        text: bash text; what cannot be parsed is looked through all the same.
        workdir: folder relative to the repository from which it runs.
    """
    text = _HARMLESS.sub(lambda match: _STANDS_FOR[match[1]], text)
    visible, sure = exposed(text)
    found = [*_expansions(text, visible, sure), *_redirects(text, workdir, sure), *command_powers(text, workdir, sure)]
    if not sure:
        for other in (text.replace("\\\n", ""), without_quotes(text)):
            found += _expansions(other, other, sure)
    found += earlier_commands(text, sure)
    for inner in _inner_shells(text):
        found += bash_powers(inner, workdir)
    if not any(part.power == "piped-to-shell" for part in found):
        found += [PowerUse("piped-to-shell", match[0]) for match in _TO_SHELL.finditer(visible)]
    return list(dict.fromkeys(found))


def without_quotes(text: str) -> str:
    """The text as it would be read a second time: without quotes, escapes and continued lines."""
    return re.sub(r"['\"\\]", "", text.replace("\\\n", ""))


def _inner_shells(text: str) -> list[str]:
    """The texts of `bash -c TEXT`."""
    calls = [*parse_command(text).invocations, *parse_command(text, prompts=False).invocations]
    shells = [call for call in calls if call.target == "code" and "sh" in call.program.rpartition("/")[2]]
    return [call.name for call in shells if len(call.name) < len(text)]


def _expansions(text: str, visible: str, sure: bool) -> Iterator[PowerUse]:
    """What bash expands of the characters that are not surely literal; of very many the first and one for the rest."""
    yield from (PowerUse("command-substitution", match[0]) for match in _ENCODED.finditer(visible))
    count = 0
    for match in _EXPANSION.finditer(visible):
        at = match.start()
        if match[0][0] == "$" and match[0] not in ("$(", "$["):
            yield from _variable(text, visible, at, sure)
        elif NUMBERS.match(visible, at) is None and not _counts(text, visible, at):
            count += 1
            yield PowerUse("command-substitution", _excerpt(text, at) if count < _MOST else text[at:])
            if count == _MOST:
                return


def _counts(text: str, visible: str, at: int) -> bool:
    """Whether it is arithmetic with names that the text itself gives numbers to."""
    match = re.compile(r"\$\(\(([\w\s+\-*/%]*)\)\)").match(visible, at)
    names = set(re.findall(r"[A-Za-z_]\w*", match[1])) if match is not None else set()
    return bool(names) and all(
        re.search(rf"(?<!\w){name}\b(?!=\d+[\s;])", visible[:at]) is None
        and re.search(rf"(?<!\w){name}=\d+[\s;]", visible[:at])
        for name in names
    )


def _variable(text: str, visible: str, at: int, sure: bool) -> Iterator[PowerUse]:
    braced = re.compile(r"\$\{([^}]*)\}?").match(visible, at)
    if braced is not None and re.search(r"@[A-Za-z]$", braced[1]):
        yield PowerUse("command-substitution", text[at : braced.end()])
    name = re.compile(r"\$\{?(!?)(\w*)").match(visible, at)
    if name is None:
        return
    if name[1] or (names_a_secret(name[2]) and not (sure and _is_given(name[2], visible[:at]))):
        yield PowerUse("secret-variable", text[at : name.end()])


def _is_given(name: str, before: str) -> bool:
    """Whether the text itself surely gave the variable a value by a statement of its own before it is used."""
    given = re.search(rf"(?:^|[;\n])[ \t]*(?:export[ \t]+)?{name}=[^\s;&]*[ \t]*(?:[;\n]|&&)", before)
    return given is not None and _PLAIN_BEFORE.search(before[: given.start()]) is None


def _redirects(text: str, workdir: str, sure: bool) -> Iterator[PowerUse]:
    command = parse_command(text)
    targets = {(sign, target, call.folder) for call in command.invocations for sign, target in call.redirects}
    attached = {(sign, target) for sign, target, _ in targets}
    alone = {(sign_of(token), token.value) for token in lex(text) if token.kind == "redirect"} - attached
    if not sure:
        alone |= {(match[1], match[2].strip("'\"")) for match in _REDIRECT.finditer(text)} - attached
    last = command.invocations[-1].folder if command.invocations else "."
    targets |= {(sign, target, last) for sign, target in alone | {(">", word) for word in _AT_LINE.findall(text)}}
    folders = folders_of(text)
    targets |= {(sign, target, folder) for sign, target, _ in targets if ">" in sign for folder in folders}
    for sign, target, folder in sorted(targets):
        if not _to_a_file(sign):
            continue
        shown = f"{sign} {target}" if f"{sign} {target}" in text else f"{sign}{target}"
        if names_secret_file(target, folder):
            yield PowerUse("secret-file", shown)
        if target not in _DEVICES and leaves(target, workdir, folder):
            yield PowerUse("redirect-outside", shown)


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
