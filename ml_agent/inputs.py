"""Files of the user's that a request names: put where the command runs, or, by absolute path, shown where they are."""

import ast
import itertools
import os
import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath

import msgspec

from ml_agent.delivery.expectation import kind_of
from ml_agent.draft import Draft
from ml_agent.named_paths import NamedPath, files_of, fixed_part, named_paths, spread
from ml_agent.request import Request
from ml_agent.sandbox.files import content_size
from ml_agent.tools.check.inputs import SUFFIX, is_read, may_be_read
from ml_agent.tools.check.places import is_literal
from ml_agent.tools.commandline.calls import parse_one
from ml_agent.tools.findings import Finding
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_source import parse_python
from ml_agent.tools.secret_files import is_secret
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.walk import Entry, Walk, is_control, is_git_folder, is_of_a_run

MOST_SHOWN = 100
"""Files of one pattern that are shown one by one: each is a mount of its own."""
MOST_BYTES = 1024**3
"""Of one file; a larger one is not copied."""
MOST_ENTRIES = 50_000
"""Of a folder that is looked through for names of secrets; what lies behind them is not looked at."""
_SYSTEM = (
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "proc",
    "run",
    "sbin",
    "sys",
    "usr",
    "workspace",
)
_MISSED = "no-such-file"
_READS = r"(?i:\b(?:from|on|using|with|reads?|loads?|of|input)\s+(?:(?:the\s+)?(?:file|data|table|corpus|pictures?|image|recording)\s+)?)"
_HOLDS = (
    r"(?i:\b(?:files?|pictures?|images?|photos?|videos?|recordings?|documents?|texts?|tables?)\s+(?:in|from|of|under|inside)\s+(?:the\s+|my\s+)?+"
    r"(?=\S*[\"'`“_/\d]|\S+\s+(?:folder|directory)\b)|\b(?:from|of|with|(?:files|pictures|images|photos|texts)\s+in)\s+(?:the|my)\s+(?:folder|directory)\s+)"
)
"""Before the name of a folder that is an input: what it holds, or that it is one."""
_NAMES = r"\b(?:to|into|as|called|named|(?:call|name)\s+(?:it|them|(?:the|its)\s+\w+))\s+"
"""Before the name of a file that is made."""
_READS_BY_NAME = re.compile(r"-*(?:in|input|data|dataset|source|src|corpus)(?:$|[-_])", re.IGNORECASE)
_OF_WILD = frozenset("*?[]{}$")
_SHELL_WORD = re.compile(r"[^\s;&|<>()=\"'`]+")
_LONGEST_PATH = 4096
_SHARED = frozenset(map(Path, ("/", "/home", "/root", "/tmp", "/var", "/opt", "/mnt", "/media", "/srv", "/var/tmp")))
"""Folders in which things of many owners lie: never shown as a whole."""
_OURS = tuple(map(Path, ("/opt/venv", "/opt/host-python", "/home/agent", "/mnt/host", "/var/run", "/var/lib")))


class Places(msgspec.Struct, frozen=True):
    """Where what the user names may lie."""

    folder: Path
    """The user's working folder."""
    workspace: Path
    """Where the command runs, in the checkout."""
    files: tuple[str, ...] = ()
    """Of the repository."""
    root: Path | None = None
    """Of the checkout; the workspace where None."""


class Inputs(msgspec.Struct, frozen=True):
    """The files that a request names, as far as they concern a run."""

    taken: tuple[str, ...]
    """Relative paths that lie in the user's folder and not in the repository's."""
    absent: tuple[str, ...]
    """What the command reads and lies in neither."""
    refused: tuple[str, ...] = ()
    """What lies in the user's folder and is not taken, each as a line with the reason."""


def inputs_of(named: Sequence[NamedPath], draft: Draft, index: RepoIndex, folder: Path) -> Inputs:
    """The files of the user's that a draft needs.

    Args:
        named: paths among the user's own words and options.
        draft: the answer.
        index: of the repository.
        folder: the user's working folder.
    """
    places = Places(folder, index.root / draft.workdir, index.files, index.root)
    read, named = words_read(draft, index), spread(named, folder)
    named = [one for one in named if not _is_folder(folder, one.path)] + _folders_given(named, draft, index, folder)
    return sorted_inputs(named, read, places)


