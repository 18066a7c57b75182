"""What a user may call a repository, and what git may be given of it."""

import base64
import configparser
import posixpath
import re
from collections.abc import Collection, Iterable
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ml_agent.tools.bounded import read_ini
from ml_agent.tools.errors import RepositoryError, UnsafePathError, UnsafeUrlError
from ml_agent.tools.files import Tree
from ml_agent.tools.git import mask_url
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.walk import is_control

DEFAULT_WEB = "https://github.com"
_RESERVED = ".invalid"
"""RFC 2606: no such host can be registered, so none is asked for."""
_FULL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/(?!\.{1,2}$)[A-Za-z0-9._-]+")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(:|//)")
_HELPER = re.compile(r"[\w+.-]+::")
"""ext::COMMAND and the like: git would run it."""
_SSH = re.compile(r"[\w.-]+@[\w.-]+:(?!//)")
_PLACE = re.compile(r"(?:[A-Za-z][\w+.-]*://[^/]*|[\w.-]+@[\w.-]+:)?[^:]*")
"""A folder, a name or an address with all its own colons."""
_BLANK = re.compile(r"[\x00-\x20\x7f]")
_PATH = re.compile(r"[/~.]|\.\.?(/|$)")


class Remote(NamedTuple):
    """A repository elsewhere."""

    url: str
    """Without credentials."""
    header: str
    """HTTP header that authorises; "" for none."""
    shown: str
    """How the user called it, fit to be shown."""


class Remotes:
    """Turns OWNER/NAME and URLs into what git may be given."""

    def __init__(self, web: str = DEFAULT_WEB, token: str | None = None) -> None:
        """`web` is where OWNER/NAME lives; besides https, only URLs below it are allowed. `token` is sent there only."""
        self._web, self._token = web.rstrip("/"), token

    def find(self, source: str) -> Remote:
        """The repository that `source` names.

        Raises UnsafeUrlError for what git must not be given, RepositoryError for what is no repository's name.
        """
        name = source.removeprefix(f"{self._web.partition('://')[2]}/").rstrip("/")
        if _FULL_NAME.fullmatch(name):
            url = f"{self._web}/{name.removesuffix('.git')}"
            return Remote(url, self._header(url, ""), name)
        if not _URL.match(source):
            raise _unknown(source)
        url, login = self._split_credentials(source)
        return Remote(url, self._header(url, login), url)

    def _split_credentials(self, source: str) -> tuple[str, str]:
        """The URL without credentials, and the credentials (USER:PASSWORD)."""
        shown = mask_url(source)
        try:
            parts = urlsplit(source)
        except ValueError as error:
            raise UnsafeUrlError(f"{shown} is not a URL: give https://HOST/OWNER/NAME") from error
        login, _, host = parts.netloc.rpartition("@")
        url = parts._replace(netloc=host, query="", fragment="").geturl().rstrip("/")
        segments = [segment for segment in unquote(parts.path).split("/") if segment]
        if _HELPER.match(source) or ".." in segments or _BLANK.search(unquote(source)) or host.startswith("-"):
            raise UnsafeUrlError(f"the URL {shown} is not accepted: give https://HOST/OWNER/NAME")
        if parts.scheme != "https" and not url.startswith(self._web + "/"):
            raise UnsafeUrlError(
                f"{shown} is not cloned, because it is not an https:// URL: clone it yourself and give the folder"
            )
        if not host and parts.scheme != "file":
            raise UnsafeUrlError(f"the URL {shown} has no host: give https://HOST/OWNER/NAME")
        if is_example(source):
            raise RepositoryError(f"{shown} is only an example of an address: nothing can be fetched from it")
        if host == urlsplit(DEFAULT_WEB).netloc and len(segments) != 2:
            raise RepositoryError(
                f"{shown} is not the address of a repository: give https://github.com/OWNER/NAME; a commit or folder is given with --commit and --path"
            )
        return url, unquote(login)

    def _header(self, url: str, login: str) -> str:
        if not login and self._token and url.startswith(self._web + "/"):
            login = f"x-access-token:{self._token}"
        return f"Authorization: Basic {base64.b64encode(login.encode()).decode()}" if login else ""


def is_example(url: str) -> bool:
    """Whether an address is one of a host that cannot exist, as most entries of the sample catalogue have it."""
    return (urlsplit(url).hostname or "").rstrip(".").endswith(_RESERVED)


def is_url(source: str) -> bool:
    """Whether it is an address, and so no folder here."""
    return _URL.match(source) is not None


def local_folder(source: str) -> Path | None:
    """The folder that `source` names, if it names one; RepositoryError where it names a file or a bare repository."""
    if not source or is_url(source) or "\0" in source:
        return None
    path = Path(source).expanduser()
    if path.is_file():
        raise RepositoryError(f"{source} is a file: give a folder")
    if not path.is_dir():
        return None
    if (path / "HEAD").is_file() and (path / "objects").is_dir() and not (path / ".git").exists():
        raise RepositoryError(
            f"{source} is a bare git repository: clone it yourself and give the folder with its files"
        )
    if is_control(path.resolve().as_posix()):
        raise RepositoryError(f"{source} is version control's own folder: give the folder with the files")
    return path.resolve()


def split_place(target: str) -> tuple[str, str]:
    """A repository, and what is named in it behind a colon: DIR:SCRIPT, URL:SCRIPT."""
    place = _PLACE.match(target)[0]  # type: ignore[index]  # it fits any text
    return place, target[len(place) + 1 :]


def _unknown(source: str) -> RepositoryError:
    if _SSH.match(source):
        return UnsafeUrlError(f"{source} is an ssh address, which is not used: give the https:// URL")
    if source.startswith("-") or "\0" in source:
        return UnsafeUrlError(f"{source!r} is not a repository; give OWNER/NAME, an https:// URL or a folder")
    if _PATH.match(source):
        return RepositoryError(f"{source}: no such folder")
    return RepositoryError(f"{source!r} is neither OWNER/NAME, nor an https:// URL, nor a folder here")


# Submodules of git that a clone has not checked out: why files are missing that the repository speaks of.

MAX_SUBMODULES = 200
_FILE = ".gitmodules"


def absent_submodules(index: RepoIndex) -> tuple[str, ...]:
    """The folders that .gitmodules names and that hold no file; () where it is not there or cannot be read."""
    files = index.files
    if _FILE not in files:
        return ()
    try:
        parser = read_ini("\n".join(map(str.strip, Tree(index.root).read_text(_FILE).splitlines())))
    except (configparser.Error, OSError, UnsafePathError):
        return ()
    named = [posixpath.normpath(parser.get(section, "path", fallback=".")) for section in parser.sections()]
    return tuple(
        path
        for path in islice(named, MAX_SUBMODULES)
        if path != "." and not any(one.startswith(f"{path}/") for one in files)
    )


def submodule_of(paths: Iterable[str], absent: Collection[str]) -> str:
    """The first absent submodule that is one of the paths or holds one; "" where none is."""
    return next((one for path in paths for one in absent if f"{path}/".startswith(f"{one}/")), "")


def say_absent(submodules: Iterable[str]) -> str:
    """One line about submodules that are not checked out."""
    named = list(submodules)
    what = "is a submodule that is" if len(named) == 1 else "are submodules that are"
    return (
        f"{', '.join(named[:3])}{', …' if len(named) > 3 else ''} {what} not checked out: git submodule update --init"
    )
