"""The shell steps of an answer beside its Python programs, as bash itself traced them: what was skipped is no step."""

import itertools
import os
import posixpath
import re
import shlex
import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec

from ml_agent.benchmarks.observation.model import Program
from ml_agent.benchmarks.observation.run import ANSWER, DONE_ELSEWHERE, WITHIN_WALLS, script_launchers
from ml_agent.benchmarks.observation.text import names
from ml_agent.benchmarks.observation.tracing import FIELD, RECORD, STARTED, SYSTEM_PATH, TRACE_FD
from ml_agent.tools.commandline.invocation import ASSIGNMENT, Invocation, read_invocation
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.launchers import PYTHON, SHELLS, SOURCES

DECLARES = names("export declare local readonly typeset unset set shopt alias ulimit")
KILLS = names("kill pkill killall")
LOOKS = names("echo ls cat grep head tail wc basename dirname file stat du md5sum")
"""Programs that show something of files, and take no code."""
SHOWS = names(
    "printf pwd tee egrep less more sort uniq cut tr awk sed find date which whereis type hash command df free "
    "uname hostname whoami id env printenv ps seq realpath readlink sha256sum diff cmp nproc jq tree history "
    "clear nvcc module bc expr let"
)
CONTROLS = names(
    "for case select [ [[ (( test true false : cd pushd popd exit return wait trap read shift break continue exec eval"
)
PREPARES = frozenset([*DONE_ELSEWHERE, *WITHIN_WALLS, *DECLARES, *LOOKS, *SHOWS, *CONTROLS, *KILLS]) - {"make"}
"""Programs that prepare or show something: they count only where they take something away or start more."""
FETCHES = ("wget", "curl", "gdown", "aws", "gsutil", "kaggle", "huggingface-cli")
REMOVES = ("rm", "shred", "truncate")
_ADDRESS = r"(?:\d+|\$|/[^/]*/)"
_CODE_OF_SED = rf"(?:^|[;{{}}\n ])\s*{_ADDRESS}?(?:,{_ADDRESS})?\s*[ewW](?:\s|$)|s([^\w\s]).*\1.*\1[gIimMp\d]*[ewW]"
_CODE_OF_AWK = r"system\s*\(|\|\s*(?:getline|\"|&)|\"\s*\||>\s*\"(?!/dev/)"
_TAKES_RIGHTS = (
    r"(?:[0-7]?[0-3][0-7]{2}|0{1,3}|(?:[ugoa]*[-+=][rwxXst]*,)*(?:[ua][ugoa]*)?(?:-[rwxX]+|=[wxX]*)(?:,\S*)?)"
)
_MORE = {
    "sed": re.compile(rf"(?:^| )(?:-[A-Za-z]*i|--in-place)|{_CODE_OF_SED}"),
    **dict.fromkeys(("awk", "gawk", "mawk"), re.compile(_CODE_OF_AWK)),
    "find": re.compile(rf"-delete|-fprint|-fls|-(?:exec|ok)(?:dir)? (?!(?:{'|'.join(LOOKS)}) )"),
    "git": re.compile(
        r"^(?:-[Cc] \S+ |--\S+ )*(?:reset|clean|checkout|switch|restore|stash|pull|merge|rebase|rm|mv|apply|am|revert|push)\b"
    ),
    **dict.fromkeys(("pip", "pip3", "conda"), re.compile(r"^(?:-\S+ (?:\S+ )?)*(?:env )?(?:remove|uninstall)\b")),
    "tar": re.compile(r"--remove-files"),
    "chmod": re.compile(rf"(?:^| ){_TAKES_RIGHTS}(?= |$)"),
}
"""Words with which a program that otherwise prepares or shows takes away, changes or starts something."""
_LONGEST_CODE = 400
"""Letters of such words that are looked through, which may take their cube; who only shows something needs no more."""
_INTERPRETERS = r"(?:bash|sh|zsh|dash|ksh|python[\d.]*)"
_FETCHED = re.compile(
    rf"\b(?:{'|'.join(FETCHES)})\s+([^|;&\n]*)\|(?:[^|;&\n]*\|)*\s*(?:sudo\s+)?({_INTERPRETERS})(?=\s*(?:$|[|;&\n)]|-s?(?![\w-])))"
)
"""A program that is fetched and started in one go: `curl … | bash`."""
_SUBSTITUTED = re.compile(
    rf"({_INTERPRETERS}|source|eval|\.)\s[^;&|\n]*(?:\$\(|<\(|`)\s*(?:{'|'.join(FETCHES)})\s([^)`]*)"
)
_KILLED = re.compile(rf"(?<!&)&(?!&)\s*(?:\w+=\$!\s*[;\n]\s*)?({'|'.join(KILLS)})\s([^;&|\n]*)")
"""What ends a program in the background as soon as it was started."""
_REDIRECTED = re.compile(rf"\b{TRACE_FD}[<>]|\bBASH_(?:ENV|XTRACEFD)\b")
"""In the text of an answer: something else in the place of the trace, or of what shells read first."""
_ENDED = re.compile(r"^set\b.*\s\+\w*x|^(?:set|shopt)\b.*\s[-+]\w*[ou]\w*.*\bxtrace\b")
"""A command with which bash writes down no more."""
_FUNCTION = re.compile(
    r"^[ \t]*(?:function[ \t]+)?([A-Za-z_][\w-]*)[ \t]*\([ \t]*\)|^[ \t]*function[ \t]+([\w-]+)", re.M
)
_EXPORTED = re.compile(r"\b(?:export|declare|typeset)\s+-\w*f\w*\s+([\w -]+)")
"""A function that stands for a program also in scripts of the repository, where nothing is traced."""
_ARRAY = re.compile(r"[A-Za-z_]\w*\+?=\(")
"""The words of an array, which bash traces as a command, are no program."""
_DURATION = re.compile(r"(\d*\.?\d+|\d+\.)s?")
"""Seconds, as `timeout` takes them."""
_QUOTED = re.compile(r"\$'((?:[^'\\]|\\.)*)'|'[^']*'|\\.", re.DOTALL)
_WRITTEN_MODULE = re.compile(r"(?:>>?\|?|\btee)\s*([^\s;&|<>()'\"]*\.(?:py|pth))\b")


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where an answer ran, and what else is known of that."""

    root: Path
    folder: str
    console: frozenset[str]
    """Console scripts of the repository."""
    parents: tuple[tuple[str, ...], ...] = ()
    """Command lines of what started the Python programs that were seen."""
    seen: int = 0
    """Python programs that were seen, also those that only say their version."""
    refused_writes: tuple[str, ...] = ()
    """Files that a shell could not write, as it was told their names."""

    @property
    def start(self) -> str:
        """The folder where it began, absolute."""
        return posixpath.join(str(self.root), self.folder or ".")

    def path(self, word: str, folder: str = ".") -> str:
        """The absolute path of a word, from a folder that is relative to where the answer began."""
        return posixpath.normpath(posixpath.join(self.start, folder or ".", word))

    def has(self, path: str) -> bool:
        """Whether a path is a file of the repository, which was there before the answer."""
        inside = posixpath.relpath(path, str(self.root))
        try:
            return inside.partition("/")[0] != ".." and (self.root / inside).is_file()
        except (OSError, ValueError):  # text that can be no path names none
            return False

    def is_temporary(self, path: str) -> bool:
        """Whether a path is none of the repository's, but of the machine's temporary files."""
        return path.startswith("/tmp/") and not Path(path).is_relative_to(self.root)

    def starts_python(self, invocation: Invocation) -> bool:
        """Whether a command starts a Python program."""
        name = posixpath.basename(invocation.program)
        known = PYTHON.match(invocation.program) or name in script_launchers() or name in self.console
        return bool(known) or invocation.target in ("script", "module")


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One simple command that bash carried out."""

    invocation: Invocation
    typed: tuple[str, ...]
    """All its words, also of what it is started by."""
    sourced: str
    """The script of the repository in which it stands; "" for the answer itself."""

    @property
    def shell(self) -> bool:
        """Whether it starts a shell, or a script for one."""
        made = self.invocation
        return posixpath.basename(made.program) in SHELLS or (made.target == "shell" and "/" in made.program)


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """What bash carried out of an answer."""

    steps: tuple[Step, ...] = ()
    lines: tuple[str, ...] = ()
    """All commands, also those that only set something."""
    texts: tuple[str, ...] = ()
    """The answer, and what each shell of its own was given."""