def nowhere(instruction: str, arguments: Sequence[tuple[str, str]], index: RepoIndex) -> list[str]:
    """Files that the user plainly gives as inputs and that are neither on this machine nor in the repository.

    Only whole paths count, with an ending, behind a word or the name of an option that reads: anything else may be made, or fetched.
    """
    given = [value for name, value in arguments if _READS_BY_NAME.match(name)]
    texts = [
        one.path
        for one in named_paths(instruction, given)
        if any(re.search(rf"{_READS}[\"'`“]?{re.escape(text)}", instruction) for text in (one.path, one.whole) if text)
        or one.path in map(posixpath.normpath, given)
    ]
    known = set(index.files)
    return [
        path
        for path in dict.fromkeys(texts)
        if path.startswith(("/", "~/"))
        and re.search(r"\.\w{1,8}$", path)
        and not _OF_WILD & set(path)
        and PurePosixPath(path).parts[1] not in _SYSTEM
        and path.lstrip("/") not in known
        and not os.path.lexists(os.path.expanduser(path))  # noqa: PTH111 - a Path raises where there is no home
    ]


def not_found(instruction: str, index: RepoIndex, folder: Path, outputs: Collection[str]) -> list[str]:
    """Files and folders that the sentence seems to give as inputs and that lie neither in the user's folder nor in the repository.

    A command of the run may make them yet.

    Args:
        instruction: the user's own sentence.
        index: of the repository.
        folder: the user's working folder.
        outputs: paths that should come out.
    """
    places = Places(folder, index.root, index.files, index.root)

    def is_given(path: str) -> bool:
        name = rf"[\"'`“]?{re.escape(path)}/?(?![\w/-]|\.\w)"
        if _is_file_name(path) and kind_of(path) not in ("file", "folder"):
            return re.search(rf"{_NAMES}{name}", instruction) is None
        return re.search(f"{_HOLDS}{name}", instruction) is not None

    return [
        one.path
        for one in named_paths(instruction, ())
        if is_given(one.path)
        and not one.whole
        and not any(f"{one.path}/".startswith(f"{path}/") for path in outputs)
        and not one.path.startswith(("/", "~", ".."))
        and not _OF_WILD & set(one.path)
        and ":/" not in one.path
        and _is_absent(one, places)
        and not any(f"/{one.path}/" in f"/{path}" for path in index.files)
    ]


def kept_out(inputs: Inputs) -> Inputs:
    """The same where a run may see none of the user's files: none goes in, which is said of each."""
    refused = (f"{path}: your own files are not given to runs that a coding agent starts" for path in inputs.taken)
    return Inputs((), inputs.absent, (*inputs.refused, *refused))


def _folders_given(named: Sequence[NamedPath], draft: Draft, index: RepoIndex, folder: Path) -> list[NamedPath]:
    """Folders of the user's that the answer reads, as far as it shows: other words are called like a folder by chance."""
    given = _paths_written(draft, index)
    found = [one for one in named if one.path in given and _is_folder(folder, one.path)]
    return [msgspec.structs.replace(one, quoted=True) for one in found]


def _paths_written(draft: Draft, index: RepoIndex) -> frozenset[str]:
    """Paths that an answer writes, and the folders above them, but for what a command gives to options that name an output."""
    if draft.kind == "python":
        tree = parse_python(draft.text)
        nodes = ast.walk(tree) if tree is not None else ()
        words = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    else:
        others = set(map(posixpath.normpath, _SHELL_WORD.findall(draft.text)))
        others -= _words_given(draft, index, lambda option: True)
        words = others | _words_given(draft, index, may_be_read)
    paths = [PurePosixPath(posixpath.normpath(word)) for word in words if 0 < len(word) <= _LONGEST_PATH]
    return frozenset(str(one) for path in paths for one in (path, *path.parents))


