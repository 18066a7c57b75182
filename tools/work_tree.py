"""A git work tree as its files say: no git program is run on it, and none of its configuration is read.

Git's settings name programs in more than forty places (filters, hooks, signing, paging, remote helpers). What is needed of a
foreign work tree stands in object files, refs and the index, which gitdb reads without them.
"""

import hashlib
import os
import posixpath
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ml_agent.tools.errors import RepositoryError, ToolError
from ml_agent.tools.files import MAX_FILES, Tree
from ml_agent.tools.ignored import Ignored

SECONDS = 60.0
"""How long one question may take."""
OBJECT_BYTES = 64 * 1024 * 1024
"""A commit, a tree or a tag above this size is refused."""
_REFS_BYTES = 16 * 1024 * 1024
_INDEX_BYTES = 256 * 1024 * 1024
_DEPTH = 64
_MAX_TREES = 50_000
_MERGES = 1000
"""Merges that are looked behind for the last change."""
_SHA = re.compile(r"[0-9a-f]{40}")
_REF = re.compile(r"ref: (refs/[^\s~^:?*\[\\\x00-\x1f\x7f-\x9f]+)")
"""Whatever git lets a branch be called."""
_COMMITTER = re.compile(rb"^committer .*> (-?\d{1,15}) ([+-])(\d\d)(\d\d)$", re.MULTILINE)
_PARENT = re.compile(rb"^parent ([0-9a-f]{40})$", re.MULTILINE)
_ORIGIN = re.compile(r'^[ \t]*\[remote[ \t]+"origin"\]([^\[]*)', re.MULTILINE)
_ADDRESS = re.compile(r"^[ \t]*url[ \t]*=([^\n#;\"]*)", re.MULTILINE)
_LINK, _MODULE = 0o120000, 0o160000


class Blob(NamedTuple):
    """A file of a commit."""

    path: str
    mode: int
    sha: bytes


class _Dated(NamedTuple):
    """A commit in the order of time."""

    seconds: int
    day: str
    parents: tuple[str, ...]


