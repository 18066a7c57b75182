"""Commands that do more than run a program of the repository: they run text, write elsewhere, show the environment."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from ml_agent.tools.check.bash_writes import folders_of, names_secret_file, option_values, written
from ml_agent.tools.check.power import Power, PowerUse, leaves
from ml_agent.tools.check.python_powers import python_powers
from ml_agent.tools.commandline.invocation import Invocation, read_invocation, split_assignments
from ml_agent.tools.commandline.lexer import Token, lex
from ml_agent.tools.commandline.shell import parse_command, simple_commands
from ml_agent.tools.launchers import HELP, PYTHON, SHELLS, SOURCES, VERSION, launchers
from ml_agent.tools.secret_names import names_a_secret

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
        "coproc",
        "busybox",
        "script",
        "function",
        "ed",
        "ex",
        "vi",
        "vim",
        "expect",
        "socat",
    ]
)
_READ_TEXT = frozenset(
    {*SHELLS, "ash", "fish", "csh", "tcsh", "perl", "ruby", "node", "php", "lua", "ipython", "busybox"}
)
"""Programs that run what they read where no file is named."""
_CODE = frozenset({"-e", "-E", "-r", "--eval", "--run"})
"""Options of the same with which they run a word."""
_FIND_STARTS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_READERS = frozenset(
    [
        "grep",
        "egrep",
        "fgrep",
        "wc",
        "cat",
        "head",
        "tail",
        "ls",
        "stat",
        "du",
        "md5sum",
        "sha256sum",
        "basename",
        "echo",
    ]
)
"""Programs that `find` may start: whatever their options are, they read."""
_MAKES = frozenset({"mkdir", "ln"})
"""Programs that make folders and links, and change nothing that is there."""
_STREAM = re.compile(r"-|-s|/dev/(?:stdin|fd/\d+|tcp/.*|udp/.*)|/proc/.*/fd/\d+")
_LETTERS = {
    "perl": "eE",
    "ruby": "e",
    "node": "ep",
    "php": "rBRE",
    "lua": "e",
    "fish": "cC",
    "csh": "c",
    "tcsh": "c",
    "ipython": "c",
}
"""Letters of options with which a program runs a word, also among others in one word."""
_DECLARE = frozenset({"export", "declare", "typeset", "readonly", "local"})
_MOVE = frozenset({"cd", "pushd", "popd"})
_ENVIRON = re.compile(r"/proc/[^\s/]+/environ|\bcompgen\s+-\w*[ev]")
_PROMPTS = re.compile(r"(?:^|[\s;&|({])((?:PS[0-4]|PROMPT_COMMAND|BASH_ENV|LD_PRELOAD|CDPATH)\+?=)")
_FUNCTION = re.compile(r"(?:^|[;&|({\n])[ \t]*(?:(?:then|do|else|time|!)[ \t]+)*function[ \t]+\S+", re.MULTILINE)
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")


class _Call(NamedTuple):
    """A simple command, and what it comes down to."""

    raw: str
    """As written."""
    words: tuple[str, ...]
    """Without quotes, with wrappers such as env and sudo."""
    inner: Invocation
    folder: str


class _Places(NamedTuple):
    """From where paths are judged."""

    workdir: str
    folders: tuple[str, ...]
    """All in which a command may run; () where each has its own."""


def command_powers(text: str, workdir: str, sure: bool) -> Iterator[PowerUse]:
    """What single commands of a text do.

    Args:
        text: bash text.
        workdir: folder relative to the repository from which it runs.
        sure: whether quotes and comments are surely where they seem to be; else each line is read by itself, too.
    """
    yield from (PowerUse("secret-variable", match[0]) for match in _ENVIRON.finditer(text))
    yield from (PowerUse("runs-text", match[1]) for match in _PROMPTS.finditer(text))
    yield from (PowerUse("runs-text", match[0]) for match in _FUNCTION.finditer(text))
    for prompts in (True, False):
        yield from _all_calls(text, workdir, sure, prompts=prompts)


def _all_calls(text: str, workdir: str, sure: bool, *, prompts: bool) -> Iterator[PowerUse]:
    """What the simple commands do."""
    command = parse_command(text, prompts=prompts)
    places = _Places(workdir, folders_of(text))
    folders = [call.folder for call in command.invocations]
    texts = [text] if sure else [text, *text.split("\n"), *re.sub(r"['\"\\]", "", text).split("\n")]
    for piece in dict.fromkeys(texts):
        for call in _calls(piece, folders if piece is text else [], prompts=prompts):
            yield from _of_call(call, places, command.assignments, text)


def _calls(text: str, folders: list[str], *, prompts: bool) -> Iterator[_Call]:
    """The simple commands; their folders where all of them are known."""
    found = [
        call for tokens in simple_commands(list(lex(text, prompts=prompts))) if (call := _call(tokens)) is not None
    ]
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


def _of_call(call: _Call, places: _Places, given: Sequence[tuple[str, str]], text: str) -> Iterator[PowerUse]:
    outer, name = _base(call.words[0]), _base(call.inner.program)
    power = _by_name(call, outer, name)
    if power is None and _is_unknown_program(call.inner.program, given, text):
        power = "runs-text"
    if power is not None:
        yield PowerUse(power, call.raw)
    if PYTHON.match(call.inner.program) and call.inner.target == "code":
        yield from (PowerUse(part.power, call.raw) for part in python_powers(call.inner.name, places.workdir))
    if any(names_secret_file(word, call.folder) for word in call.words):
        yield PowerUse("secret-file", call.raw)
    yield from _writes(call, outer, name, places, text)


def _base(program: str) -> str:
    return program.rpartition("/")[2]


def _by_name(call: _Call, outer: str, name: str) -> Power | None:
    """What a command does that a program's name tells."""
    rest = call.inner.words
    harmless = outer == "exec" and (PYTHON.match(name) or name in launchers() or name.endswith((".py", ".sh")))
    if (_RUN_TEXT & {outer, name} and not harmless) or _given_text(name, rest):
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
    if name not in _READ_TEXT or (inner.target == "code" and inner.name):
        return False
    if inner.target == "code":  # -s: what stands behind it is given to what is read
        return True
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


