"""Searching GitHub for repositories, with capped waits and a cache."""

import hashlib
import logging
import re
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

import github
import msgspec
import requests
from github import Auth, BadCredentialsException, Github, GithubException, GithubRetry, RateLimitExceededException
from urllib3.exceptions import MaxRetryError

from ml_agent.tools.atomic import write_whole
from ml_agent.tools.bounded import read_bytes
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.content_cache import warn_of_cache
from ml_agent.tools.deadline import within
from ml_agent.tools.errors import RateLimitError, SearchError

log = logging.getLogger(__name__)

DEFAULT_API = "https://api.github.com"
PER_QUERY = 10
"""Hits taken of one query."""
MAX_REQUESTS = 8
"""Search requests of one call: GitHub allows ten a minute without a token."""
MAX_QUERY = 256
"""Characters that GitHub accepts."""
RETRIES = 3
BACKOFF = 0.5
"""Seconds before the second retry; twice as long before each further one."""
TIMEOUT = 15
"""Seconds in which GitHub must say something."""
SECONDARY_WAIT = 60.0
"""Seconds that GitHub wants us to wait where it limits us and does not say how long."""
FUSION = 60
"""Reciprocal rank fusion's constant: how little the first place of one query outweighs the second."""
ELSEWHERE = "search a catalogue (catalog), or name a repository (repo)"
ADVICE = f"set GITHUB_TOKEN, {ELSEWHERE}"
NETWORK = f"check the network, {ELSEWHERE}"
_LARGEST = 10_000_000
"""Bytes of a cached answer; a larger one is asked for again."""
T = TypeVar("T")
_WORD = re.compile(r"[^\W_][\w.+-]*")


class _Answer(msgspec.Struct, frozen=True):
    """A cached answer."""

    moment: float
    """Seconds since the epoch."""
    hits: tuple[Candidate, ...]


class _Found(msgspec.Struct, frozen=True):
    """What is read of a repository in GitHub's answer."""

    full_name: str
    description: str | None = None
    topics: tuple[str, ...] | None = None
    language: str | None = None
    stargazers_count: int | None = None


class _Page(msgspec.Struct, frozen=True):
    """GitHub's answer."""

    items: tuple[_Found, ...]


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


class GitHubSearch:
    """GitHub's repository search."""

    def __init__(
        self,
        cache: Path,
        *,
        token: str | None = None,
        api: str = DEFAULT_API,
        max_wait: float = 60.0,
        max_age: float = 24 * 3600.0,
    ) -> None:
        """`max_wait`: seconds that GitHub may make us wait at a time; `max_age`: seconds that a cached answer is good for."""
        self._cache, self._api, self._max_age = cache, api, max_age
        self.time_for: Callable[[float], float] = float
        """Seconds that one query may take, of those that it would take at most."""
        self._most = (TIMEOUT + max_wait) * (RETRIES + 1)
        github.set_log_level(logging.WARNING)
        retry = CappedRetry(
            total=RETRIES, backoff_factor=BACKOFF, max_rate_limit_wait=max_wait, secondary_rate_wait=SECONDARY_WAIT
        )
        self._github = Github(
            auth=Auth.Token(token) if token else None,
            base_url=api,
            timeout=TIMEOUT,
            per_page=PER_QUERY,
            retry=retry,
            # A pause between requests is a courtesy to the public service.
            seconds_between_requests=0.25 if api == DEFAULT_API else 0.0,
        )

    def search(self, queries: Sequence[str], limit: int = 5) -> list[Candidate]:
        """The repositories that the queries find, best first; the first query counts most.

        GitHub asks for every word of a query. Where one finds nothing its last word is dropped, and so on, until there
        are `limit` candidates or MAX_REQUESTS requests were made.

        Raises RateLimitError where GitHub asks to wait too long, SearchError for all other failures.
        """
        ladders = [ladder for query in queries if (ladder := relaxations(query))]
        scores: dict[str, float] = defaultdict(float)
        found: dict[str, Candidate] = {}
        requests_left = MAX_REQUESTS
        for step in range(max(map(len, ladders), default=0)):
            for place, ladder in enumerate(ladders):
                if step >= len(ladder) or not requests_left or (step and len(found) >= limit):
                    continue
                requests_left -= 1
                hits = self._hits(ladder[step])
                for position, hit in enumerate(hits):
                    found.setdefault(hit.full_name, hit)
                    scores[hit.full_name] += 1 / (FUSION + position + 10 * (place + step))
                if hits:
                    ladder.clear()
        best = sorted(found.values(), key=lambda hit: -scores[hit.full_name])[:limit]
        return [msgspec.structs.replace(hit, score=round(scores[hit.full_name], 6)) for hit in best]

    def _hits(self, query: str) -> tuple[Candidate, ...]:
        path = self._cache / f"{_key('search', self._api, query)}.json"
        cached = _load(path, _Answer)
        if cached and time.time() - cached.moment < self._max_age:
            return cached.hits
        try:
            answer = _Answer(time.time(), self._ask(query))
        except SearchError as error:
            if cached is None:
                raise
            log.warning("%s; using the answer of %s", error, time.strftime("%Y-%m-%d", time.localtime(cached.moment)))
            return cached.hits
        _store(path, answer)
        return answer.hits

    def _ask(self, query: str) -> tuple[Candidate, ...]:
        seconds = self.time_for(self._most)
        request = partial(
            self._github.requester.requestJsonAndCheck,
            "GET",
            "/search/repositories",
            {"q": query, "per_page": PER_QUERY},
        )
        try:
            _, answer = within(seconds, request)
            return tuple(_candidate(found) for found in msgspec.convert(answer, _Page).items[:PER_QUERY])
        except TimeoutError as error:
            raise SearchError(f"GitHub did not answer within {seconds:.3g} s; {NETWORK}") from error
        except (GithubException, requests.RequestException) as error:
            raise _explain(error) from error
        except (ValueError, RuntimeError, msgspec.ValidationError) as error:  # PyGithub's, of no JSON and of circles
            raise SearchError(f"GitHub's answer to the search cannot be read; {NETWORK}") from error


def relaxations(query: str) -> list[str]:
    """A query, then the same with its last word dropped, and so on; only words, so that nothing in it is an operator."""
    words = list(dict.fromkeys(_WORD.findall(query)))
    while len(" ".join(words)) > MAX_QUERY:
        words.pop()
    return [" ".join(words[:count]) for count in range(len(words), 0, -1)]


def _candidate(found: _Found) -> Candidate:
    return Candidate(
        full_name=found.full_name,
        url=found.full_name,
        description=found.description or "",
        topics=found.topics or (),
        language=found.language,
        stars=found.stargazers_count,
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
    return SearchError(f"GitHub answered {error.status} to the search; {what}")


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _load(path: Path, kind: type[T]) -> T | None:
    """What was stored; None where nothing was, or nothing that can be read."""
    try:
        return msgspec.json.decode(read_bytes(path, _LARGEST), type=kind)
    except (OSError, msgspec.DecodeError, RecursionError):
        return None


def _store(path: Path, value: Any) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, msgspec.json.encode(value))
    except OSError as error:  # it is asked again next time
        warn_of_cache(error)