def read_trace(text: str, trace: str, place: Place) -> Trace:
    """What an answer carried out, with the variables that were set for each command.

    Args:
        text: the answer.
        trace: what bash wrote of it (`run.Execution.trace`).
        place: where it ran.
    """
    reader = _Reader(text, place)
    for record in filter(None, trace.split(RECORD)):
        pwd, source, line = [*record.split(FIELD), "", ""][:3]
        if source == STARTED:
            reader.learn(line)
        else:
            reader.read(pwd, source, line)
    return Trace(steps=tuple(reader.steps), lines=tuple(reader.lines), texts=tuple(reader.texts))


class _Reader:
    """Reads the records of a trace one after the other."""

    def __init__(self, text: str, place: Place) -> None:
        self.steps: list[Step] = []
        self.lines: list[str] = []
        self.texts: list[str] = []
        self._place = place
        self._functions: set[str] = set()
        self._before: set[str] = set()
        """Variables that stand before commands."""
        self._variables: dict[str, str] = {}
        self._exported: set[str] = set()
        self.learn(text)

    def learn(self, text: str) -> None:
        """Take note of a text that a shell carries out; no function in it stands for a program of the system."""
        self.texts.append(text)
        found = {name for pair in _FUNCTION.findall(text) for name in pair if name}
        self._functions |= {name for name in found if shutil.which(name, path=SYSTEM_PATH) is None}
        self._before |= {name for one in parse_command(text).invocations for name, _ in one.environment}

    def read(self, pwd: str, source: str, line: str) -> None:
        """Take a command."""
        words = [] if _ARRAY.match(line) else _words(line)
        self.lines.append(" ".join(words))
        assigned = {m.group(1): m.group(3) for w in words if (m := ASSIGNMENT.match(w))}
        if words and (len(assigned) == len(words) or words[0] in DECLARES):
            self._variables |= assigned
            self._exported |= {w.partition("=")[0] for w in words[1:] if words[0] in ("export", "declare")}
        elif words and words[0] not in self._functions and not _is_ended_at_once(words):
            made = read_invocation(words)
            known = {n: v for n, v in self._variables.items() if n in self._exported | self._before}
            folder = posixpath.relpath(pwd, self._place.start) if pwd else "."
            variables = tuple((known | dict(made.environment)).items())
            made = msgspec.structs.replace(made, folder=folder, environment=variables)
            self.steps.append(Step(invocation=made, typed=tuple(words), sourced=_script(source, pwd, self._place)))
            gone = self._before - self._exported
            self._variables = {n: v for n, v in self._variables.items() if n not in gone}


