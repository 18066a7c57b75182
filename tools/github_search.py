"""Searching GitHub for repositories, with capped waits and a cache."""

import hashlib
import logging
import os
import re
import secrets
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec
import requests
from github import Auth, BadCredentialsException, Github, GithubException, GithubRetry, RateLimitExceededException
from github.Repository import Repository

from tools.candidates import Candidate
from tools.errors import RateLimitError, SearchError

log = logging.getLogger(__name__)

DEFAULT_API = "https://api.github.com"
PER_QUERY = 10
"""Hits taken of one query."""
MAX_REQUESTS = 8
"""Search requests of one call: GitHub allows ten a minute without a token."""
MAX_QUERY = 256
"""Characters that GitHub accepts."""
RETRIES = 3
SECONDARY_WAIT = 60.0
"""Seconds that GitHub wants us to wait where it limits us and does not say how long."""
FUSION = 60
"""Reciprocal rank fusion's constant: how little the first place of one query outweighs the second."""
ADVICE = "set GITHUB_TOKEN, search a catalogue (catalog), or name a repository (repo)"
T = TypeVar("T")
_WORD = re.compile(r"[^\W_][\w.+-]*")


class _Answer(msgspec.Struct, frozen=True):
    """A cached answer."""

    moment: float
    """Seconds since the epoch."""
    hits: tuple[Candidate, ...]


class CappedRetry(GithubRetry):
    """PyGithub's retry policy caps the waits that it computes, but not those that a Retry-After header asks for."""

    def increment(
        self, method: str | None = None, url: str | None = None, response: Any = None, *more: Any, **named: Any
    ) -> Self:
        """Give up at once where the server asks to wait longer than allowed."""
        after = self.get_retry_after(response) if response is not None else None
        if after and self.max_rate_limit_wait is not None and after > self.max_rate_limit_wait:
            message = {"message": f"wait {after:.0f} s"}
            raise RateLimitExceededException(response.status, message, dict(response.headers))
        return super().increment(method, url, response, *more, **named)  # type: ignore[return-value]  # urllib3 says Retry


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
        retry = CappedRetry(
            total=RETRIES, backoff_factor=0.5, max_rate_limit_wait=max_wait, secondary_rate_wait=SECONDARY_WAIT
        )
        self._github = Github(
            auth=Auth.Token(token) if token else None,
            base_url=api,
            timeout=15,
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
        try:
            return tuple(
                _candidate(repository) for repository in islice(self._github.search_repositories(query), PER_QUERY)
            )
        except (GithubException, requests.RequestException) as error:
            raise _explain(error) from error


def relaxations(query: str) -> list[str]:
    """A query, then the same with its last word dropped, and so on; only words, so that nothing in it is an operator."""
    words = list(dict.fromkeys(_WORD.findall(query)))
    while len(" ".join(words)) > MAX_QUERY:
        words.pop()
    return [" ".join(words[:count]) for count in range(len(words), 0, -1)]


def _candidate(repository: Repository) -> Candidate:
    return Candidate(
        full_name=repository.full_name,
        url=repository.full_name,
        description=repository.description or "",
        topics=tuple(repository.topics or ()),
        language=repository.language,
        stars=repository.stargazers_count,
        source="github",
    )


def _explain(error: GithubException | requests.RequestException) -> SearchError:
    """One line that says what to do."""
    if isinstance(error, requests.RequestException):
        return SearchError(
            f"GitHub cannot be reached ({type(error).__name__}); check the network, search a catalogue (catalog), or name a repository (repo)"
        )
    if isinstance(error, BadCredentialsException):
        return SearchError("GitHub refuses the token; correct GITHUB_TOKEN, or unset it")
    if isinstance(error, RateLimitExceededException) or error.status == 429:
        return RateLimitError(f"GitHub's rate limit is reached; wait, {ADVICE}")
    return SearchError(f"GitHub answered {error.status} to the search; {ADVICE}")


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _load(path: Path, kind: type[T]) -> T | None:
    """What was stored; None where nothing was, or nothing that can be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def _store(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}-{secrets.token_hex(4)}")
    temporary.write_bytes(msgspec.json.encode(value))
    temporary.replace(path)
