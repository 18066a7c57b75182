"""Every document of a repository as passages."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from tools.content_cache import content_hash
from tools.documents.markdown import read_markdown
from tools.documents.model import Passage
from tools.documents.notebook import read_notebook
from tools.documents.rst import read_rst
from tools.documents.text import LARGEST_TEXT, read_text
from tools.reading import Reading

_READERS = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".mdx": read_markdown,
    ".rst": read_rst,
    ".ipynb": read_notebook,
}


def is_document(path: str) -> bool:
    """Whether a file is read as a document: READMEs of any kind, markdown, rst and notebooks."""
    name = PurePosixPath(path)
    return name.suffix.lower() in _READERS or is_readme(path)


def is_readme(path: str) -> bool:
    """Whether a file is a README."""
    name = PurePosixPath(path).name.lower()
    return name.startswith("readme") and PurePosixPath(name).suffix in ("", ".txt", *_READERS)


def read_documents(root: Path, files: Iterable[str], reading: Reading | None = None) -> tuple[Passage, ...]:
    """The passages of all documents among the files, in the order of the files."""
    reading = reading or Reading("passages")
    documents = [path for path in files if is_document(path)]
    return tuple(passage for path in reading.each(documents) for passage in read_document(root, path, reading))


def read_document(root: Path, path: str, reading: Reading | None = None) -> tuple[Passage, ...]:
    """The passages of one document; none where it cannot be read."""
    text = read_text(root / path)
    key = (path, content_hash(text.encode("utf-8", "surrogatepass")))
    return (reading or Reading("passages")).recall(key, tuple[Passage, ...], lambda: parse_document(text, path))


def parse_document(text: str, path: str) -> tuple[Passage, ...]:
    """The passages of a document's text; the ending of its path says how it is read."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix == ".ipynb":
        return read_notebook(text, path)
    return _READERS.get(suffix, read_markdown)(text[:LARGEST_TEXT], path)