def _script(source: str, pwd: str, place: Place) -> str:
    """The script of the repository in which a command stands; "" where that is the answer's."""
    path = posixpath.normpath(posixpath.join(pwd, source))
    return source if source and posixpath.basename(source) != ANSWER and place.has(path) else ""


def _is_ended_at_once(words: Sequence[str]) -> bool:
    """Whether `timeout` gives a program less than a second."""
    if posixpath.basename(words[0]) != "timeout":
        return False
    given = next((m for m in map(_DURATION.fullmatch, words[1:]) if m is not None), None)
    return given is not None and 0 < float(given[1]) < 1


def _words(line: str) -> list[str]:
    """The words of a command as bash writes them down: `$'a\\nb'` has a line's end in it."""
    plain = _QUOTED.sub(lambda m: m[0] if m[1] is None else shlex.quote(m[1].encode().decode("unicode_escape")), line)
    try:
        return shlex.split(plain)
    except ValueError:
        return line.split()


def steps(trace: Trace, place: Place, *, python_too: bool) -> list[Program]:
    """The programs of a shell answer that are no Python program which was seen.

    Args:
        trace: what bash carried out of it.
        place: where it ran.
        python_too: Python programs count here: none was seen, and their words are all that there is.
    """
    found = [step for step in trace.steps if not step.sourced]
    lead = [read_invocation(list(words)) for words in place.parents if words]
    lead += [s.invocation for s in found if s.invocation.program in SOURCES and _leads_to_python(s, trace, place)]
    fetched: set[str] = set()
    programs = [] if python_too else list(_unseen_python(found, place))
    own_shells = [step for step in found if step.shell and not place.has(_called(step.invocation, place))]
    if len(own_shells) > len(trace.texts) - 1:  # one of them did not say what it does
        programs += [Program(name=own_shells[-1].typed[0], words=own_shells[-1].typed[1:])]
    for step in found:
        if place.starts_python(step.invocation) and not python_too and not _is_pip(step.invocation):
            continue
        if step in own_shells or (_is_among(step.invocation, lead) and _only_hands_over(step, place)):
            continue
        programs += _count(step, place, fetched)
    programs += _by_pattern(trace)
    return [*programs, *_written_files(trace, place)]


