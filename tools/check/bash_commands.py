"""Commands that do more than run a program of the repository: they run text, write elsewhere, show the environment."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tools.check.power import Found, Power, leaves
from tools.check.python_powers import python_powers
from tools.commandline.invocation import Invocation, read_invocation, split_assignments
from tools.commandline.lexer import Token, lex
from tools.commandline.shell import parse_command, simple_commands
from tools.launchers import HELP, PYTHON, SHELLS, SOURCES, VERSION
from tools.secret_names import names_a_secret

_RUN_TEXT = frozenset(
    [
        "eval",
        "trap",
        "alias",
        "exec",
        "su",
        "watch",
        "parallel",
        "crontab",
        "at",
        "batch",
        "enable",
        "fc",
        "bind",
        "complete",
        "builtin",
    ]
)
_READ_TEXT = frozenset(
    {*SHELLS, "ash", "fish", "csh", "tcsh", "perl", "ruby", "node", "php", "lua", "ipython", "busybox"}
)
"""Programs that run what they read where no file is named."""
_CODE = frozenset({"-e", "-E", "-r", "--eval", "--run"})
"""Options of the same with which they run a word."""
_STREAM = re.compile(r"-|-s|/dev/(?:stdin|fd/\d+|tcp/.*|udp/.*)|/proc/.*/fd/\d+")
_WRITE_ALL = frozenset(["tee", "rm", "rmdir", "touch", "truncate", "chmod", "chown", "chgrp", "shred", "mv", "unlink"])
_WRITE_LAST = frozenset(["cp", "ln", "install", "rsync", "scp"])
_DECLARE = frozenset({"export", "declare", "typeset", "readonly", "local"})
_MOVE = frozenset({"cd", "pushd", "popd"})
_ENVIRON = re.compile(r"/proc/[^\s/]+/environ|\bcompgen\s+-\w*[ev]")
_PROMPTS = re.compile(r"(?:^|[\s;&|({])((?:PS[0-4]|PROMPT_COMMAND|BASH_ENV|LD_PRELOAD|CDPATH)\+?=)")
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")


class _Call(NamedTuple):
    """A simple command, and what it comes down to."""

    raw: str
    """As written."""
    words: tuple[str, ...]
    """Without quotes, with wrappers such as env and sudo."""
    inner: Invocation
    folder: str


def command_powers(text: str, workdir: str, sure: bool) -> Iterator[Found]:
    """What single commands of a text do.

    Args:
        text: bash text.
        workdir: folder relative to the repository from which it runs.
        sure: whether quotes and comments are surely where they seem to be; else each line is read by itself, too.
    """
    yield from (Found("secret-variable", match[0]) for match in _ENVIRON.finditer(text))
    yield from (Found("runs-text", match[1]) for match in _PROMPTS.finditer(text))
    command = parse_command(text)
    folders = [call.folder for call in command.invocations]
    texts = [text] if sure else [text, *text.split("\n"), *re.sub(r"['\"\\]", "", text).split("\n")]
    for piece in dict.fromkeys(texts):
        for call in _calls(piece, folders if piece is text else []):
            yield from _of_call(call, workdir, command.assignments, text)


def _calls(text: str, folders: list[str]) -> Iterator[_Call]:
    """The simple commands; their folders where all of them are known."""
    found = [call for tokens in simple_commands(list(lex(text))) if (call := _call(tokens)) is not None]
    starting = [call for call in found if call.words[0] not in _MOVE | _DECLARE]
    for place, call in enumerate(starting if len(starting) == len(folders) else ()):
        starting[place] = call._replace(folder=folders[place])
    return iter(starting + [call for call in found if call.words[0] in _DECLARE])


def _call(tokens: Sequence[Token]) -> _Call | None:
    _, words = split_assignments([token.value for token in tokens if token.kind == "word"])
    if not words:
        return None
    raw = "".join(token.gap + token.raw for token in tokens).strip()
    return _Call(raw, tuple(words), read_invocation(words), ".")


def _of_call(call: _Call, workdir: str, given: Sequence[tuple[str, str]], text: str) -> Iterator[Found]:
    outer, name = _base(call.words[0]), _base(call.inner.program)
    power = _by_name(call, outer, name)
    if power is None and _is_unknown_program(call.inner.program, given, text):
        power = "runs-text"
    if power is not None:
        yield Found(power, call.raw)
    if PYTHON.match(call.inner.program) and call.inner.target == "code":
        yield from (Found(part.power, call.raw) for part in python_powers(call.inner.name, workdir))
    yield from _written(call, outer, name, workdir)


def _base(program: str) -> str:
    return program.rpartition("/")[2]


def _by_name(call: _Call, outer: str, name: str) -> Power | None:
    """What a command does that a program's name tells."""
    rest = call.inner.words
    if _RUN_TEXT & {outer, name}:
        return "runs-text"
    if outer in SOURCES or name in SOURCES:
        target = call.inner.name if call.inner.target == "shell" else "".join(rest[:1])
        return "runs-text" if _STREAM.fullmatch(target) or leaves(target, ".", call.folder) or not target else None
    if name in _READ_TEXT and _CODE.intersection(rest) and name not in SHELLS:
        return "runs-text"
    if _reads_stdin(call, name) or (outer == "xargs" and _READ_TEXT & set(map(_base, call.words))):
        return "piped-to-shell"
    return "secret-variable" if _shows_environment(call, outer, name) else None