def _is_folder(folder: Path, path: str) -> bool:
    return os.path.isdir(os.path.join(folder, path))  # noqa: PTH112, PTH118 - a Path raises where this says no


def sorted_inputs(named: Sequence[NamedPath], read: Collection[str], places: Places) -> Inputs:
    """What becomes of each path that the request names.

    Args:
        named: paths among the user's own words and options.
        read: what the command gives to options that read a file.
        places: where they may lie.
    """
    taken, absent, refused = list[NamedPath](), list[str](), list[str]()
    for one in named:
        with suppress(OSError):  # a name that no disk can hold
            if _is_meant(one, read) and _is_there(one.path, places):
                if why := _refusal(one.path, places.folder):
                    refused.append(f"{one.path}: {why}")
                else:
                    taken.append(one)
        if one.path in read and _is_file_name(one.path) and _is_absent(one, places):
            absent.append(one.path)
    whole = {one.path for one in taken if one.quoted}
    kept = tuple(one.path for one in taken if posixpath.normpath(one.whole) not in whole)
    return Inputs(kept, tuple(absent), tuple(refused))


def against(
    findings: Sequence[Finding], draft: Draft, request: Request, index: RepoIndex, folder: Path
) -> list[Finding]:
    """What the check says against a draft, but for files of the user's that it misses: they go in.

    Args:
        findings: of the check, which knows the repository alone.
        draft: the answer.
        request: the user's.
        index: of the repository.
        folder: the user's working folder.
    """
    if not any(one.code == _MISSED for one in findings):
        return list(findings)
    values = [value.value for value in request.values if value.start < 0]
    taken = inputs_of(named_paths(request.instruction, values), draft, index, folder).taken
    return [one for one in findings if one.code != _MISSED or posixpath.normpath(one.subject) not in taken]


def words_read(draft: Draft, index: RepoIndex) -> frozenset[str]:
    """What a command gives to options that read a file, as paths."""
    return _words_given(draft, index, is_read)


def _words_given(draft: Draft, index: RepoIndex, takes: Callable[[Option], bool]) -> frozenset[str]:
    """What a command gives to certain options, as paths."""
    found: set[str] = set()
    for signature in index.signatures.get(draft.entry, ()) if draft.kind == "bash" else ():
        call = parse_one(draft.text, signature)
        reading = {option.dest for option in signature.options if takes(option)}
        for part in call.arguments if call is not None else ():
            if part.dest in reading:
                found.update(posixpath.normpath(word) for word in part.values if isinstance(word, str))
    return frozenset(found)


def outside_inputs(instruction: str, values: Sequence[str], private: Sequence[Path]) -> tuple[Path, ...]:
    """Files and folders that the request names by absolute path, to be shown to its program where they are.

    No folder of the system's, none that many share, nothing hidden, nothing named like a secret or with such a file in it.
    Of a pattern (`/data/*.png`) the files that it fits; of many the folder before its first part that may be any.

    Args:
        instruction: the user's own sentence.
        values: of his own options.
        private: folders of which neither a part nor what holds them may be shown.
    """
    named = [one.path for one in named_paths(instruction, values) if one.path.startswith("/")]
    found = [path for one in named for path in (Path(one), *_of_pattern(one))]
    shown = [path for path in found if _may_be_shown(path, [one.resolve() for one in private])]
    return tuple(path for path in shown if not any(other in path.parents for other in shown))


def _of_pattern(pattern: str) -> list[Path]:
    """What an absolute pattern means; below a folder that many share, its own files alone."""
    folder, deep = Path(fixed_part(pattern)), posixpath.dirname(pattern) != fixed_part(pattern)
    if (folder in _SHARED and deep) or pattern.split("/")[1] in _SYSTEM:
        return []
    found = files_of(pattern, folder)
    return [folder] if len(found) > MOST_SHOWN else [Path(path) for path in found]