def _writes(call: _Call, outer: str, name: str, places: "_Places", text: str) -> Iterator[PowerUse]:
    """Files elsewhere that a command makes, changes or removes."""
    targets = written(name, call.inner.words)
    if outer in ("env", "sudo"):
        targets += option_values(call.words, ("-C", "--chdir", "-D"))
    folders = places.folders or (call.folder,)
    outside = [one for one in targets if any(leaves(one, places.workdir, folder) for folder in folders)]
    if name in _MOVE or outside:
        makes = name == outer and name in _MAKES and not _replaces(call.words) and not _changes_others(text)
        yield PowerUse("redirect-outside", call.raw, tuple(outside) if makes else ())


def _replaces(words: Sequence[str]) -> bool:
    """Whether `ln` replaces what is there, elsewhere than in the folder where it runs."""
    options = [word for word in words if word.startswith("-")]
    forced = any(re.match(r"-\w*[fbS]|--(?:force|backup|suffix)", word) for word in options)
    return forced and (words[-1].startswith(("/", "~", "..")) or any(re.match(r"-\w*t|--t", word) for word in options))


def _changes_others(text: str) -> bool:
    """Whether a text writes in other ways than by making folders and links: it could write through a link."""
    lexed = [*lex(text), *lex(text, prompts=False)]
    if any(token.kind == "redirect" and ">" in token.raw for token in lexed):
        return True
    calls = [*parse_command(text).invocations, *parse_command(text, prompts=False).invocations]
    return any(_base(call.program) not in _MAKES and written(_base(call.program), call.words) for call in calls)


def _awk_runs(words: Sequence[str]) -> bool:
    """Whether an awk program starts others, writes files, or reads the environment: `>` before anything is printed compares."""
    apart = ("-F", "--field-separator")
    programs = [word for before, word in pairwise(("", *words)) if before not in apart and not word.startswith(apart)]
    return any(
        re.search(r"\bsystem\b|\bgetline\b|ENVIRON|PROCINFO|@|>>|\bprintf?\b.*>", word, re.DOTALL)
        or "|" in word.replace("||", "")
        for word in programs
    )


def _given_text(name: str, words: Sequence[str]) -> bool:
    """Whether a program that has a language of its own is given text in which commands may stand."""
    options = list(takewhile(lambda word: word.startswith("-"), words))
    if name in _LETTERS and any(re.match(rf"-\w*[{_LETTERS[name]}]", word) for word in options):
        return True
    if name == "find":
        started = [following for word, following in pairwise((*words, "")) if word in _FIND_STARTS]
        return any(program not in _READERS for program in started)
    if name in ("awk", "gawk", "mawk", "nawk"):
        return _awk_runs(words)
    if name == "git":
        config = "config" in words[:2] and any(re.search(r"!|alias|core\.|hook|filter", word) for word in words)
        return config or any(
            re.match(r"-c|--(?:config|exec-path|upload-pack|receive-pack)|ext::", word) for word in words
        )
    if name == "tar":
        return any(
            re.match(r"--(?:to-command|checkpoint-action|use-compress|rsh|info-script)|-\w*[IF]", w) for w in words
        )
    return False
