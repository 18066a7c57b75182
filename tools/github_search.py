"""Searching GitHub for repositories, with capped waits and a cache."""

import base64
import hashlib
import logging
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import quote

import github
import msgspec
import requests
from github import (
    Auth,
    BadCredentialsException,
    Github,
    GithubException,
    GithubRetry,
    RateLimitExceededException,
    UnknownObjectException,
)
from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass, Requester
from urllib3.exceptions import MaxRetryError, ProtocolError

from ml_agent.tools.atomic import write_whole
from ml_agent.tools.bounded import read_bytes, within
from ml_agent.tools.candidates import Candidate, Look, Wanted
from ml_agent.tools.content_cache import warn_of_cache
from ml_agent.tools.errors import RateLimitError, SearchError

log = logging.getLogger(__name__)

DEFAULT_API = "https://api.github.com"
PER_PAGE = 100
"""Hits taken of one search."""
MOST_FILES = 5_000
README_HEAD, WHOLE_README = 6_000, 60_000
"""Bytes of a README that are ranked by, and that a closer look reads."""
MAX_QUERY = 256
"""Characters that GitHub accepts."""
RETRIES = 3
BACKOFF = 0.5
"""Seconds before the second retry; twice as long before each further one."""
TIMEOUT = 15
"""Seconds in which GitHub must say something."""
SECONDARY_WAIT = 60.0
"""Seconds that GitHub wants us to wait where it limits us and does not say how long."""
ELSEWHERE = "search a catalogue (catalog), or name a repository (repo)"
ADVICE = f"set GITHUB_TOKEN, {ELSEWHERE}"
NETWORK = f"check the network, {ELSEWHERE}"
UNREADABLE = f"GitHub's answer cannot be read; {NETWORK}"
_LARGEST = 10_000_000
"""Bytes of an answer; of a cached one, too."""
T = TypeVar("T")
_WORD = re.compile(r"[^\W_][\w.+-]*")
_FULL_NAME = re.compile(r"[\w-]+/[\w.-]+")
_DAY = re.compile(r"\d{4}(-\d\d){0,2}")


class _Kept(msgspec.Struct, frozen=True):
    """A cached answer."""

    moment: float
    """Seconds since the epoch."""
    etag: str
    body: Any


class _Licence(msgspec.Struct, frozen=True):
    spdx_id: str | None = None


class _Found(msgspec.Struct, frozen=True):
    """What is read of a repository in GitHub's answer."""

    full_name: str
    description: str | None = None
    topics: tuple[str, ...] | None = ()
    language: str | None = None
    stargazers_count: int | None = None
    pushed_at: str | None = None
    license: _Licence | msgspec.UnsetType | None = msgspec.UNSET
    archived: bool = False
    fork: bool = False
    size: int | None = None
    default_branch: str = "HEAD"


class _Page(msgspec.Struct, frozen=True):
    items: tuple[_Found, ...]


class _Blob(msgspec.Struct, frozen=True):
    path: str
    type: str = "blob"


class _Tree(msgspec.Struct, frozen=True):
    tree: tuple[_Blob, ...] = ()


class _Content(msgspec.Struct, frozen=True):
    content: str = ""


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """Addresses: GitHub's, or those of a GitHub Enterprise."""

    api: str = DEFAULT_API
    web: str = "https://github.com"
    packages: str = ""
    """Of a package index's JSON API; "" asks none."""


class CappedRetry(GithubRetry):
    """PyGithub's retry policy caps the waits that it computes, but not those that a Retry-After header asks for.

    It forgets the last answer when it gives up, too.
    """

    def increment(
        self, method: str | None = None, url: str | None = None, response: Any = None, *more: Any, **named: Any
    ) -> Self:
        """Give up at once where the server asks to wait longer than allowed."""
        after = self.get_retry_after(response) if response is not None else None
        if after and self.max_rate_limit_wait is not None and after > self.max_rate_limit_wait:
            message = {"message": f"wait {after:.0f} s"}
            raise RateLimitExceededException(response.status, message, dict(response.headers))
        try:
            return super().increment(method, url, response, *more, **named)  # type: ignore[return-value]  # urllib3 says Retry
        except MaxRetryError as error:
            if response is None:
                raise
            kind = RateLimitExceededException if response.status == 403 else GithubException
            raise kind(response.status, {"message": str(error)}, dict(response.headers)) from error


def _limited(answer: requests.Response, **_: object) -> None:
    """Have no more than so much read of an answer."""
    raw: Any = answer.raw
    inner = raw.stream

    def stream(*given: Any, **named: Any) -> Iterator[bytes]:
        left = _LARGEST
        for part in inner(*given, **named):
            left -= len(part)
            if left < 0:
                raise ProtocolError("the answer is too long")
            yield part

    raw.stream = stream