def control_folders(shown: Sequence[Path]) -> tuple[Path, ...]:
    """Version control's own folders below what is shown: a program sees them empty."""
    found: list[Path] = []

    def is_own(place: Path, folder: Entry) -> bool:
        path = place / folder.path
        if not is_control(path.name) and not is_git_folder(path):
            return False
        found.append(path)
        return True

    for place in shown:
        for _ in itertools.islice(Walk(place, partial(is_own, place)), MOST_ENTRIES):
            pass
    return tuple(found)


def _may_be_shown(path: Path, private: Sequence[Path]) -> bool:
    """Whether an absolute path leads, without links, to something of the user's that holds no secret by its name."""
    try:
        if path.resolve() != path or not (path.is_file() or path.is_dir()):
            return False
    except (OSError, RuntimeError, ValueError):
        return False
    if path in _SHARED or path.parts[1] in _SYSTEM or any(path.is_relative_to(one) for one in _OURS):
        return False
    holders = [*private, Path.home()]
    if any(one.is_relative_to(path) for one in holders) or any(path.is_relative_to(one) for one in private):
        return False
    names = itertools.chain(path.parts[1:], itertools.islice(_names_below(path), MOST_ENTRIES))
    return not any(is_secret(name) for name in names) and not any(part.startswith(".") for part in path.parts)


def _names_below(folder: Path) -> Iterator[str]:
    for entry in Walk(folder):
        yield "/".join((folder.name, *entry.path.split("/"))[-2:])


def _is_meant(one: NamedPath, read: Collection[str]) -> bool:
    """Whether a word is meant as a file: one without a dot only where it is quoted, has a slash, or is given to what reads one."""
    return "." in posixpath.basename(one.path) or one.quoted or "/" in one.path or one.path in read


def _is_file_name(path: str) -> bool:
    """Whether a word can be nothing but a file: no folder that a program may fetch, no name of a hub, no variable."""
    return is_literal(path) and "://" not in path and SUFFIX.search(path) is not None


def _is_absent(one: NamedPath, places: Places) -> bool:
    try:
        there = any((folder / one.path).exists() for folder in (places.folder, places.workspace))
    except (OSError, ValueError):
        return False
    return not there and not any(f"/{file}".endswith(f"/{one.path}") for file in places.files)


def _is_there(path: str, places: Places) -> bool:
    """Whether a path of the user's folder names a file that the sandbox would not have by itself."""
    if path.startswith(("/", "~")) or "\0" in path:
        return False
    return (places.folder / path).exists() and not _is_in_repository(path, places)


def _refusal(path: str, folder: Path) -> str:
    """Why a file is not taken; "" where it is."""
    aim, whole = (folder / path).resolve(), folder.resolve()
    if not aim.is_relative_to(whole):
        outside = "outside your folder" if path.startswith("..") else "a link to outside your folder"
        return f"{outside}; give its absolute path instead"
    if is_control(path) or is_control(aim.relative_to(whole).as_posix()):
        return "version control's own"
    if is_secret(path) or is_secret(str(aim)):
        return "named like a secret"
    if path.startswith("."):
        return "hidden"
    if aim.is_dir() and (why := _refusal_of_folder(aim)):
        return why
    return "" if content_size(aim) <= MOST_BYTES else f"larger than {MOST_BYTES // 1024**3} GB"


def _refusal_of_folder(folder: Path) -> str:
    names = list(itertools.islice(_names_below(folder), MOST_ENTRIES + 1))
    if len(names) > MOST_ENTRIES:
        return f"a folder of more than {MOST_ENTRIES:,} files"
    if any(is_secret(name) for name in names):
        return "a folder with something named like a secret"
    return "a folder with version control data in it" if any(map(is_control, names)) else ""


def _is_in_repository(path: str, places: Places) -> bool:
    """Whether the sandbox has a file anyway: neither what an earlier run left inside the repository, nor what a link there leads out to."""
    file, root = places.workspace / path, (places.root or places.workspace).resolve()
    return (
        file.exists() and file.resolve().is_relative_to(root) and not is_of_a_run(places.workspace, PurePosixPath(path))
    )
