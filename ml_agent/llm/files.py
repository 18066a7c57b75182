"""Files that a model may ask to read, and what it is shown of them."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from ml_agent.navigator import Workspace
from ml_agent.request import Request
from tools.files import Tree
from tools.retrieval import Bm25Index, tokenize

MOST = 12
_SUFFIXES = frozenset({".py", ".sh", ".md", ".rst", ".yaml", ".yml", ".json", ".toml", ".txt", ".cfg"})
_LONGEST = 6_000
"""Characters of one file that are shown."""


def likely_files(workspace: Workspace, request: Request, opened: Sequence[str]) -> list[str]:
    """The files below the task's folder whose paths speak most of the task, best first."""
    folder = PurePosixPath(workspace.path or ".")
    paths = [path for path in workspace.index.files if PurePosixPath(path).suffix in _SUFFIXES and path not in opened]
    near = [
        path for path in paths if folder == PurePosixPath(".") or PurePosixPath(path).is_relative_to(folder)
    ] or paths
    if not near:
        return []
    hits = Bm25Index([tokenize(path) for path in near]).top(tokenize(request.instruction), MOST)
    found = [near[hit.position] for hit in hits]
    return found or near[:MOST]


def read_opened(workspace: Workspace, paths: Sequence[str]) -> list[dict[str, str]]:
    """The files that were asked for, as far as they are shown; what is no file of the repository is left out."""
    tree = Tree(workspace.index.root)
    return [{"path": path, "text": tree.read_text(path, _LONGEST)} for path in paths if tree.is_file(path)]