def _reads_stdin(call: _Call, name: str) -> bool:
    """Whether a shell or an interpreter is started without a program of its own."""
    inner = call.inner
    if PYTHON.match(inner.program):
        bare = inner.target == "console" and not (HELP | VERSION).intersection(inner.words)
        stream = inner.target == "script" and _STREAM.fullmatch(inner.name) is not None
        return bare or stream or (inner.target == "module" and inner.name == "code")
    if name not in _READ_TEXT or inner.target == "code":
        return False
    words = [word for word in (inner.name, *inner.words) if word != inner.program and word]
    if (HELP | VERSION).intersection(words):
        return False
    named = [word for word in words if not word.startswith("-")]
    return not named or any(_STREAM.fullmatch(word) for word in words[:2])


def _shows_environment(call: _Call, outer: str, name: str) -> bool:
    plain = [word for word in call.words[1:] if not word.startswith("-")]
    if name == "printenv":
        names = [word for word in call.inner.words if not word.startswith("-")]
        return not names or any(map(names_a_secret, names))
    if outer in _DECLARE:
        refers = outer != "export" and any(re.match(r"-\w*n", word) for word in call.words[1:])
        return (
            refers
            or not plain
            or (any(re.match(r"-\w*p", w) for w in call.words[1:]) and any(map(names_a_secret, plain)))
        )
    return name == "env" or (outer == "set" and len(call.words) == 1)


def _is_unknown_program(program: str, given: Sequence[tuple[str, str]], text: str) -> bool:
    """Whether what runs is put together by the text itself: a variable that it sets, braces, a pattern."""
    name = _base(program)
    variable = _VARIABLE.fullmatch(program)
    if variable is None:
        return bool(re.search(r"[$`*?]|\{.*[,.].*\}|\[.*\]", name)) and name not in ("[", "[[")
    values = [value for known, value in given if known == variable[1]]
    mentioned = len(re.findall(rf"(?<![\w$]){variable[1]}\b", re.sub(r"\$\{", "$", text)))
    harmless = all(
        re.fullmatch(r"(?:\S*/)?(?:python|torchrun|accelerate|deepspeed)[\d.]*(?: [^$`]*)?", v) for v in values
    )
    return not variable[1].isidentifier() or mentioned > len(values) or not harmless


def _written(call: _Call, outer: str, name: str, workdir: str) -> Iterator[Found]:
    """Files elsewhere that a command makes, changes or removes."""
    words = [word for word in call.inner.words if not word.startswith("-")]
    targets: list[str] = []
    if name in _WRITE_ALL:
        targets = words[1:] if name in ("chmod", "chown", "chgrp") else words
    elif name in _WRITE_LAST:
        targets = [*words[-1:], *_values(call.inner.words, ("-t", "--target-directory"))]
    elif name == "dd":
        targets = [word[3:] for word in words if word.startswith("of=")]
    elif name in ("wget", "curl"):
        targets = _values(call.inner.words, ("-O", "-o", "-P", "--output", "--output-document", "--directory-prefix"))
        targets = [word for word in targets if word != "/dev/null"]
    if outer in ("env", "sudo"):
        targets += _values(call.words, ("-C", "--chdir", "-D"))
    if name in _MOVE or any(leaves(target, workdir, call.folder) for target in targets):
        yield Found("redirect-outside", call.raw)


def _values(words: Sequence[str], options: Sequence[str]) -> list[str]:
    """The values of options, written in any of three ways."""
    found: list[str] = []
    for place, word in enumerate(words):
        for option in options:
            if word == option:
                found += words[place + 1 : place + 2]
            elif word.startswith(f"{option}=") or (len(option) == 2 and word.startswith(option)):
                found.append(word[len(option) :].removeprefix("="))
    return found
