"""Repositories on this machine, one folder a commit; local folders are used where they are.

A clone is made in a temporary folder and renamed, under a lock, so that what is in the cache is whole.
"""

import fcntl
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import msgspec

from ml_agent.tools.atomic import write_whole
from ml_agent.tools.content_cache import ContentCache, fingerprint
from ml_agent.tools.errors import RepositoryError, UnreachableError, UnsafeUrlError
from ml_agent.tools.files import Tree
from ml_agent.tools.git import Act, DeadlineError, Git, Limits, Operand, SizeError
from ml_agent.tools.remotes import DEFAULT_WEB, Remote, Remotes, local_folder
from ml_agent.tools.versions import local_version
from ml_agent.tools.work_tree import WorkTree, is_work_tree

DEFAULT_SECONDS = 300.0
DEFAULT_BYTES = 2 * 1024**3
README_BYTES = 4000
MARK = ".commit"
"""File that names the commit of a folder that is no git work tree."""
_SHA = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_REFERENCE = re.compile(r"\w[^\s~^:?*\[\\\x00-\x1f\x7f-\x9f]*")


class Checkout(msgspec.Struct, frozen=True, kw_only=True):
    """A repository's files at one version."""

    root: Path
    version: str
    """The commit's SHA, or for a local folder what `local_version` says."""
    url: str
    """Where it came from, without credentials; for a local folder its path."""
    local: bool
    note: str = ""
    """What the user should know, such as that the newest commit could not be asked for."""