class WorkTree:
    """The git work tree in `root`; RepositoryError where git's own files do not say what it is."""

    def __init__(self, root: Path, *, bare: bool = False, seconds: float = SECONDS) -> None:
        """`bare`: `root` itself is git's folder, without files beside it. `seconds`: how long one question may take."""
        self.root = root
        control = root if bare else _control(root)
        if control is None:
            raise RepositoryError(f"{root} is not a git repository with files")
        self._control, self._common = Tree(control), Tree(_common(control))
        self._bare = bare
        self._inside: dict[str, bool] = {}
        self._seconds, self._deadline = seconds, time.monotonic() + seconds

    @cached_property
    def head(self) -> str:
        """The SHA of HEAD; "" where there is no commit yet."""
        text = _small(self._control, "HEAD")
        if _SHA.fullmatch(text):
            return text
        named = _REF.fullmatch(text)
        if named is None:
            raise self._unreadable("HEAD names no commit")
        return self._reference(named[1])

    def origin(self) -> str:
        """The address that it was cloned from, as its configuration says; "" where it says none. No other setting is read."""
        section = _ORIGIN.search(_small(self._common, "config"))
        address = _ADDRESS.search(section[1]) if section else None
        return address[1].strip() if address else ""

    def find(self, reference: str) -> str:
        """The SHA of the commit that a SHA, a tag or a branch names; RepositoryError where there is none."""
        sha = reference if _SHA.fullmatch(reference) else ""
        for name in (f"refs/tags/{reference}", f"refs/heads/{reference}", f"refs/remotes/origin/{reference}"):
            sha = sha or self._reference(name)
        for _ in range(_DEPTH):
            if not sha:
                break
            kind, content = self._object(sha)
            if kind == "commit":
                return sha
            sha = content[7:47].decode("ascii", "replace") if kind == "tag" else ""
        raise RepositoryError(f"{self.root} has no commit {reference}; give a 40-digit SHA, a branch or a tag of it")

    def date(self, commit: str = "") -> str:
        """The day of the last change up to a commit, by default HEAD's, YYYY-MM-DD; "" where there is none. A merge itself changes nothing."""
        first = commit or self.head
        found = [self._dated(first)] if first else []
        day, seen = found[0].day if found else "", {first}
        for _ in range(_MERGES):
            if not found:
                break
            newest = max(found)
            if len(newest.parents) < 2:
                return newest.day
            found.remove(newest)
            # the oldest commits of a shallow clone follow others that are not here
            new = [sha for sha in newest.parents if sha not in seen and self._holds(bytes.fromhex(sha))]
            seen.update(new)
            found += map(self._dated, new)
        return day

    def _dated(self, commit: str) -> _Dated:
        """When a commit was made, and which it follows."""
        head = self._object(commit)[1].partition(b"\n\n")[0]
        parents = tuple(sha.decode() for sha in _PARENT.findall(head))
        found = _COMMITTER.search(head)
        if found is None:
            return _Dated(0, "", parents)
        offset = timedelta(hours=int(found[3]), minutes=int(found[4])) * (1 if found[2] == b"+" else -1)
        try:
            day = datetime.fromtimestamp(int(found[1]), UTC).astimezone(timezone(offset)).strftime("%Y-%m-%d")
        except (ValueError, OverflowError, OSError):
            day = ""
        return _Dated(int(found[1]), day, parents)

    def blobs(self, commit: str) -> Iterator[Blob]:
        """The files of a commit, submodules left out. Names lead nowhere else: gitdb's own check, and ours."""
        _, content = self._object(commit)
        pending = [("", content[5:45].decode("ascii", "replace"), 0)]
        count = trees = 0
        while pending:
            folder, sha, depth = pending.pop()
            trees += 1
            if depth > _DEPTH or trees > _MAX_TREES:
                raise self._unreadable("the folders of the commit are nested too deeply, or there are too many of them")
            for binary, mode, name in self._entries(sha):
                if stat.S_ISDIR(mode):
                    pending.append((f"{folder}{name}/", binary.hex(), depth + 1))
                elif mode != _MODULE:
                    count += 1
                    if count > MAX_FILES:
                        raise RepositoryError(f"{self.root} has more than {MAX_FILES} files: give a smaller folder")
                    yield Blob(folder + name, mode, binary)

    def changes(self) -> list[str]:
        """Paths in which the files here differ from HEAD's: changed, missing, or new and not ignored; sorted."""
        known = self._read_index()
        tracked = {blob.path: blob for blob in (self.blobs(self.head) if self.head else ())}
        changed = [path for path, blob in tracked.items() if not self._same(blob, known.get(path))]
        for path in Tree(self.root).files():
            if path not in tracked and not self.ignored(path):
                changed.append(path)
            self._check_time()
        return sorted(changed)

    def ignored(self, path: str) -> bool:
        """Whether `.gitignore` files, or the work tree's own exclude file, leave a path out of git."""
        return self._ignore_rules.path(path)

    def write(self, commit: str, target: Path, max_bytes: int) -> None:
        """Write the files of a commit into an empty folder; RepositoryError above `max_bytes` bytes, or where one is missing."""
        self._write(self.blobs(commit), target, max_bytes)

    def write_held(self, commit: str, target: Path, max_bytes: int) -> tuple[str, ...]:
        """Write those files that are there; the paths of the others."""
        blobs = tuple(self.blobs(commit))
        held = {blob.sha for blob in blobs if self._holds(blob.sha)}
        self._write((blob for blob in blobs if blob.sha in held), target, max_bytes)
        return tuple(blob.path for blob in blobs if blob.sha not in held)

    def _write(self, blobs: Iterable[Blob], target: Path, max_bytes: int) -> None:
        links: list[tuple[Path, bytes]] = []
        left = max_bytes
        for blob in blobs:
            kind, content = self._object(blob.sha.hex(), left, self._own)
            left -= len(content)
            place = target / blob.path
            if kind != "blob":
                raise self._unreadable(f"the entry of the file {blob.path} leads to a git object that is no file")
            if blob.mode == _LINK:
                links.append((place, content))
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("xb") as file:
                file.write(content)
            place.chmod(0o755 if blob.mode & 0o111 else 0o644)
        for place, aim in links:  # last: no file is ever written through one
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.parent.resolve() != (target.resolve() / place.parent.relative_to(target)) or b"\0" in aim:
                raise self._unreadable(f"the path to {place.name} contains a link")
            place.symlink_to(os.fsdecode(aim))

    def _holds(self, sha: bytes) -> bool:
        self._check_time()
        with self._reading(sha.hex()):
            return any(_has(store, sha) for store in self._own)

    @cached_property
    def excluded(self) -> str:
        """The work tree's own list of what is left out of git, beside its `.gitignore` files."""
        return _small(self._common, "info/exclude", 64 * 1024)

    @cached_property
    def _ignore_rules(self) -> Ignored:
        return Ignored(Tree(self.root), self.excluded)

    def _reference(self, name: str) -> str:
        if any(part in ("", ".", "..") for part in name.split("/")):
            return ""
        for folder in (self._control, self._common):
            text = _small(folder, name)
            if _SHA.fullmatch(text):
                return text
        for line in _small(self._common, "packed-refs", _REFS_BYTES).splitlines():
            sha, _, found = line.partition(" ")
            if found == name and _SHA.fullmatch(sha):
                return sha
        return ""

    def _entries(self, sha: str) -> list[tuple[bytes, int, str]]:
        from git.objects.fun import tree_entries_from_data

        kind, content = self._object(sha)
        try:
            if kind != "tree":
                raise ValueError(f"object {sha} is not a folder (a git tree)")
            entries = tree_entries_from_data(content)
        except ValueError as error:
            raise self._unreadable(str(error)) from error
        for _, _, name in entries:
            if name in ("", ".", "..", ".git") or "/" in name or "\0" in name or name.lower() == ".git":
                raise self._unreadable(f"the commit contains a file with the forbidden name {name!r}")
        return entries

    def _object(self, sha: str, most: int = OBJECT_BYTES, stores: Iterable[Any] | None = None) -> tuple[str, bytes]:
        """Kind and content of an object, which are what its name says: a mirror can lay anything under one."""
        self._check_time()
        with self._reading(sha):
            for store in self._stores if stores is None else stores:
                if not _has(store, bytes.fromhex(sha)):
                    continue
                if store.info(bytes.fromhex(sha)).size > most:
                    raise RepositoryError(f"{self.root} contains a file larger than {most / 1e6:,.1f} MB")
                found = store.stream(bytes.fromhex(sha))
                kind, content = found.type.decode(), found.read()
                if _name(content, kind).hex() != sha:
                    raise self._unreadable(f"the content of the git object {sha} does not match its hash")
                return kind, content
        advice = "; it uses objects of another clone: `git repack -a -d` copies them" if self._lending_folders else ""
        raise self._unreadable(f"the git object {sha} is missing{advice}")

    @contextmanager
    def _reading(self, sha: str) -> Iterator[None]:
        """Whatever gitdb says of damaged files is a RepositoryError."""
        from gitdb.exc import ODBError

        try:
            yield
        except (ODBError, OSError, ValueError, IndexError, AssertionError, MemoryError) as error:
            raise self._unreadable(f"the git object {sha} cannot be read ({type(error).__name__})") from error
        except Exception as error:
            if type(error).__module__ in ("zlib", "struct"):
                raise self._unreadable(f"the git object {sha} is damaged") from error
            raise

    @cached_property
    def _own(self) -> list[Any]:
        """Object files here; what is written out comes from no others."""
        return [store for store in _stores_of(self._common.root / "objects") if _is_no_link(Path(store.root_path()))]

    @cached_property
    def _stores(self) -> list[Any]:
        """Object files here, and those of the folders that git borrows from."""
        return [*self._own, *(store for folder in self._lending_folders for store in _stores_of(folder))]

    @cached_property
    def _lending_folders(self) -> list[Path]:
        """Folders of other repositories of the user's that hold objects of a work tree of his; a mirror has none."""
        own = self._common.root / "objects"
        lines = [] if self._bare else _small(self._common, "objects/info/alternates", 4096).splitlines()[:8]
        return [Path(os.path.realpath(own / line)) for line in lines]

    def _read_index(self) -> Mapping[str, Any]:
        """What the index remembers of files: saves reading those that were not touched since. Nothing else rests on it."""
        import io

        from git.index.fun import read_cache

        try:
            content = self._control.read_bytes("index", _INDEX_BYTES)
            _, entries, _, _ = read_cache(io.BytesIO(content))
        except Exception:  # noqa: BLE001  # any index that is missing, damaged or of another version: all files are read
            return {}
        return {str(path): entry for (path, stage), entry in entries.items() if not stage}

    def _same(self, blob: Blob, entry: Any) -> bool:
        """Whether the file here is the commit's."""
        self._check_time()
        place = f"{self.root}/{blob.path}"
        try:
            now = os.lstat(place)
        except OSError:
            return bool(entry is not None and entry.skip_worktree)
        if blob.mode == _LINK:
            return stat.S_ISLNK(now.st_mode) and _name(os.fsencode(Path(place).readlink())) == blob.sha
        if not stat.S_ISREG(now.st_mode) or not self._is_inside(posixpath.dirname(blob.path)):
            return False
        if bool(now.st_mode & 0o100) != bool(blob.mode & 0o100):
            return False
        if entry is not None and entry.binsha == blob.sha and entry.size == now.st_size & 0xFFFFFFFF:
            seconds, parts = int.from_bytes(entry.mtime_bytes[:4]), int.from_bytes(entry.mtime_bytes[4:])
            if seconds * 10**9 + parts == now.st_mtime_ns:
                return True
        return _file_name(Path(place), now.st_size) == blob.sha

    def _is_inside(self, folder: str) -> bool:
        """Whether no link leads out of the work tree on the way to a folder; each is looked at once."""
        if folder not in self._inside:
            place = Path(self.root, folder)
            above = not folder or self._is_inside(posixpath.dirname(folder))
            self._inside[folder] = above and (
                not folder or not place.is_symlink() or place.resolve().is_relative_to(self.root.resolve())
            )
        return self._inside[folder]

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise RepositoryError(
                f"reading the git files of {self.root} took more than {self._seconds:g} s; give a smaller folder"
            )

    def _unreadable(self, why: str) -> RepositoryError:
        return RepositoryError(f"{self.root}: git's own files cannot be read ({why}); clone it again")


