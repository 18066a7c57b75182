"""A repository that may do the task, and what a search for one asks."""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A search for repositories: every word must be there, and every condition hold."""

    query: str = ""
    language: str = ""
    min_stars: int = 0
    pushed_after: str = ""
    """YYYY-MM-DD or its beginning."""
    topic: str = ""
    in_readme: bool = False
    """Whether words may also stand in the README alone."""


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """One repository found by a search, with the meta information that ranking needs."""

    full_name: str
    """OWNER/NAME; for a local folder its name."""
    url: str
    """Where to clone from, or the path of a local folder."""
    description: str = ""
    topics: tuple[str, ...] = ()
    language: str | None = None
    stars: int | None = None
    pushed: str = ""
    """Day of the last push, YYYY-MM-DD."""
    licence: str | None = None
    """SPDX identifier; "" where it is known that there is none, None where nobody said."""
    archived: bool = False
    fork: bool = False
    size: int | None = None
    """Kilobytes."""
    readme_head: str = ""
    """The first part of the README where it is already known."""
    commit: str | None = None
    """The commit to use; None takes the default branch."""
    score: float = 0.0
    why: str = ""
    """What speaks for it, and what against it."""
    source: str = "named"
    """github, catalog or named."""


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """A closer look at a repository, without cloning it."""

    candidate: Candidate
    files: tuple[str, ...] = ()
    """Paths of its files; a large repository's are cut."""


class Source(Protocol):
    """Where repositories are searched for. Methods raise SearchError, and RateLimitError where the wait would be too long."""

    def search(self, wanted: Wanted) -> list[Candidate]:
        """One page of what fits, best first."""

    def find(self, name: str) -> Candidate | None:
        """The repository OWNER/NAME, or that of the Python package NAME; None where there is none."""

    def look(self, name: str) -> Look | None:
        """The same with its files and README."""

    def readme_head(self, full_name: str) -> str:
        """The first part of a README, "" where there is none."""


def similar(source: Source, candidate: Candidate) -> list[Candidate]:
    """Others of the same topics, else of the same words in the description."""
    words = [word for word in candidate.description.split() if len(word) > 3 and word.isalpha()]
    wanted = [Wanted(topic=topic) for topic in candidate.topics[:2]] or [Wanted(query=" ".join(words[:2]))]
    pages = [source.search(one) for one in wanted]
    return distinct([one for page in pages for one in page if one.full_name != candidate.full_name])


def distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Each repository once, where it stands first."""
    return list({one.full_name.lower(): one for one in reversed(candidates)}.values())[::-1]


def considered(candidate: Candidate) -> dict[str, Any]:
    """What the user is told of a candidate, as plain values."""
    told = msgspec.structs.asdict(candidate)
    return {
        "name": candidate.full_name,
        **{key: told[key] for key in ("why", "licence", "archived", "stars", "pushed")},
    }


def state_of(one: dict[str, Any]) -> str:
    """Licence and what a user should know of a repository that was considered, in a few words."""
    licence = one["licence"] if one["licence"] is not None else ""
    said = [licence or ("no licence" if one["licence"] == "" else ""), "archived" if one["archived"] else ""]
    return ", ".join(filter(None, [*said, f"{one['stars']} stars" if one["stars"] is not None else ""]))
