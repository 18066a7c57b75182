"""Repositories with the folders and limits of the settings."""

from ml_agent.settings import Settings, load_settings
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.reading import Report
from ml_agent.tools.repository import RepositoryCache


def repository_cache(settings: Settings) -> RepositoryCache:
    """The repository cache with the folder and limits of the settings."""
    return RepositoryCache(
        settings.cache_dir / "repositories",
        token=settings.github_token.get_secret_value() or None,
        web=settings.github_web,
        timeout=settings.clone_timeout,
        max_bytes=settings.clone_bytes,
    )


def open_index(repo: str, report: Report | None = None, first: str = "") -> RepoIndex:
    """The index of a repository: OWNER/NAME, URL or folder; the file or folder `first` is read before all others."""
    settings = load_settings()
    checkout = repository_cache(settings).get(repo)
    return RepoIndex.open(checkout.root, checkout.version, settings.cache_dir / "indexes", report, first)
