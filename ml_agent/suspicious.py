"""Lines of a repository that speak to an agent, for the user to see."""

from ml_agent.prompts.injections import injections
from ml_agent.tools.documents.read import is_document
from ml_agent.tools.errors import ToolError
from ml_agent.tools.files import Tree
from ml_agent.tools.index import RepoIndex

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
