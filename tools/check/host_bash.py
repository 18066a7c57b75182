"""What bash text would do in the shell of whoever pastes it, beyond running programs of the repository.

It is read by allowing: each token must have a form that bash reads exactly as it is read here, and each command must be one
that is known to do no more than it says. Whatever is left is a risk, also where it may be harmless.
"""

import posixpath
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise

import msgspec

from ml_agent.tools.check.host_python import python_risks
from ml_agent.tools.check.host_scope import LONGEST, HostRisk, HostScope, Named, Tool, host_table
from ml_agent.tools.commandline.grammar import refused
from ml_agent.tools.commandline.invocation import ASSIGNMENT, unwrap
from ml_agent.tools.commandline.lexer import Token, lex
from ml_agent.tools.commandline.shell import change_folder, sign_of
from ml_agent.tools.launchers import PYTHON, SHELLS, SOURCES, VERSION, launcher_modules, launchers
from ml_agent.tools.secret_names import names_a_secret

_VARIABLE = r"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|[?#$!@*0-9])"
_WORD = re.compile(
    rf"(?!#)(?>[^\s\\'\"$`;|&<>()!]|!(?:$|=)|\\[^\n]|'[^'\n]*'|'[^'!]*'|\"(?:[^\"\\$`!]|\\[^\n]|!(?=[\s=\"])|{_VARIABLE}|\$(?=[\s\"]))*\""
    rf"|{_VARIABLE}|\$\(\([\d+\-*/%\s]*\)\))++"
)
"""A word that bash reads by rules that are kept here: letters, quotes, escapes, plain variables, arithmetic of numbers."""
_GAP = re.compile(r"(?:[ \t]|(?<![^ \t])\\\n)*")
_SIGN = re.compile(r"(?:[012]?(?:>>?|>\||>&|<)|&>>?|<<<|<<-?)")
_OPERATORS = frozenset({"\n", ";", "&&", "||", "|", "|&", "&"})
_KEYWORDS = frozenset({"do", "done", "time"})
_CONDITIONS = frozenset({"if", "then", "else", "elif", "fi", "while", "until", "{", "}", "!"})
_HARMLESS = re.compile(r"(?<![\\$`])\$\((nproc|pwd|date(?: -u)?(?: \+[\w%:.-]+| '\+[\w%:. -]+'| \"\+[\w%:. -]+\")?)\)")
"""Substitutions that tell a number, the folder, the time."""
_STANDS_FOR = {"n": "1", "p": ".", "d": "date"}
_SLIP = re.compile(r"(?<=[^\s\\'\"`$&|;<>(])\\\n(?=[ \t])")
"""A line that continues without a blank before the backslash: the next one begins with one."""
_OF_SHELL = re.compile(
    r"IFS|_|BASH\w*|PS[0-4]|PROMPT_COMMAND|SHELL\w*|ENV|OLDPWD|DIRSTACK|REPLY|MAPFILE|OPT\w+|HIST\w*|PATH|EUID"
)
_PIECE = re.compile(r"'[^']*'|\"((?:[^\"\\]|\\.)*)\"|\\.|\$\{?(\w+)", re.DOTALL)
_USED = re.compile(r"\\.|\$\{?(\w+)", re.DOTALL)
_BRACES = re.compile(r"\{[^{}]*(?:,|\.\.)[^{}]*\}")
_PLAIN_BRACES = re.compile(r"\{(?:[\w-]+(?:,[\w-]+)*|\d+\.\.\d+)\}")
_PROGRAM = re.compile(r"[\w./+-]+")
_CODE_FILE = re.compile(
    r"\.(?:py\w?|pth|so|sh|bash|pl|rb|m?js|jl|r|lua|cfg|mk|cmake|ipynb|c|cc|cpp|cxx|cuh?|h|hpp)$"
    r"|(?:^|/)(?:Makefile|conftest|Dockerfile|(?:uv|poetry|pyproject|pixi)\.toml$|(?:tox|pytest)\.ini$|CMakeLists\.txt$)",
    re.IGNORECASE,
)
_SED = re.compile(r"s/\\r\$//")
"""The one program that sed is given: it takes carriage returns away."""
_ESCAPES = re.compile(r"\\[^nt\\]")
"""In what `echo -e` is given; line ends and tabs are harmless."""
_MODE = re.compile(r"u?\+[rwx]+")
_WRITES_OUT = frozenset({"mkdir", "chmod", "tee", "cp", "mv", "ln", "sed", "touch", "uniq"})
_BUILDS = frozenset({"make", "pytest", "pip", "pip3", "uv"})
"""Programs that run what lies in a folder."""
_DEEPEST = 3
_MOST_LAUNCHERS = 50