class _CappedConnection:
    """A connection of PyGithub's that reads no more than so much of an answer."""

    session: requests.Session

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.session.hooks["response"].append(_limited)


class _Http(_CappedConnection, HTTPRequestsConnectionClass):
    pass


class _Https(_CappedConnection, HTTPSRequestsConnectionClass):
    pass


class GitHubSearch:
    """GitHub's repository search."""

    def __init__(
        self,
        cache: Path,
        *,
        token: str | None = None,
        places: Places | None = None,
        max_wait: float = 60.0,
        max_age: float = 24 * 3600.0,
    ) -> None:
        """`max_wait`: seconds that GitHub may make us wait at a time; `max_age`: seconds that a cached answer is good for."""
        places = places or Places()
        self._cache, self._api, self._max_age = cache, places.api, max_age
        self._web, self._packages = places.web, places.packages
        self.time_for: Callable[[float], float] = float
        """Seconds that one query may take, of those that it would take at most."""
        self._most = (TIMEOUT + max_wait) * (RETRIES + 1)
        github.set_log_level(logging.WARNING)
        Requester.injectConnectionClasses(_Http, _Https)
        retry = CappedRetry(
            total=RETRIES, backoff_factor=BACKOFF, max_rate_limit_wait=max_wait, secondary_rate_wait=SECONDARY_WAIT
        )
        self._github = Github(
            auth=Auth.Token(token) if token else None,
            base_url=places.api,
            timeout=TIMEOUT,
            per_page=PER_PAGE,
            retry=retry,
            # A pause between requests is a courtesy to the public service.
            seconds_between_requests=0.25 if places.api == DEFAULT_API else 0.0,
        )

    def search(self, wanted: Wanted) -> list[Candidate]:
        """The first page of what GitHub finds.

        Raises RateLimitError where GitHub asks to wait too long, SearchError for all other failures.
        """
        words = words_of(wanted)
        if not words:
            return []
        parameters = {"q": words, "per_page": PER_PAGE}
        page = self._get("/search/repositories", parameters, _Page)
        return [_candidate(found) for found in page.items[:PER_PAGE]] if page else []

    def find(self, name: str) -> Candidate | None:
        """The repository OWNER/NAME, or that of the Python package NAME; None where there is none."""
        found = self._found(name)
        return _candidate(found) if found else None

    def look(self, name: str) -> Look | None:
        """The same with its files and README, by three requests."""
        found = self._found(name)
        if found is None:
            return None
        place = f"/repos/{quote(found.full_name)}/git/trees/{quote(found.default_branch)}"
        tree = self._get(place, {"recursive": 1}, _Tree) or _Tree()
        files = tuple(one.path for one in tree.tree if one.type == "blob")[:MOST_FILES]
        candidate = msgspec.structs.replace(_candidate(found), readme_head=self._readme(found.full_name, WHOLE_README))
        return Look(candidate=candidate, files=files)

    def _found(self, name: str) -> _Found | None:
        full_name = name if "/" in name else repository_of(name, self._web, self._packages)
        return self._get(f"/repos/{quote(full_name)}", {}, _Found) if _FULL_NAME.fullmatch(full_name) else None

    def readme_head(self, full_name: str) -> str:
        """The first part of a README, "" where there is none."""
        return self._readme(full_name, README_HEAD)

    def _readme(self, full_name: str, most: int) -> str:
        readme = self._get(f"/repos/{quote(full_name)}/readme", {}, _Content) or _Content()
        try:
            return base64.b64decode(readme.content)[:most].decode(errors="replace")
        except ValueError as error:
            raise SearchError(UNREADABLE) from error

    def _get(self, path: str, parameters: dict[str, Any], kind: type[T]) -> T | None:
        """An answer of the kind, None for what does not exist; kept, and asked for again only where it changed."""
        place = self._cache / f"{hashlib.sha256(repr((self._api, path, parameters)).encode()).hexdigest()[:32]}.json"
        kept = _load(place)
        if kept and time.time() - kept.moment < self._max_age:
            return _as(kind, kept.body)
        try:
            etag, body = self._ask(path, parameters, kept)
            answer = _as(kind, body)
        except SearchError as error:
            if kept is None:
                raise
            log.warning("%s; using the answer of %s", error, time.strftime("%Y-%m-%d", time.localtime(kept.moment)))
            return _as(kind, kept.body)
        _store(place, _Kept(time.time(), etag, msgspec.to_builtins(answer)))
        return answer

    def _ask(self, path: str, parameters: dict[str, Any], kept: _Kept | None) -> tuple[str, Any]:
        seconds = self.time_for(self._most)
        headers = {"If-None-Match": kept.etag} if kept and kept.etag else {}
        request = partial(self._github.requester.requestJsonAndCheck, "GET", path, parameters, headers)
        try:
            told, body = within(seconds, request)
        except UnknownObjectException:
            return "", None
        except TimeoutError as error:
            raise SearchError(f"GitHub did not answer within {seconds:.3g} s; {NETWORK}") from error
        except (GithubException, requests.RequestException) as error:
            raise _explain(error) from error
        except (ValueError, RuntimeError) as error:  # PyGithub's, of no JSON and of circles
            raise SearchError(UNREADABLE) from error
        if kept and not body:  # 304
            return kept.etag, kept.body
        if body is None:
            raise SearchError(UNREADABLE)
        return str(told.get("etag", "")), body


