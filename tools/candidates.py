"""A repository that may do the task."""

import msgspec


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
    readme_head: str = ""
    """The first part of the README where it is already known."""
    commit: str | None = None
    """The commit to use; None takes the default branch."""
    score: float = 0.0
    source: str = "named"
    """github, catalog or named."""