class RepositoryCache:
    """Brings repositories here, shallow and pinned."""

    time_for: Callable[[float], float] = staticmethod(float)
    """How many of so many seconds a `get` may take; who has less time than that sets another."""

    def __init__(
        self,
        folder: Path,
        *,
        token: str | None = None,
        web: str = DEFAULT_WEB,
        timeout: float = DEFAULT_SECONDS,
        max_bytes: int = DEFAULT_BYTES,
    ) -> None:
        """`web` is where OWNER/NAME lives; besides https, only URLs below it are cloned.

        `token` is sent to `web` only. `timeout` in seconds and `max_bytes` hold for one `get`.
        """
        self.folder = folder
        self._remotes = Remotes(web, token)
        self._timeout, self._max_bytes = timeout, max_bytes

    def get(self, source: str, commit: str | None = None) -> Checkout:
        """The files of `source` (OWNER/NAME, a URL or a local folder) at a commit, branch or tag, else at its HEAD.

        Raises UnsafeUrlError for what git must not be given, RepositoryError for all that cannot be had; the message
        says what to do.
        """
        if commit is not None and not _REFERENCE.fullmatch(commit):
            raise UnsafeUrlError(f"--commit {commit!r} is not a commit: give a 40-digit SHA, a branch or a tag")
        source = source.strip()
        folder = local_folder(source)
        if folder is None:
            return self._fetch(self._remotes.find(source), commit)
        version = local_version(folder, self._versions)
        if commit is None or version == commit:
            return Checkout(root=folder, version=version, url=str(folder), local=True)
        if not is_work_tree(folder):
            raise RepositoryError(
                f"{folder} is at commit {version}, not at {commit}: leave out --commit, or give a git repository that has that commit"
            )
        return self._taken_out(folder, commit)

    @cached_property
    def _versions(self) -> ContentCache:
        return ContentCache(self.folder / "versions.sqlite", fingerprint())

    def readme_head(self, source: str) -> str:
        """The first part of the README of a repository that is here already; "" for all others. No network is used."""
        try:
            home = self.folder / _cache_name(self._remotes.find(source).url)
            commit = _newest(home)
            return _readme_head(Tree(home / commit / home.name)) if commit else ""
        except RepositoryError:
            return ""

    def _taken_out(self, folder: Path, commit: str) -> Checkout:
        """Another commit of a local work tree, written from its object files: git is not run on it."""
        work = WorkTree(folder)
        sha = work.find(commit)
        home = self.folder / _cache_name(f"file://{quote(str(folder))}")
        root = home / sha / home.name

        def write(place: Path, _deadline: float) -> None:
            work.write(sha, place, self._max_bytes)
            write_whole(place / MARK, f"{sha}\n".encode())  # in the place of what the commit calls so, be it a link

        if not root.is_dir():
            self._add(root, time.monotonic() + self.time_for(self._timeout), write)
        return Checkout(root=root, version=sha, url=str(folder), local=False)

    def _fetch(self, remote: Remote, commit: str | None) -> Checkout:
        seconds = self.time_for(self._timeout)
        deadline = time.monotonic() + seconds
        home = self.folder / _cache_name(remote.url)
        try:
            sha, note = self._pin(remote, commit, home, deadline)
            root = home / sha / home.name
            if not root.is_dir():
                self._add(root, deadline, lambda work, until: self._clone(remote, sha, work, until))
        except DeadlineError as error:
            advice = "allow more (clone_timeout), or clone it yourself and give the folder"
            raise RepositoryError(f"{remote.shown} was not fetched within {seconds:g} s ({error}): {advice}") from error
        except SizeError as error:
            advice = "allow more (clone_bytes), or clone it yourself and give the folder"
            raise RepositoryError(f"{remote.shown} is larger than {self._max_bytes / 1e6:,.1f} MB: {advice}") from error
        os.utime(root.parent)  # so that `_newest` finds what was used last
        return Checkout(root=root, version=sha, url=remote.url, local=False, note=note)

    def _pin(self, remote: Remote, commit: str | None, home: Path, deadline: float) -> tuple[str, str]:
        """The SHA to use, and what to tell the user of it."""
        if commit is not None and _SHA.fullmatch(commit):
            return commit, ""
        try:
            return self._resolve(remote, commit, deadline), ""
        except UnreachableError:
            newest = _newest(home) if commit is None else None
            if newest is None:
                raise
            return newest, f"{remote.shown} cannot be reached; using the last known commit"

    def _resolve(self, remote: Remote, reference: str | None, deadline: float) -> str:
        """The SHA of a branch or tag, or of HEAD."""
        named = (f"refs/tags/{reference}^{{}}", f"refs/tags/{reference}", f"refs/heads/{reference}")
        wanted = ("HEAD",) if reference is None else named
        self.folder.mkdir(parents=True, exist_ok=True)
        output = _git(self.folder, remote).run(
            "ls-remote", Limits(deadline=deadline), *map(Operand, (remote.url, *wanted))
        )
        if output.status != 0:
            raise _explain(output.stderr, remote)
        lines = (line.partition("\t") for line in output.stdout.decode(errors="replace").splitlines())
        found = {name: sha for sha, _, name in lines}
        sha = next((found[name] for name in wanted if name in found), "")
        if not _SHA.fullmatch(sha):
            missing = (
                f"no branch or tag {reference} (give all 40 digits of a commit)"
                if reference
                else "it has no commit yet"
            )
            raise RepositoryError(f"{remote.shown}: {missing}")
        return sha

    def _add(self, root: Path, deadline: float, write: Callable[[Path, float], None]) -> None:
        """Have `write` fill a new folder and put it in its place in one step."""
        home = root.parent.parent
        home.mkdir(parents=True, exist_ok=True)
        with _lock(home / ".lock", deadline):
            if root.is_dir():
                return
            for stale in home.glob(".new-*"):
                # Left by a process that was killed, for nobody else holds the lock; its git may still be writing.
                shutil.rmtree(stale, ignore_errors=True)
            temporary = home / f".new-{secrets.token_hex(4)}"
            work = temporary / root.name
            work.mkdir(parents=True)
            try:
                write(work, deadline)
                temporary.rename(root.parent)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)  # renamed where all went well

    def _clone(self, remote: Remote, commit: str, work: Path, deadline: float) -> None:
        client = _git(work, remote)
        limits = Limits(deadline=deadline, max_bytes=self._max_bytes, folder=work)
        url, wanted = Operand(remote.url), Operand(commit)
        steps: tuple[tuple[Act, tuple[Operand, ...]], ...] = (
            ("init", ()),
            ("fetch", (url, wanted)),
            ("checkout", (wanted,)),
        )
        for act, operands in steps:
            output = client.run(act, limits, *operands)
            if output.status != 0:
                raise _explain(output.stderr, remote, commit)


