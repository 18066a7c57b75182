"""Candidates from the repository that was named, from a catalogue, or from GitHub."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec

from ml_agent.errors import UsageError
from ml_agent.replay.tape import Tape
from ml_agent.request import Request
from ml_agent.samples import URL_SCHEME, repository_path
from ml_agent.settings import Settings
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.catalog import Catalog
from ml_agent.tools.errors import RateLimitError, SearchError
from ml_agent.tools.remotes import is_url
from ml_agent.understanding import rank

CANDIDATES = 5
"""How many repositories are looked at (ML-Bench's ML-Agent takes five)."""
ASKED = 30
"""How many search results they are chosen from."""


class Finder(Protocol):
    """Where candidates come from."""

    def find(self, request: Request) -> list[Candidate]:
        """At most five candidates."""


class NamedFinder:
    """The one repository that the user named: OWNER/NAME, URL or path."""

    def __init__(self, source: str, commit: str | None = None) -> None:
        self._source, self._commit = source.strip(), commit
        if not self._source:
            raise UsageError("--repo is empty: give OWNER/NAME, a URL or a folder")

    def find(self, request: Request) -> list[Candidate]:
        """That repository, without looking further."""
        local = Path(self._source).expanduser()
        name = local.resolve().name if local.is_dir() else "/".join(self._source.rstrip("/").split("/")[-2:])
        return [Candidate(full_name=name.removesuffix(".git"), url=self._source, commit=self._commit)]


class CatalogFinder:
    """The best entries of a catalogue file; `sample:NAME` entries stand for folders of the package."""

    def __init__(self, path: Path, readme_of: Callable[[str], str] | None = None) -> None:
        self._catalog = Catalog.read(path, readme_of=readme_of)

    def find(self, request: Request) -> list[Candidate]:
        """Search by the instruction's own words first, then by the queries."""
        found = self._catalog.search((request.instruction, *request.queries), CANDIDATES)
        return [_resolve(candidate) for candidate in found]


class GitHubFinder:
    """GitHub's repository search."""

    def __init__(self, settings: Settings, time_for: Callable[[float], float] = float) -> None:
        """`time_for`: how many of the seconds that a query takes at most it may take."""
        from ml_agent.tools.github_search import GitHubSearch  # PyGithub takes 0.3 s to import: only where it is used

        self._search = GitHubSearch(
            cache=settings.cache_dir / "searches",
            token=settings.github_token.get_secret_value() or None,
            api=settings.github_api,
            max_wait=min(settings.max_wait, settings.max_seconds or settings.max_wait),
        )
        self._search.time_for = time_for

    def find(self, request: Request) -> list[Candidate]:
        """Ask by the queries, then choose by the instruction: GitHub's own order is by popularity as well."""
        found = self._search.search(request.queries or (request.instruction,), ASKED)
        return rank(request.instruction, found, request.keywords)[:CANDIDATES]


class TapeFinder:
    """Records what a search found, or plays it back."""

    def __init__(self, tape: Tape, inner: Finder) -> None:
        self._tape, self._inner = tape, inner

    def find(self, request: Request) -> list[Candidate]:
        """What the search found, or had found when it was recorded."""
        asked = {"instruction": request.instruction, "queries": request.queries}
        errors = {"SearchError": SearchError, "RateLimitError": RateLimitError}
        found = self._tape.call("search", asked, lambda: self._inner.find(request), list[Candidate], errors)
        return [one for one in found if is_url(one.url)]  # a recording names no folder of this machine


def _resolve(candidate: Candidate) -> Candidate:
    if not candidate.url.startswith(URL_SCHEME):
        return candidate
    return msgspec.structs.replace(candidate, url=str(repository_path(candidate.url)))