def _by_pattern(trace: Trace) -> Iterator[Program]:
    """What the texts say beside the steps: programs that are fetched and started in one go, or ended at once; and ends of the trace."""
    ran = {posixpath.basename(s.invocation.program) for s in trace.steps} | {s.typed[0] for s in trace.steps}
    for text in trace.texts:
        found = [(name, words) for words, name in _FETCHED.findall(text)]
        found += [*_SUBSTITUTED.findall(text), *_KILLED.findall(text)]
        yield from (Program(name=name, words=tuple(words.split())) for name, words in found if name in ran)
        for functions in _EXPORTED.findall(text):
            yield from (Program(name=name) for name in functions.split() if _is_program(name))
        yield from (Program(name="trace", words=(line,)) for line in text.splitlines() if _REDIRECTED.search(line))
    yield from (Program(name="trace", words=(line,)) for line in trace.lines if _ENDED.search(line))


def _is_program(name: str) -> bool:
    return PYTHON.match(name) is not None or shutil.which(posixpath.basename(name), path=SYSTEM_PATH) is not None


def _unseen_python(found: Sequence[Step], place: Place) -> Iterator[Program]:
    """A program for all that Python ran past what was seen of it, such as `/usr/bin/python3 -c …`."""
    asks = ("command", "-v"), ("command", "-V")
    python = [s for s in found if _is_python(s.invocation) and s.typed[:2] not in asks]
    if len(python) > place.seen:
        yield Program(name="python", words=python[-1].typed)


def _is_python(invocation: Invocation) -> bool:
    return PYTHON.match(invocation.program) is not None or posixpath.basename(invocation.program) in script_launchers()


def _is_pip(invocation: Invocation) -> bool:
    return invocation.target == "module" and invocation.name == "pip"


def _called(invocation: Invocation, place: Place) -> str:
    return place.path(invocation.name or invocation.program, invocation.folder)


def _leads_to_python(step: Step, trace: Trace, place: Place) -> bool:
    """Whether a script that runs in the answer's own shell starts Python."""
    own = (s.invocation for s in trace.steps if s.sourced == step.invocation.name)
    return any(map(place.starts_python, own))


def _is_among(one: Invocation, others: Collection[Invocation]) -> bool:
    key = (one.target, posixpath.normpath(one.name), one.words)
    return any(key == (other.target, posixpath.normpath(other.name), other.words) for other in others)


def _only_hands_over(step: Step, place: Place) -> bool:
    """Whether what started a Python program is a script of the repository, or only a starter that stands before it: `xargs python …`."""
    invocation = step.invocation
    if place.has(_called(invocation, place)) or invocation.program in SOURCES:
        return True
    at = next((n for n, word in enumerate(invocation.words) if PYTHON.match(word)), None)
    if at is None or invocation.target == "code":
        return False
    before = invocation.words if invocation.program == "find" else invocation.words[:at]
    return not any(_starts_more(word) for word in before if not PYTHON.match(word))


