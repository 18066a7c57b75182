"""Where candidates come from: the repository that was named, a catalogue, or GitHub; and how they are found there without a model."""

import itertools
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ml_agent.errors import UsageError
from ml_agent.replay.tape import Tape
from ml_agent.samples import URL_SCHEME, catalog_path, repository_path
from ml_agent.settings import Settings
from ml_agent.tools.candidates import Candidate, Look, Source, Wanted, distinct
from ml_agent.tools.errors import RateLimitError, SearchError
from ml_agent.tools.query import Query
from ml_agent.tools.remotes import is_url

T = TypeVar("T")
README_HEAD = 2000
"""Characters of a catalogue's README that count."""
CANDIDATES = 5
"""How many repositories are looked at (ML-Bench's ML-Agent takes five)."""
MOST_SEARCHES = 8
"""GitHub allows ten a minute without a token."""
_FROM_README = 12
"""Candidates whose README's head is read where a search does not bring it."""
_TELLING = 6
"""Words of a sentence that are searched for in pairs."""
FEW_STARS = 5
"""Below, a repository is hardly ever more than somebody's exercise."""


def named(source: str, commit: str | None = None) -> Candidate:
    """The one repository that the user named: OWNER/NAME, URL or path. Raises UsageError for an empty name."""
    source = source.strip()
    if not source:
        raise UsageError("--repo is empty: give OWNER/NAME, a URL or a folder")
    local = Path(source).expanduser()
    name = local.resolve().name if local.is_dir() else "/".join(source.rstrip("/").split("/")[-2:])
    return Candidate(full_name=name.removesuffix(".git"), url=source, commit=commit)


def listed(name: str, commit: str | None, settings: Settings, catalog: str) -> Candidate:
    """The repository that the user named, as a catalogue lists it; folders and URLs need no list. Raises UsageError, CatalogError."""
    if is_url(name) or Path(name).expanduser().is_dir():
        return named(name, commit)
    found = source_for(settings, catalog).find(name.strip())
    if found is None:
        raise UsageError(
            f"the catalogue {catalog} does not list the repository {name}: correct --repo, or leave out --catalog"
        )
    return msgspec.structs.replace(found, commit=commit or found.commit)


def source_for(settings: Settings, catalog: str = "", time_for: Callable[[float], float] = float) -> Source:
    """A catalogue (a file, or `sample`), or GitHub where none is named.

    `time_for`: how many of the seconds that a request takes at most it may take.
    """
    if catalog:
        from ml_agent.tools.catalog import Catalog, read_candidates
        from ml_agent.workspaces import repository_cache

        path = catalog_path() if catalog == "sample" else Path(catalog)
        readme_of = repository_cache(settings).readme_head
        return Catalog([_resolved(one, readme_of) for one in read_candidates(path)])
    from ml_agent.tools.github_search import (
        GitHubSearch,
        Places,
    )  # PyGithub takes 0.3 s to import: only where it is used

    found = GitHubSearch(
        cache=settings.cache_dir / "searches",
        token=settings.github_token.get_secret_value() or None,
        places=Places(api=settings.github_api, web=settings.github_web, packages=settings.package_api),
        max_wait=min(settings.max_wait, settings.max_seconds or settings.max_wait),
    )
    found.time_for = time_for
    return found


class TapeSource:
    """Records what was found, or plays it back."""

    def __init__(self, tape: Tape, inner: Source) -> None:
        self._tape, self._inner = tape, inner

    def search(self, wanted: Wanted) -> list[Candidate]:
        """What the search found, or had found when it was recorded."""
        found = self._call("search", msgspec.to_builtins(wanted), lambda: self._inner.search(wanted), list[Candidate])
        return [one for one in found if is_url(one.url)]  # a recording names no folder of this machine

    def find(self, name: str) -> Candidate | None:
        """The repository of that name, or as it was when it was recorded."""
        found = self._call("find", {"name": name}, lambda: _listed(self._inner.find(name)), list[Candidate])
        return next((one for one in found if is_url(one.url)), None)

    def look(self, name: str) -> Look | None:
        """What was there, or had been when it was recorded."""
        found = self._call("look", {"name": name}, lambda: _listed(self._inner.look(name)), list[Look])
        return next((one for one in found if is_url(one.candidate.url)), None)

    def readme_head(self, full_name: str) -> str:
        """Its README's first part, or what it was when it was recorded."""
        return str(self._call("readme", {"name": full_name}, lambda: self._inner.readme_head(full_name), str))

    def _call(self, kind: str, asked: Any, live: Callable[[], Any], result: Any) -> Any:
        return self._tape.call(
            kind, asked, live, result, {"SearchError": SearchError, "RateLimitError": RateLimitError}
        )