def words_of(wanted: Wanted) -> str:
    """A search in GitHub's words; only words and our own qualifiers, so that nothing in them is an operator."""
    qualifiers = [f"language:{_value(wanted.language)}"] if _value(wanted.language) else []
    qualifiers += [f"stars:>={wanted.min_stars}"] if wanted.min_stars > 0 else []
    qualifiers += [f"pushed:>{wanted.pushed_after}"] if _DAY.fullmatch(wanted.pushed_after) else []
    qualifiers += [f"topic:{_value(wanted.topic.lower())}"] if _value(wanted.topic) else []
    words = [word for word in dict.fromkeys(_WORD.findall(wanted.query)) if word not in ("AND", "OR", "NOT")]
    if not words and not wanted.topic:
        return ""
    qualifiers += ["in:name,description,topics,readme"] if wanted.in_readme and words else []
    while words and len(" ".join([*words, *qualifiers])) > MAX_QUERY:
        words.pop()
    return " ".join([*words, *qualifiers])


def _value(text: str) -> str:
    return re.sub(r"[^\w+#.-]+", "-", text.strip()).strip("-")


def _as(kind: type[T], body: Any) -> T | None:
    try:
        return None if body is None else msgspec.convert(body, kind)
    except msgspec.ValidationError as error:
        raise SearchError(UNREADABLE) from error


def _candidate(found: _Found) -> Candidate:
    licence = found.license
    return Candidate(
        full_name=found.full_name,
        url=found.full_name,
        description=found.description or "",
        topics=found.topics or (),
        language=found.language,
        stars=found.stargazers_count,
        pushed=(found.pushed_at or "")[:10],
        licence=None if licence is msgspec.UNSET else (licence.spdx_id or "" if licence else ""),
        archived=found.archived,
        fork=found.fork,
        size=found.size,
        source="github",
    )


def _explain(error: GithubException | requests.RequestException) -> SearchError:
    """One line that says what to do."""
    if isinstance(error, requests.RequestException):
        return SearchError(f"GitHub cannot be reached ({type(error).__name__}); {NETWORK}")
    if isinstance(error, BadCredentialsException):
        return SearchError("GitHub refuses the token; correct GITHUB_TOKEN, or unset it")
    if isinstance(error, RateLimitExceededException) or error.status == 429:
        return RateLimitError(f"GitHub's rate limit is reached; wait, {ADVICE}")
    what = f"try again later, {ELSEWHERE}" if error.status >= 500 else ADVICE
    return SearchError(f"GitHub answered {error.status}; {what}")


def _load(path: Path) -> _Kept | None:
    """What was stored; None where nothing was, or nothing that can be read."""
    try:
        return msgspec.json.decode(read_bytes(path, _LARGEST), type=_Kept)
    except (OSError, msgspec.DecodeError, RecursionError):
        return None


def _store(path: Path, value: _Kept) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, msgspec.json.encode(value))
    except OSError as error:  # it is asked again next time
        warn_of_cache(error)


PACKAGE_SECONDS = 10.0
_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}")


class _Info(msgspec.Struct, frozen=True):
    home_page: str | None = ""
    project_urls: dict[str, str] | None = None


class _Package(msgspec.Struct, frozen=True):
    info: _Info


def repository_of(package: str, web: str, index: str) -> str:
    """OWNER/NAME on the web site `web` by the package's own links, "" where it has none or the index does not say.

    `index` is the address of the index's JSON API, to which /NAME/json is added.
    """
    if not index or not _PACKAGE.fullmatch(package):
        return ""
    ask = partial(
        requests.get, f"{index.rstrip('/')}/{package}/json", timeout=PACKAGE_SECONDS, hooks={"response": _limited}
    )
    try:
        answer = within(PACKAGE_SECONDS, ask)
        info = msgspec.json.decode(answer.content, type=_Package).info
    except (requests.RequestException, TimeoutError, msgspec.DecodeError):
        return ""  # a name that is no package is the usual case
    place = re.compile(re.escape(web.rstrip("/")) + r"/([\w-]+/[\w.-]+?)(?:\.git)?(?:[/#?].*)?", re.IGNORECASE)
    links = (info.home_page or "", *(info.project_urls or {}).values())
    return next((match[1] for link in links if (match := place.fullmatch(link.strip()))), "")