def _starts_more(word: str) -> bool:
    """Whether a word is a program of its own, or the code of one."""
    is_code = re.search(r"[\s(){};\"'`$]", word.replace("{}", "")) is not None and word != ";"
    return is_code or word == "-delete" or _is_program(word)


def _count(step: Step, place: Place, fetched: set[str]) -> Iterator[Program]:
    """The program, where it is more than a preparation; adds what it fetches."""
    invocation = step.invocation
    if _is_pip(invocation):
        invocation = msgspec.structs.replace(invocation, program="pip", name="pip")
    name = posixpath.basename(invocation.name or invocation.program)
    if posixpath.basename(invocation.program) in FETCHES:
        fetched |= {posixpath.basename(w) for w in invocation.words}
    file = _called(invocation, place)
    is_own = place.has(file)
    if is_own or _is_more(name, invocation) or _takes_away(name, invocation, place, fetched):
        yield Program(
            file=posixpath.relpath(file, place.root) if is_own else "",
            name="" if is_own else name,
            words=invocation.words,
            folder=posixpath.relpath(place.path(".", invocation.folder), place.root),
            environment=dict(invocation.environment),
        )


def _is_more(name: str, invocation: Invocation) -> bool:
    """Whether a program does more than prepare; what is sourced from elsewhere does not."""
    if name == "xargs":
        return next((word for word in invocation.words if _starts_more(word)), "echo") not in LOOKS
    return name not in PREPARES and invocation.program not in SOURCES


def _takes_away(name: str, invocation: Invocation, place: Place, fetched: set[str]) -> bool:
    """Whether a preparation takes away what it did not bring, or puts something in the place of a file of the repository."""
    words = [w for w in invocation.words if not w.startswith("-")]
    if name in _MORE:
        given = " ".join(invocation.words)
        return _MORE[name].search(given[:_LONGEST_CODE]) is not None or (len(given) > _LONGEST_CODE and name == "sed")
    if name in REMOVES:
        kept = [w for w in words if not place.is_temporary(place.path(w, invocation.folder))]
        recursive = any(re.match(r"-\w*[rR]|--recursive", w) for w in invocation.words)
        return bool(kept) and (recursive or not {posixpath.basename(w) for w in kept} <= fetched)
    written = words if name == "tee" else words[-1:] if name in ("cp", "ln", "mv") else []
    if name in ("cp", "ln", "mv"):
        written += [posixpath.join(a, posixpath.basename(b)) for a, b in itertools.permutations(words, 2)]
    if name == "mv" and any(os.path.lexists(place.path(w, invocation.folder)) for w in words[:-1]):
        return True
    if name in FETCHES:
        pairs = zip(invocation.words, invocation.words[1:], strict=False)
        written = [target for flag, target in pairs if flag in ("-O", "-o", "--output", "--output-document")]
    return any(place.has(place.path(w, invocation.folder)) for w in written)


def _written_files(trace: Trace, place: Place) -> Iterator[Program]:
    """One program for each file of the repository that is written over, and for each module that no command names."""
    folders = sorted({step.invocation.folder or "." for step in trace.steps} | {"."})
    redirected = [one for text in trace.texts for one in parse_command(text, prompts=False).redirections]
    targets = [one.target for one in redirected if ">" in one.sign and not one.target.startswith("&")]
    found = {place.path(name, folder) for name in (*place.refused_writes, *targets) for folder in folders}
    yield from (Program(name="overwrite", words=(file,)) for file in sorted(found) if place.has(file))
    named = [posixpath.basename(word) for s in trace.steps if s.invocation.program != "tee" for word in s.typed]
    modules = {posixpath.basename(name) for text in trace.texts for name in _WRITTEN_MODULE.findall(text)}
    yield from (Program(name="overwrite", words=(name,)) for name in sorted(modules - set(named)))
