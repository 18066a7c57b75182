"""The files that a run made: which they are, and those worth keeping brought out of the sandbox."""

import difflib
import io
import posixpath
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from ml_agent.delivery.expectation import CreatedFile, Judgement
from ml_agent.prompts.hidden import HIDDEN
from ml_agent.sandbox.contract import Command, Sandbox
from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.sandbox.held_folder import held_folder
from ml_agent.sandbox.inner_path import safe_relative
from ml_agent.sandbox.output import unpacked
from ml_agent.tools.foreign_files import read_text
from ml_agent.tools.walk import MOST_DEPTH, is_control

_FOR_AGENTS = frozenset({"agents.md", "claude.md", "gemini.md"})
"""Files whose words coding agents follow unasked."""
MOST_LISTED = 5000
MOST_LIST_BYTES = 32 * 1024**2
"""Of the list of files."""
MOST_PACKED_BYTES = 80_000
"""Of the list as the sandbox prints it; one of names that cannot be packed ends before."""
MOST_FILES = 200
MOST_BYTES = 64 * 1024**2
"""Of one file; a larger one stays in the sandbox."""
MOST_TOTAL = 256 * 1024**2
"""Of all that is brought out."""
MOST_PATCHED = 60_000
"""Bytes of a changed file for which the changes are written out; its lines, as comparing takes up to the cube of their number; such files."""
MOST_LINES, MOST_PATCHES = 1_500, 20

_TRIES = 3
"""How often the files are listed; on a busy machine it may take too long, or find no place for a process, once or twice."""
SYSTEM = "PATH=/usr/bin:/bin; "
"""The system's programs, whatever the program put in the places where names are looked up."""
_FIND = (
    f"find . -xdev -maxdepth {MOST_DEPTH} \\( -name __pycache__ -o -name .git -o -name '*.egg-info' \\) -prune -o \\( -type f -o -type l -xtype f \\)"
    " -newerct @{moment} -not -name '*.pyc' -regextype posix-extended -regex '.{{1,1000}}' -printf '%y %s %P\\0'"
)


def made_since(sandbox: Sandbox, began: str) -> tuple[CreatedFile, ...]:
    """Every file of the workspace whose content or name changed since a moment, by the kernel's own time of change.

    Raises SandboxLostError where they cannot be listed: no list is not the same as nothing made.
    """
    find = _FIND.format(moment=began)
    text = f"{SYSTEM}{find} | head -z -n {MOST_LISTED} | gzip -c | head -c {MOST_PACKED_BYTES} | base64 -w 1000"
    entries = _entries(sandbox, text)
    found = [_parse_entry(entry.decode("utf-8", "surrogateescape")) for entry in entries if entry]
    return tuple(sorted((made for made in found if made is not None), key=lambda made: made.path))


def _entries(sandbox: Sandbox, text: str) -> list[bytes]:
    said = ""
    for _ in range(_TRIES):
        response = sandbox.run(Command(text=text, timeout=60))
        listed = "".join(response.stdout.split())
        try:
            if listed:
                return unpacked(listed, MOST_LIST_BYTES, may_be_cut=True).rpartition(b"\0")[0].split(b"\0")
        except ValueError as error:
            said = str(error)
        said = " ".join(response.stderr.split())[-120:] or said or f"{response.ended}, {response.exit_code}"
    raise SandboxLostError(
        f"the files that the run made cannot be listed, because the sandbox does not answer ({said}); run it again"
    )


def collect(
    sandbox: Sandbox, made: Sequence[CreatedFile], folder: Path, first: Sequence[Judgement] = ()
) -> tuple[tuple[str, ...], tuple[CreatedFile, ...]]:
    """Copy files out of the sandbox into `folder`, those that were expected before others, small ones before large ones.

    Returns the paths that were copied, and the files that were left in the sandbox because they are too many or too large, or
    such as the user's tools obey unasked.
    """
    expected = {one.path for one in first}
    left = MOST_TOTAL
    kept: list[str] = []
    stayed: list[CreatedFile] = []
    for one in sorted(made, key=lambda one: (one.path not in expected, one.size)):
        if _is_obeyed(one.path, first) or len(kept) >= MOST_FILES or one.size > min(left, MOST_BYTES):
            stayed.append(one)
            continue
        try:
            content = sandbox.get(one.path, min(left, MOST_BYTES) + 1)
        except FileNotFoundError:
            continue
        if len(content) > min(left, MOST_BYTES):  # it grew, or a link leads to a large one: a part of it is no file
            stayed.append(msgspec.structs.replace(one, size=len(content)))
            continue
        folder.mkdir(parents=True, exist_ok=True)
        with held_folder(folder) as place:
            place.write_bytes(safe_relative(one.path), content, 0o644)
        left -= len(content)
        kept.append(one.path)
    return tuple(sorted(kept)), tuple(stayed)


def patch_of(outputs: Sequence[str], folder: Path, root: Path) -> str:
    """What a run changed in text files of the repository below `root`, as a patch; larger files and many of them are left out."""
    return "".join(islice((one for path in outputs for one in _patches(path, folder, root)), MOST_PATCHES))


def _patches(path: str, folder: Path, root: Path) -> Iterator[str]:
    before, after = (read_text(place / path, MOST_PATCHED + 1) for place in (root, folder))
    if not before or before == after or max(len(before), len(after)) > MOST_PATCHED or "\0" in before + after:
        return
    old, new = (list(io.StringIO(text, newline="\n")) for text in (before, after))
    lines = difflib.unified_diff(old, new, f"a/{path}", f"b/{path}") if max(len(old), len(new)) <= MOST_LINES else ()
    yield "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _is_obeyed(path: str, expected: Sequence[Judgement]) -> bool:
    """Whether tools of the user's may read a file by themselves where it lies: version control's own, coding agents' and hidden ones.

    Git takes every folder with a file HEAD for one of its own, and runs what its settings name. What the user's sentence names
    is not hidden, nor what was expected by a plain name. A name with letters that nobody sees deceives
    those who open it.
    """
    *folders, name = HIDDEN.sub("", path).split("/")  # some disks leave out letters that nobody sees
    named = {
        part for one in expected if one.expectation.source == "request" for part in one.expectation.path.split("/")
    }
    plain = (
        not name.startswith(".") and name.casefold() not in _FOR_AGENTS and any(one.path == path for one in expected)
    )
    hidden = {part for part in (*folders, name) if part.startswith(".") or part.casefold() in _FOR_AGENTS} - named
    unasked = bool(hidden) or HIDDEN.search(path) is not None  # a name that turns round or says less than it is, too
    return is_control("/".join((*folders, name))) or name.casefold() == "head" or (unasked and not plain)


def _parse_entry(entry: str) -> CreatedFile | None:
    kind, _, rest = entry.partition(" ")
    size, _, path = rest.partition(" ")
    if not size.isdigit() or not path or posixpath.normpath(path) != path or path.startswith(("/", "..")):
        return None
    if any(ord(char) < 32 or 127 <= ord(char) < 160 or 0xD800 <= ord(char) < 0xE000 for char in path):
        return None  # no name that anybody asked for, and none that may reach a terminal
    return CreatedFile(path=path, size=int(size) if kind == "f" else 1)