def _readme_head(tree: Tree) -> str:
    names = sorted(path.name for path in tree.root.iterdir() if path.name.lower().startswith("readme"))
    return next((tree.read_text(name, README_BYTES) for name in names if tree.is_file(name)), "")


def _git(folder: Path, remote: Remote) -> Git:
    return Git(folder, protocol=urlsplit(remote.url).scheme, header=remote.header, header_url=remote.url)


_REASONS = {
    "commit": r"not our ref|couldn't find remote ref|unadvertised object|not a tree|unable to read tree",
    "private": r"could not read username|authentication failed|error: 40[13]|access denied|terminal prompts disabled",
    "blocked": r"error: 451",
    "missing": r"not found|does not appear to be a git|not valid: is this a git|does not exist|error: 404",
    "unreachable": r"could not resolve|(failed|couldn't|could not) (to )?connect|connection (refused|timed out|reset)"
    r"|error: 5\d\d|ssl|tls|early eof|timed out|too slow|unexpected disconnect|empty reply",
}
"""What git's messages mean; the first that fits."""


def _explain(stderr: str, remote: Remote, commit: str = "") -> RepositoryError:
    """The error that git's message amounts to, in one line."""
    reason = next((name for name, pattern in _REASONS.items() if re.search(pattern, stderr.lower())), "")
    shown = remote.shown
    nor = "" if "://" in shown else "; there is no folder of that name here, either"
    if reason == "commit":
        return RepositoryError(
            f"{shown}: no commit {commit}; give a 40-digit SHA, a branch or a tag of that repository"
        )
    if reason == "private":
        advice = "the credentials were refused" if remote.header else "set GITHUB_TOKEN if it is private"
        return RepositoryError(f"{shown}: no such repository, or no access to it; check the name, {advice}{nor}")
    if reason == "blocked":
        return RepositoryError(f"{shown}: blocked by its host for legal reasons (451)")
    if reason == "missing":
        return RepositoryError(f"{shown}: no git repository there; check the name{nor}")
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    last = re.sub(r"://[^/@\s]+@", "://", lines[-1]) if lines else "git said nothing"
    if reason == "unreachable":
        nor = nor if re.search("resolve|connect", last.lower()) else ""  # somebody answered for that name
        return UnreachableError(f"{shown}: cannot be reached ({last}); check the network, or give a folder{nor}")
    return RepositoryError(f"{shown}: git failed ({last})")


def _cache_name(url: str) -> Path:
    """Folder of a repository in the cache: HOST/OWNER/NAME."""
    parts = urlsplit(url.removesuffix(".git"))
    segments = [parts.netloc or parts.scheme, *unquote(parts.path).split("/")]
    clean = [re.sub(r"[^\w.+-]+", "-", segment).lstrip(".") for segment in segments]
    return Path(*[segment for segment in clean if segment])


def _newest(home: Path) -> str | None:
    """The commit that was used last."""
    commits = [path for path in home.glob("*") if _SHA.fullmatch(path.name)]
    return max(commits, key=lambda path: path.stat().st_mtime).name if commits else None


@contextmanager
def _lock(path: Path, deadline: float) -> Iterator[None]:
    """Hold an advisory lock; DeadlineError where another process keeps it."""
    # For both ways: to open a pipe for one would wait for somebody at its other end.
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    with os.fdopen(handle, "w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > deadline:
                    raise DeadlineError("another process is still fetching it") from error
                time.sleep(0.05)
        yield