def bash_risks(text: str, scope: HostScope, depth: int = 0) -> list[HostRisk]:
    """What the text would do beyond running what was asked for; [] where it is fit for the user's own shell."""
    if len(text) > LONGEST["bash"] or depth > _DEEPEST:
        return [HostRisk("is too long or nested too deeply to judge", text)]
    text = text.replace("\r\n", "\n")
    text = _HARMLESS.sub(lambda match: _STANDS_FOR[match[1][0]], _SLIP.sub(r" \\\n", text))
    tokens = list(lex(text, prompts=False))
    unclear = [HostRisk("uses bash syntax that is not judged", bad) for bad in _unclear(text, tokens)]
    if unclear:
        return unclear
    used = frozenset(_variables(text))
    return list(dict.fromkeys(_Reader(text, scope, used, depth).risks()))


def _unclear(text: str, tokens: Sequence[Token]) -> Iterator[str]:
    """Tokens that bash may read otherwise, or that an interactive bash replaces by an earlier command."""
    if error := refused(tokens):
        yield error
    yield from re.findall(r"^\^.*", text, re.MULTILINE)
    yield from _documents(tokens)
    for token in tokens:
        raw = token.raw
        if not _GAP.fullmatch(token.gap) or "\r" in raw:
            yield raw or token.gap
        elif token.kind == "word":
            yield from [] if _WORD.fullmatch(raw) else [raw]
        elif token.kind == "redirect":
            sign = sign_of(token)
            target = raw[len(sign) :].strip()
            good = _SIGN.fullmatch(sign) and (_WORD.fullmatch(target) or target == "-")
            yield from [] if good else [raw]
        elif token.kind == "operator" and raw not in _OPERATORS and not raw.startswith("\n"):
            yield raw


def _documents(tokens: Sequence[Token]) -> Iterator[str]:
    """Here-documents that bash may end elsewhere, or puts something into."""
    begun: Token | None = None
    for token in tokens:
        sign = sign_of(token) if token.kind == "redirect" else ""
        if sign in ("<<", "<<-"):
            yield from [] if begun is None else [token.raw]
            begun = token
        elif begun is not None and (token.kind == "end" or token.raw.startswith("\n")):
            last = token.raw.rstrip("\n").rpartition("\n")[2]
            mark = last.lstrip("\t") if sign_of(begun) == "<<-" else last
            quoted = "'" in begun.raw or '"' in begun.raw
            if mark != begun.value or (not quoted and re.search(r"[$`\\]", token.raw)):
                yield begun.raw + token.raw
            begun = None


def _variables(raw: str) -> list[str]:
    """The variables that bash puts into a word."""
    found = [name for inner, name in _PIECE.findall(raw) for name in ([name] if name else _USED.findall(inner))]
    return [name for name in found if name]