def _has(store: Any, sha: bytes) -> bool:
    """Whether an object is in a store; a pipe or a device in the place of a loose one's file is none."""
    name = sha.hex()
    loose = f"{store.root_path()}/{name[:2]}/{name[2:]}"
    is_loose = os.path.lexists(loose)
    return bool(store.has_object(sha)) and (not is_loose or (Path(loose).is_file() and _is_no_link(Path(loose))))


def _stores_of(folder: Path) -> list[Any]:
    """The loose objects of a folder, and its packs unless something under a pack's name is a link or without a known end."""
    from gitdb.db import LooseObjectDB, PackedDB

    packs = folder / "pack"
    has_packs = packs.is_dir() and all(path.is_file() and not path.is_symlink() for path in packs.glob("pack-*"))
    return [*([LooseObjectDB(str(folder))] if folder.is_dir() else []), *([PackedDB(str(packs))] if has_packs else [])]


def _is_no_link(path: Path) -> bool:
    """Whether a path lies where it seems to, and not behind a link out of its repository."""
    return path.resolve() == path.absolute()


def is_work_tree(root: Path) -> bool:
    """Whether git's files of a work tree are in `root`."""
    return _control(root) is not None


def _control(root: Path) -> Path | None:
    """The folder `.git`, or the one that a linked work tree's file names, where that one points back."""
    here = root / ".git"
    if here.is_symlink():
        return None
    if here.is_dir():
        return here
    if not here.is_file():
        return None
    text = _pointer(here)
    place = root / text.removeprefix("gitdir:").strip()
    if not text.startswith("gitdir:") or not place.is_dir():
        return None
    back = _small(Tree(place), "gitdir")
    return place if back and Path(place, back).resolve() == here.resolve() else None


def _pointer(file: Path) -> str:
    """What a file `.git` says, which no `Tree` reads; "" where it is no regular file any more."""
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as opened:
            return (
                opened.read(4096).decode(errors="replace").strip()
                if stat.S_ISREG(os.fstat(opened.fileno()).st_mode)
                else ""
            )
    except OSError:
        return ""


def _common(control: Path) -> Path:
    """The folder with the objects: of a linked work tree the one that its own lies in, whatever else it names."""
    return control.parents[1] if _small(Tree(control), "commondir") and control.parent.name == "worktrees" else control


def _small(tree: Tree, path: str, most: int = 4096) -> str:
    """A short text file; "" where there is none."""
    try:
        return tree.read_text(path, most).strip()
    except (OSError, ToolError):
        return ""


def _name(content: bytes, kind: str = "blob") -> bytes:
    """What git calls an object."""
    return hashlib.sha1(f"{kind} {len(content)}\0".encode() + content, usedforsecurity=False).digest()


def _file_name(place: Path, size: int) -> bytes:
    """What git calls the file's content."""
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with os.fdopen(os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        left = size
        while left > 0 and (part := file.read(min(left, 1 << 20))):
            digest.update(part)
            left -= len(part)
    return digest.digest()
