"""Whether a run that ended well did anything of the repository.

In: what the run printed and made, and which programs it started (`Response.seen`). Out: a few words why it is none of the task (it only
printed its help or an error, no code of the repository ran), or "". Without this, `echo 0.9 > accuracy.txt` would count as a result.
"""

import re
from contextlib import suppress
from functools import cached_property
from itertools import accumulate, islice
from posixpath import basename, splitext

from ml_agent.delivery.judge import RunOutputs
from ml_agent.draft import Draft
from ml_agent.sandbox.contract import Response, Seen
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.errors import ToolError
from ml_agent.tools.files import Tree
from ml_agent.tools.foreign_files import is_file
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.walk import Walk

NOTHING = "no code of the repository ran"
HELP = "it only printed its help"
ERROR = "it only printed an error"
MOST_PARSED = 100_000
"""Characters of commands, short ones first; of what is longer only the words are looked at."""
_ASKS = re.compile(r"\b(?:help|usage|options?|arguments?|flags?|version)\b", re.IGNORECASE)
"""A request that is about how a program is called."""
_ERROR_LINE = re.compile(
    r"(?:\[?(?:fatal )?error\]?\s*[:\-]|fatal:)[^\n]*\b(?:unable|cannot|can't|could not|couldn't|no such|not found|not exist|missing|failed|invalid|required)\b",
    re.IGNORECASE,
)
"""By its beginning and its wording: `Error: 0.31` is a result."""
_CODE = frozenset(
    [
        ".sh",
        ".bash",
        ".zsh",
        ".r",
        ".jl",
        ".js",
        ".mjs",
        ".ts",
        ".lua",
        ".pl",
        ".rb",
        ".m",
        ".ipynb",
        ".go",
        ".rs",
        ".java",
        ".cpp",
        ".cc",
        ".c",
        ".cu",
        ".scala",
        ".php",
    ]
)
"""Ends of code that is run by something else than Python, which is watched itself."""


_MOST_COPIES, _MOST_READ = 5, 200_000
"""Programs and files that are compared, and bytes of one."""
_FEW_LINES, _SHORT_LINE = 5, 8
_ANYBODYS = ("import ", "from ", "#")
"""How lines begin that say nothing of whose code it is."""


def shortfall(draft: Draft, instruction: str, response: Response, scene: RunOutputs, index: RepoIndex) -> str:
    """Why a run that ended well is none of the task, in a few words; "" where it is, or where nobody can tell.

    A command that the repository's own documents show is its way of doing things, whatever it calls.
    """
    if response.seen is None or not response.ok:
        return ""
    if not scene.made and _is_help(response) and not _ASKS.search(instruction):
        return HELP
    if not scene.made and _is_error(response):
        return ERROR
    shown = draft.provenance is not None and draft.provenance.kind == "example"
    reached = shown or response.seen.blind or _is_reached(response.seen, index)
    return "" if reached or _is_copy(response.seen, scene, draft.text, index) else NOTHING


def _is_help(response: Response) -> bool:
    """Whether all that was printed is how a program is called."""
    said = response.stdout.strip() or response.stderr.strip()
    usage = re.match(r"usage:?\s", said, re.IGNORECASE) is not None and "--help" in said
    return usage or (said.startswith("NAME\n") and "\nSYNOPSIS\n" in said)


def _is_error(response: Response) -> bool:
    """Whether all that was printed are errors."""
    lines = [line.strip() for line in f"{response.stdout}\n{response.stderr}".splitlines() if line.strip()]
    return bool(lines) and all(map(_ERROR_LINE.match, lines))


def _is_reached(seen: Seen, index: RepoIndex) -> bool:
    if any(is_file(index.root / path) for path in (*seen.programs, *seen.loaded)):
        return True
    there = _Names(index)
    if there.packages & set(seen.packages) or any(_has_file(text, there) for text in seen.commands):
        return True
    short = sorted(seen.commands, key=len)
    read = accumulate(len(text) for text in short)
    return any(_is_call(text, there) for text, until in zip(short, read, strict=True) if until <= MOST_PARSED)


def _is_copy(seen: Seen, scene: RunOutputs, text: str, index: RepoIndex) -> bool:
    """Whether a program that ran is a changed copy of a file that the answer names: half of the lines of either are the other's."""
    made = {one.path for one in scene.made}
    ran = list(islice((name for name in dict.fromkeys(seen.programs) if name in made), _MOST_COPIES))
    named = (path for path in index.files if ran and basename(path) in text)
    tree, originals = Tree(index.root), list[frozenset[str]]()
    for path in islice(named, _MOST_COPIES):
        with suppress(ToolError, OSError):
            originals.append(_telling_lines(tree.read_text(path, _MOST_READ)))
    for name in ran:
        with suppress(OSError):
            copy = _telling_lines(scene.read(name, _MOST_READ).decode(errors="replace"))
            if any(len(copy & one) >= max(_FEW_LINES, min(len(copy), len(one)) / 2) for one in originals):
                return True
    return False


def _telling_lines(text: str) -> frozenset[str]:
    """The lines by which code is known again."""
    lines = map(str.strip, text.splitlines())
    return frozenset(line for line in lines if len(line) >= _SHORT_LINE and not line.startswith(_ANYBODYS))


class _Names:
    """What of a repository commands may call by its name."""

    def __init__(self, index: RepoIndex) -> None:
        self.root = index.root
        self._index = index

    @cached_property
    def packages(self) -> frozenset[str]:
        """Names under which its code may be installed: its packages and modules, at the top and one folder below."""
        places = [*self.root.glob("*"), *self.root.glob("*/*")]
        return frozenset(
            path.stem for path in places if path.suffix == ".py" or (path.is_dir() and is_file(path / "__init__.py"))
        )

    @cached_property
    def programs(self) -> frozenset[str]:
        """Of its installed commands."""
        return frozenset(one.name for one in self._index.entries)

    @cached_property
    def files(self) -> frozenset[str]:
        """Of files and folders, wherever they are: from where a command ran is not known of each."""
        return frozenset(entry.path.rpartition("/")[2] for entry in Walk(self.root))


def _is_call(text: str, there: _Names) -> bool:
    """Whether a command that was run calls something of the repository, as far as it tells: not all programs are watched."""
    for call in parse_command(text).invocations:
        if call.target == "console":
            if call.name in there.programs:
                return True
        elif call.target == "module":
            if call.name.partition(".")[0] in there.packages:
                return True
        elif basename(call.name) in there.files:
            return True
    return False


def _has_file(text: str, there: _Names) -> bool:
    """The same by its words alone."""
    first, *words = text.split() or [""]
    if first == "make":
        return any(is_file(there.root / name) for name in ("Makefile", "makefile", "GNUmakefile"))
    code = [word.strip("'\"") for word in words if splitext(word.strip("'\""))[1].lower() in _CODE]
    return any(basename(word) in there.files for word in ([first] if "/" in first else []) + code)