class _Reader:
    """Goes along the commands of a text, knows in which folders they may run and which files they have written."""

    def __init__(self, text: str, scope: HostScope, used: Collection[str], depth: int) -> None:
        self.text, self.scope, self.used, self.depth = text, scope, used, depth
        self.table = host_table()
        self.folders: list[str] = ["."]
        self.written: set[str] = set()
        """Files that the text has made, as they are named."""
        self.assigned: set[str] = set()
        self.sure: set[str] = set()
        """Variables that the text begins with giving values to."""
        self.launchers = 0

    def risks(self) -> Iterator[HostRisk]:
        """All risks, in the order of the text."""
        tokens = [token for token in lex(self.text, prompts=False) if token.kind != "comment"]
        self.assigned = {m[1] for token in tokens if (m := ASSIGNMENT.match(token.value))}
        self.assigned |= {after.raw for token, after in pairwise(tokens) if token.raw == "for"}
        command: list[Token] = []
        begins = True
        start = list(self.folders)  # where the commands that `&&` joins begin: any of them may fail
        for token in tokens:
            if token.kind in ("word", "redirect"):
                command.append(token)
                continue
            begins = begins and self._begins(command, token.raw)
            yield from self._command(command)
            piped = token.raw in ("|", "|&") and all(one.raw != "cd" for one in command)
            if not piped and token.raw != "&&":
                self.folders = start = list(dict.fromkeys([*start, *self.folders]))
            command = []

    def _begins(self, command: Sequence[Token], sign: str) -> bool:
        """Whether a command at the beginning only gives values to variables, which are then known."""
        given = command[1:] if command and command[0].raw == "export" else command
        matches = [match for token in given if (match := ASSIGNMENT.match(token.raw)) and match[2] == "="]
        if len(matches) < len(given) or (sign not in (";", "&&") and not sign.startswith("\n")):
            return False
        for match in matches:
            if not any(names_a_secret(name) and name not in self.sure for name in _variables(match[3])):
                self.sure.add(match[1])
        return True

    def _command(self, tokens: list[Token]) -> Iterator[HostRisk]:
        while tokens and tokens[0].raw in _KEYWORDS:
            tokens = tokens[1:]
        if tokens and tokens[0].raw in _CONDITIONS:
            yield HostRisk("uses bash syntax that is not judged", tokens[0].raw)
            return
        raw = "".join(token.gap + token.raw for token in tokens).strip()
        redirects = [token for token in tokens if token.kind == "redirect"]
        words = [token for token in tokens if token.kind == "word"]
        for why, text in self._judged(words, redirects):
            yield HostRisk(why, text or raw)

    def _judged(self, words: list[Token], redirects: list[Token]) -> Iterator[tuple[str, str]]:
        for token in redirects:
            yield from self._redirect(token)
        if words[:1] and words[0].raw == "for":
            name = words[1].value if len(words) > 1 else ""
            if _OF_SHELL.fullmatch(name) or self.table.refused_environment.fullmatch(name):
                yield "sets a variable by which programs are found or started", ""
            yield from self._arguments(words[3:], own=True)
            return
        exports = bool(words) and words[0].raw == "export"
        start = (
            next((n for n, token in enumerate(words) if not ASSIGNMENT.match(token.raw)), len(words))
            if not exports
            else 0
        )
        given, rest = (words[1:], []) if exports else (words[:start], words[start:])
        for token in given:
            yield from self._assignment(token, exported=exports, own=bool(rest) and self._is_own(rest), alone=not rest)
        if rest:
            yield from self._program(rest)

    def _redirect(self, token: Token) -> Iterator[tuple[str, str]]:
        sign, target = sign_of(token), token.value
        if sign.startswith("<<") or target.isdigit() or target == "-" or not target:
            return
        named: Named = "no" if ">" in sign else "below"
        yield from ((why, token.raw) for why, _ in self._arguments([token], own=False, named=named))
        if "$" in token.raw and "<" not in sign:
            yield "writes to a path given by a variable", token.raw
        if ">" in sign:
            yield from self._writes(target)

    def _writes(self, target: str) -> Iterator[tuple[str, str]]:
        self.written |= self._places(target)
        if _CODE_FILE.search(target) and not self.scope.asks_for_code and not self.scope.names(target):
            yield "writes a file that programs run or read as code", target

    def _places(self, name: str) -> set[str]:
        """Where a file or a folder of that name may lie."""
        return {posixpath.normpath(posixpath.join(folder, name)) for folder in self.folders}

    def _is_written(self, name: str) -> bool:
        """Whether the text has written or brought it, or a folder above it."""
        return any(place == one or place.startswith(f"{one}/") for place in self._places(name) for one in self.written)

    def _assignment(self, token: Token, *, exported: bool, own: bool, alone: bool) -> Iterator[tuple[str, str]]:
        match = ASSIGNMENT.match(token.value)
        name, value = (match[1], match[3]) if match is not None else (token.value, "")
        if self.scope.names(token.value):
            return
        in_tree = (
            name == "PYTHONPATH"
            and own
            and not self.scope.outside(value.replace("$PYTHONPATH", ""), self.folders)
            and not any(map(self._is_written, value.replace("$PWD", ".").split(":")))
        )
        if self.table.environment.fullmatch(name) is None and not in_tree:
            used = alone and name in self.used
            if self.table.refused_environment.fullmatch(name) or not (own or used or (alone and not exported)):
                yield "sets a variable by which programs find, start or trust something", token.raw
        yield from self._arguments([token], own=own or alone)

    def _arguments(self, tokens: Iterable[Token], *, own: bool, named: Named = "below") -> Iterator[tuple[str, str]]:
        """Words that name places or secrets of the user's."""
        for token in tokens:
            value = token.value
            for name in _variables(token.raw):
                if names_a_secret(name) and name not in self.sure:
                    yield "passes on one of your secrets", token.raw
                if _OF_SHELL.fullmatch(name) or (name in self.assigned and ("/" in value or ".." in value)):
                    yield "is computed when it runs", token.raw
            place = self.scope.outside(value, self.folders, own=own, named=named)
            if place:
                yield "names a path outside the repository, or a hidden file, that your request does not name", place
            odd = (
                _BRACES.search(value)
                and not _PLAIN_BRACES.search(value)
                and "'" not in token.raw
                and '"' not in token.raw
            )
            if (odd and "/" in value) or any(
                re.search(r"[*?\[]", one) and fnmatchcase("..", one) for one in value.split("/") if one.strip("*")
            ):
                yield "is computed when it runs", token.raw

    def _is_own(self, words: list[Token]) -> bool:
        """Whether a command runs a program of the repository, as far as that decides what its environment may be."""
        name = posixpath.basename(words[0].value)
        return (
            bool(PYTHON.match(words[0].value))
            or name in launchers()
            or name in SHELLS
            or "/" in words[0].value
            or self._has(name)
        )

    def _has(self, name: str) -> bool:
        known = name in self.table.builtins | self.table.refused_builtins
        return not known and (self.scope.has_program(name) or self.scope.names(name))

    def _program(self, words: list[Token]) -> Iterator[tuple[str, str]]:
        program, rest = words[0].value, words[1:]
        name = posixpath.basename(program)
        if words[0].raw in ("$PYTHON", "${PYTHON}") and "PYTHON" not in self.assigned:
            program = name = "python"
        launcher = launchers().get(name)
        if not _PROGRAM.fullmatch(program) and name not in ("[", ":"):
            yield "starts a program whose name is computed", words[0].raw
        elif name in self.table.builtins and "/" not in program:
            yield from self._builtin(name, rest)
        elif name in self.table.refused_builtins:
            yield "is a bash builtin that can change your shell", ""
        elif launcher is not None and (not launcher.word or any(token.value == launcher.word for token in rest)):
            yield from self._launched(words, name)
        elif PYTHON.match(program):
            yield from self._python(rest)
        elif name in SHELLS:
            yield from self._shell(rest)
        elif tool := self._tool([program, *(token.value for token in rest[:2])]):
            yield from self._tool_words(*tool, name, rest)
        elif "/" in program or program.endswith((".py", ".sh")):
            yield from self._script(words[0])
            yield from self._arguments(rest, own=True)
        elif self._has(program):
            yield from self._arguments(rest, own=True)
        else:
            yield f"starts {name}, which is neither the repository's nor known to be harmless", ""

    def _builtin(self, name: str, words: list[Token]) -> Iterator[tuple[str, str]]:
        values = [token.value for token in words]
        if name == "cd":
            moved = {change_folder(folder, values) for folder in self.folders}
            if "" in moved or self.scope.outside("".join(values), self.folders):
                yield "goes to a place outside the repository", ""
            self.folders = [folder for folder in moved if folder] or ["."]
        elif name in SOURCES:
            yield from self._script(words[0]) if words else [("reads commands", "")]
        elif name == "set" and not all(re.fullmatch(r"[-+][euxo]+|pipefail", value) for value in values):
            yield "changes how your shell works", ""
        elif name in ("test", "[", "wait") and any("[" in value or value in ("-v", "-R", "-p") for value in values):
            yield "is evaluated by bash", ""
        elif name == "echo" and re.match(r"-[nE]*e", "".join(values[:1])) and any(map(_ESCAPES.search, values[1:])):
            yield "prints terminal control characters", ""
        yield from self._arguments(words, own=False)

    def _launched(self, words: list[Token], name: str) -> Iterator[tuple[str, str]]:
        """A launcher with its options, and what it starts."""
        launcher = launchers()[name]
        values = [token.value for token in words]
        self.launchers += 1
        if (name in ("sudo", "xargs") and not self.scope.names(name)) or self.launchers > _MOST_LAUNCHERS:
            yield f"starts programs by {name}", ""
            return
        inner = self._behind_script_options(values) if launcher.starts == "script" else unwrap(values, launcher)
        added = 0  # words that stand for what is said in other ways: `uv run -m` is `python -m`
        while len(inner) > added and values[len(values) - len(inner) + added :] != inner[added:]:
            added += 1
        count = len(inner) - added
        own, rest = words[1 : len(words) - count], words[len(words) - count :] if count else []
        own = [token for token in own if token.value != launcher.word and token.value not in launcher.modules]
        if launcher.starts == "python" and own:
            yield "is an option of a launcher that may start or read something else", own[0].raw
        yield from self._launcher_options(own)
        while rest and ASSIGNMENT.match(rest[0].value):
            yield from self._assignment(rest[0], exported=False, own=True, alone=False)
            rest = rest[1:]
        if not rest:
            yield f"shows no program after {name}", ""
        elif inner[:2] == ["python", "-m"] and added == 2:
            yield from self._module(rest)
        elif launcher.starts == "program":
            yield from self._program(rest)
        else:
            yield from self._python([token for token in rest if not PYTHON.match(token.value)])

    def _behind_script_options(self, values: list[str]) -> list[str]:
        """The words from the script on, or from the `-m` before its module."""
        for place, value in enumerate(values[1:], 1):
            if value.endswith(".py") or value in ("-m", "--module"):
                return values[place:]
        return []

    def _launcher_options(self, words: list[Token]) -> Iterator[tuple[str, str]]:
        for token in words:
            name = token.value.partition("=")[0].lstrip("-").replace("_", "-")
            if (
                token.value.startswith("-")
                and name not in self.table.launcher_options
                and not re.fullmatch(r"-[A-Za-z]\d+", token.value)
            ):
                yield "is an option of a launcher that may start or read something else", token.raw
        yield from self._arguments(words, own=False)

    def _python(self, words: list[Token]) -> Iterator[tuple[str, str]]:
        while words and words[0].value.startswith("-") and words[0].value != "-":
            option, words = words[0].value, words[1:]
            if option in VERSION or option in ("-h", "--help"):
                return
            if option == "-m" or option == "--module":
                yield from self._module(words)
                return
            if option.startswith("-c"):
                yield from self._code(words[:1])
                return
            if option == "-W" and words and re.fullmatch(r"ignore|default|once|error|always", words[0].value):
                words = words[1:]
            elif not re.fullmatch(r"-[uOBEsS]+|-Wignore", option):
                yield "is an option of Python that may run something else", option
        if not words or words[0].value in ("-", "/dev/stdin"):
            yield "runs Python code that is not visible here", ""
            return
        yield from self._script(words[0])
        yield from self._arguments(words[1:], own=True)

    def _code(self, words: list[Token]) -> Iterator[tuple[str, str]]:
        if not words or "$" in re.sub(r"'[^']*'", "", words[0].raw):
            yield "runs Python code that is computed", ""
        elif not self.scope.asks_for_code:
            yield "runs code that you did not ask for", ""
        else:
            yield from ((risk.why, "") for risk in python_risks(words[0].value, self.scope))

    def _module(self, words: list[Token]) -> Iterator[tuple[str, str]]:
        name = words[0].value if words else ""
        top = name.partition(".")[0]
        launcher = launcher_modules().get(name)
        if top in ("pip", "tensorboard"):
            yield from self._program(words)
        elif launcher is not None and launcher.starts == "script":
            values = self._behind_script_options([token.value for token in words])
            yield from self._launcher_options(words[1 : len(words) - len(values)])
            yield from self._python(words[len(words) - len(values) :] if values else [])
        elif (
            not re.fullmatch(r"[\w.]+", name)
            or top in sys.stdlib_module_names
            or self._is_written(f"{name.replace('.', '/')}.py")
        ):
            if name not in self.table.modules and not self.scope.names(name):
                yield "runs a module of Python's that is not known to be harmless", ""
            yield from self._arguments(words[1:], own=False)
        elif name in self.table.modules or self.scope.has_module(name) or self.scope.names(name):
            yield from self._arguments(words[1:], own=True)
        else:
            yield "runs a module that is not the repository's", ""

    def _shell(self, words: list[Token]) -> Iterator[tuple[str, str]]:
        while words and words[0].value[:1] in ("-", "+"):
            option, words = words[0].value, words[1:]
            if re.fullmatch(r"-[euxl]*c", option) and words and "$" not in words[0].raw:
                for folder in self.folders:
                    inner = msgspec.structs.replace(self.scope, workdir=posixpath.join(self.scope.workdir, folder))
                    yield from ((risk.why, "") for risk in bash_risks(words[0].value, inner, self.depth + 1))
                yield from self._arguments(words[1:], own=True)
                return
            if option == "-o" and words[:1] and words[0].value == "pipefail":
                words = words[1:]
            elif not re.fullmatch(r"-[eux]+", option):
                yield "starts a shell that reads commands which are not visible here", ""
                return
        if not words:
            yield "starts a shell that reads commands which are not visible here", ""
            return
        yield from self._script(words[0])
        yield from self._arguments(words[1:], own=True)

    def _script(self, token: Token) -> Iterator[tuple[str, str]]:
        """A file that is run: of the repository, and as it lies there."""
        value = token.value
        if "$" in token.raw or not re.fullmatch(r"[\w./+@ -]+", value):
            yield "runs a file whose name is computed", token.raw
        elif self.scope.outside(value, self.folders):
            yield "runs a file outside the repository", token.raw
        elif self._is_written(value):
            yield "runs a file that the text itself has written", token.raw

    def _tool(self, words: list[str]) -> tuple[Tool, int] | None:
        """The program of the machine that the first words name, and how many of them."""
        for count in (3, 2, 1):
            tool = self.table.tools.get(" ".join(words[:count]))
            if tool is not None and len(words) >= count:
                return tool, count
        return None

    def _tool_words(self, tool: Tool, count: int, name: str, words: list[Token]) -> Iterator[tuple[str, str]]:
        words = words[count - 1 :]
        plain = [token for token in words if not token.value.startswith("-") or token.value == "-"]
        first = plain[0].value if plain else ""
        if (name == "sed" and not _SED.fullmatch(first)) or (name == "chmod" and not _MODE.fullmatch(first)):
            yield f"gives {name} something that is not judged", ""
        for token in words:
            if token not in plain and not tool.options.fullmatch(token.value.partition("=")[0]):
                yield "is an option that may start, read or write something else", token.raw
            elif token in plain and not tool.words.fullmatch(token.value):
                yield "is not a plain name", token.raw
            elif re.match(r"[*?\[]", token.raw) and name not in ("ls", "cat", "echo"):
                yield "are names that may be read as options", token.raw
        if name in ("pip", "pip3", "uv"):
            yield from self._installed(words)
        if name in _BUILDS and any(map(self._is_written, [".", *(token.value for token in words)])):
            yield "runs, or installs from, what the text itself has written", ""
        paths = [token for token in words if token not in plain[: tool.patterns]]
        if name == "cp":
            yield from self._arguments(plain[:-1], own=False)
            paths = [token for token in paths if token not in plain[:-1]]
        made: Named = "itself" if name == "mkdir" else "no" if name in _WRITES_OUT else "below"
        yield from self._arguments(paths, own=False, named=made)
        if name in _WRITES_OUT and name not in ("mkdir", "chmod", "sed"):
            for token in plain:
                if _variables(token.raw):
                    yield "writes to a path given by a variable", token.raw
                yield from self._writes(token.value)

    def _installed(self, words: list[Token]) -> Iterator[tuple[str, str]]:
        """What pip is told beside the repository itself and its lists of requirements."""
        for before, token in zip(["", *(word.value for word in words)], words, strict=False):
            listed = r"|[\w./-]+" if before == "-r" else ""
            if re.fullmatch(rf"-.*|\.(?:\[[\w,-]+\])?{listed}", token.value) is None:
                yield "installs something that is not the repository's", token.raw