def collect(instruction: str, source: Source) -> list[Candidate]:
    """What a few short searches bring, without a model: at most twelve that may do it, with their READMEs' heads, not yet ranked."""
    from ml_agent.tools.catalog import Catalog
    from ml_agent.tools.query import read_query
    from ml_agent.tools.retrieval import Ranker

    query = read_query(instruction)
    known = list(source.candidates) if isinstance(source, Catalog) else _brought(query, source)
    return [_with_readme(one, source) for one in Ranker(known).top(query, _FROM_README)]


def _brought(query: Query, source: Source) -> list[Candidate]:
    """What the searches bring, with the words that were searched for as a README's head: there they stand, if not in the description."""
    found: list[Candidate] = []
    said: dict[str, str] = defaultdict(str)
    planned, half = searches(query), MOST_SEARCHES // 2
    # Where a company keeps its own code nobody gives stars.
    unstarred = (msgspec.structs.replace(one, min_stars=0) for one in planned if not found)
    for wanted in itertools.islice(itertools.chain(planned[:half], unstarred, planned[half:]), MOST_SEARCHES):
        try:
            page = source.search(wanted)
        except RateLimitError:
            if not found:
                raise
            break  # what was found before has to do
        found += page
        for one in page:
            said[one.full_name] += f" {wanted.query}"
    return [msgspec.structs.replace(one, readme_head=said[one.full_name]) for one in distinct(found)]


def searches(query: Query) -> list[Wanted]:
    """What is asked, best first: GitHub asks for every word of a search, so they are short."""
    fields = [Wanted(query=name, in_readme=True, min_stars=FEW_STARS) for field in query.fields for name in field[:2]]
    names = [Wanted(query=name, in_readme=True, min_stars=FEW_STARS) for name in query.names[:2]]
    words = [Wanted(query=" ".join(pair), in_readme=True, min_stars=FEW_STARS) for pair in _pairs(query.words)]
    mixed = [item for several in itertools.zip_longest(names, fields, words) for item in several if item is not None]
    return [one for one in dict.fromkeys(mixed) if one.query]


def _pairs(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Two words, the longest first: they are rare and telling."""
    longest = sorted(words, key=len, reverse=True)[:_TELLING]
    return sorted(itertools.combinations(longest, 2), key=lambda pair: -sum(map(len, pair))) or [
        (word,) for word in words
    ]


def _with_readme(candidate: Candidate, source: Source) -> Candidate:
    try:
        head = source.readme_head(candidate.full_name)
    except SearchError:
        head = ""  # it is ranked by the rest
    return msgspec.structs.replace(candidate, readme_head=head, score=0.0, why="")


def _resolved(one: Candidate, readme_of: Callable[[str], str]) -> Candidate:
    """With the folder that a `sample:NAME` entry stands for, and the README where it is at hand."""
    if not one.url.startswith(URL_SCHEME):
        return msgspec.structs.replace(one, readme_head=one.readme_head or readme_of(one.url)[:README_HEAD])
    folder = repository_path(one.url)
    readme = folder / "README.md"
    head = readme.read_text(encoding="utf-8")[:README_HEAD] if readme.is_file() else ""
    return msgspec.structs.replace(one, url=str(folder), readme_head=head)


def _listed(one: T | None) -> list[T]:
    return [] if one is None else [one]
