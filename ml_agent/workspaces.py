"""From a candidate to an indexed workspace."""

from pathlib import Path, PurePosixPath

from ml_agent.errors import UsageError
from ml_agent.navigator import Given, Workspace
from ml_agent.prompts.injections import injections
from ml_agent.replay.repositories import Repositories
from ml_agent.settings import Settings, load_settings
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.documents.read import is_document
from ml_agent.tools.errors import ToolError
from ml_agent.tools.files import Tree
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.reading import Report
from ml_agent.tools.remotes import DEFAULT_WEB, is_url
from ml_agent.tools.repository import Checkout, RepositoryCache


class Workspaces:
    """Opens repositories; an index that is open stays open."""

    def __init__(self, repositories: Repositories, cache: Path | None, web: str = DEFAULT_WEB) -> None:
        """`web` is where OWNER/NAME lives."""
        self._repositories, self._cache, self._web = repositories, cache, web
        self._open: dict[tuple[str, str], RepoIndex] = {}

    def checkout(self, candidate: Candidate) -> Checkout:
        """Bring the candidate's files here; RepositoryError where they cannot be had.

        A name that a catalogue, a search or a model gave is one on the web, also where a folder of the user's is called so.
        """
        url, source = candidate.url, candidate.source
        is_place = source == "named" or is_url(url) or (source == "catalog" and Path(url).is_absolute())
        return self._repositories.get(url if is_place else f"{self._web}/{url}", candidate.commit)

    def open(self, candidate: Candidate, root: Path, version: str, given: Given) -> Workspace:
        """The workspace of a checkout; UsageError where the user's folder is not in it."""
        key = (str(root), version)
        path = normal_folder(root, given.path)
        if key not in self._open:
            self._open[key] = RepoIndex.open(root, version, self._cache, first=path)
        return Workspace(index=self._open[key], candidate=candidate, path=path, path_given=bool(given.path))

    def index(self, root: Path, version: str) -> RepoIndex | None:
        """The index of a checkout that was opened; None where it was not."""
        return self._open.get((str(root), version))

    def left_out(self, root: Path, version: str) -> list[str]:
        """What the index of a checkout lacks because reading it would have taken too long, a line each."""
        index = self.index(root, version)
        return [left.said for left in index.left_out] if index is not None else []

    def suspicious(self, root: Path, version: str) -> list[str]:
        """Lines of a checkout that speak to an agent instead of to people."""
        index = self.index(root, version)
        return suspicious_lines(index) if index is not None else []


def normal_folder(root: Path, path: str, name: str = "--path") -> str:
    """A folder that a user or a model names, as a relative posix path inside `root`, "." for the root itself.

    UsageError, which calls it by `name`, where there is none inside.
    """
    relative = PurePosixPath(path.replace("\\", "/") or ".")
    try:
        target = (root / relative).resolve()
        is_there = target.is_dir()
    except (OSError, RuntimeError, ValueError) as error:  # a name that is too long, a loop of links, a NUL
        raise UsageError(f"{name}: {path[:80]!a} is not a valid folder name") from error
    if relative.is_absolute() or not target.is_relative_to(root.resolve()):
        raise UsageError(f"{name}: {path} is outside the repository; give a folder relative to its root")
    if not is_there:
        raise UsageError(f"{name}: the repository has no folder {path}")
    return target.relative_to(root.resolve()).as_posix()


MOST_DOCUMENTS = 40
MOST_BYTES = 200_000
"""Of one document."""
MOST_LINES = 8


def suspicious_lines(index: RepoIndex) -> list[str]:
    """The first such lines of its outermost documents, names of files and descriptions of programs: "PLACE: what it says"."""
    return [f"{place}: {text}" for place, text in _find(index)][:MOST_LINES]


def _find(index: RepoIndex) -> list[tuple[str, str]]:
    tree = Tree(index.root)
    found: list[tuple[str, str]] = []
    documents = sorted((path for path in index.files if is_document(path)), key=lambda path: (path.count("/"), path))
    for path in documents[:MOST_DOCUMENTS]:
        try:
            text = tree.read_text(path, MOST_BYTES)
        except (ToolError, OSError):
            continue
        found += [(f"{path}:{hit.line}", hit.text) for hit in injections(text)]
    found += [("a file's name", hit.text) for hit in injections("\n".join(map(_words, index.files)))]
    return found + [(one.path, hit.text) for one in index.entries for hit in injections(one.doc)]


def _words(path: str) -> str:
    """A path as the sentence that it may be."""
    return " ".join(path.replace("\n", " ").replace("/", " ").replace("_", " ").replace("-", " ").split())


# Repositories with the folders and limits of the settings.


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
