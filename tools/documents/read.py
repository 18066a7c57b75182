"""Every document of a repository as passages."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from ml_agent.tools.documents.markdown import feed_markdown
from ml_agent.tools.documents.model import Passage
from ml_agent.tools.documents.notebook import feed_notebook
from ml_agent.tools.documents.rst import feed_rst
from ml_agent.tools.documents.sections import PassageBuilder
from ml_agent.tools.foreign_files import read_text
from ml_agent.tools.reading import IndexWalk, Over, never

LARGEST_TEXT = 1_000_000
"""Characters of a document that are read; what stands behind is left out."""
LARGEST_FILE = 30_000_000
"""Bytes of a file that is looked at; notebooks with pictures are large."""
_READERS = {
    ".md": feed_markdown,
    ".markdown": feed_markdown,
    ".mdx": feed_markdown,
    ".rst": feed_rst,
    ".ipynb": feed_notebook,
}


def is_document(path: str) -> bool:
    """Whether a file is read as a document: READMEs of any kind, markdown, rst and notebooks."""
    name = PurePosixPath(path)
    return name.suffix.lower() in _READERS or is_readme(path)


def is_readme(path: str) -> bool:
    """Whether a file is a README."""
    name = PurePosixPath(path).name.lower()
    return name.startswith("readme") and PurePosixPath(name).suffix in ("", ".txt", *_READERS)


def read_documents(root: Path, files: Iterable[str], reading: IndexWalk | None = None) -> tuple[Passage, ...]:
    """The passages of all documents among the files, in the order of the files."""
    reading = reading or IndexWalk("passages")
    documents = [path for path in files if is_document(path)]
    found = reading.results(documents, lambda path: read_document(root, path, reading))
    return tuple(passage for passages in found.values() for passage in passages)


def read_document(root: Path, path: str, reading: IndexWalk | None = None) -> tuple[Passage, ...]:
    """The passages of one document; none where it cannot be read."""
    return parse_document(read_text(root / path, LARGEST_FILE), path, reading.over if reading is not None else never)


def parse_document(text: str, path: str, over: Over = never) -> tuple[Passage, ...]:
    """The passages of a document's text; the ending of its path says how it is read.

    Args:
        text: all of it.
        path: relative to the repository.
        over: says when to stop; what stands before is then given.
    """
    suffix = PurePosixPath(path).suffix.lower()
    builder = PassageBuilder(path, over)
    _READERS.get(suffix, feed_markdown)(builder, text if suffix == ".ipynb" else text[:LARGEST_TEXT])
    return builder.passages()
