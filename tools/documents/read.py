"""Every document of a repository as passages: which reader takes which file, and the reader of Jupyter notebooks."""

import posixpath
import re
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.tools.documents.markdown import feed_markdown
from ml_agent.tools.documents.model import Passage
from ml_agent.tools.documents.rst import feed_rst
from ml_agent.tools.documents.sections import PassageBuilder
from ml_agent.tools.foreign_files import read_text
from ml_agent.tools.reading import IndexWalk, Over, never

# Jupyter notebooks into passages.

_SHELL_LINE = re.compile(r"^\s*(?:!|%(?:sx|system|cd|env|pip|conda|bash)\b)")
_MAGIC = re.compile(r"^(\s*)%(\w+)\s*(.*)$")
_TIMERS = frozenset(["time", "timeit", "prun"])


def feed_notebook(builder: PassageBuilder, text: str) -> None:
    """Add the passages of a notebook; nothing where it is none. Lines are cell numbers, counted from 1."""
    for number, (kind, source, language) in enumerate(_cells(text), 1):
        if builder.over():
            return
        builder.cell = number
        if kind == "markdown":
            feed_markdown(builder, source)
        elif kind == "code":
            _add_code(builder, source, language, number)


def _cells(text: str) -> list[tuple[str, str, str]]:
    """Kind, source and language of each cell."""
    try:
        notebook = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return []
    if not isinstance(notebook, dict):
        return []
    language = _look_up(notebook, "metadata", "kernelspec", "language") or _look_up(
        notebook, "metadata", "language_info", "name"
    )
    cells = notebook.get("cells")
    return [
        (str(cell.get("cell_type")), _source(cell), str(language or "python").lower())
        for cell in (cells if isinstance(cells, list) else ())
        if isinstance(cell, dict)
    ]


def _look_up(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    return "".join(part for part in source if isinstance(part, str)) if isinstance(source, list) else str(source)


def _add_code(builder: PassageBuilder, source: str, language: str, number: int) -> None:
    """A code cell: shell lines become a bash block of their own, other magics go."""
    if "python" not in language:
        builder.code(source, language, number)
        return
    head = source.lstrip().split("\n", 1)
    if head[0].startswith("%%") and not head[0].startswith(("%%time", "%%capture")):
        name = head[0][2:].split(" ")[0]
        builder.code(head[1] if len(head) > 1 else "", "bash" if name in ("bash", "sh", "shell") else name, number)
        return
    shell, python = split_cell(source)
    builder.code(shell, "bash", number)
    builder.code(python, "python", number)


def split_cell(source: str) -> tuple[str, str]:
    """The shell lines and the Python lines of a cell."""
    shell: list[str] = []
    python: list[str] = []
    continued = False
    for line in source.split("\n"):
        if continued or _SHELL_LINE.match(line):
            shell.append(re.sub(r"^\s*[!%]+", "", line) if not continued else line)
            if not continued and line[:1].isspace():
                python.append(re.sub(r"\S.*", "pass", line))
            continued = line.rstrip().endswith("\\")
            continue
        python.append(_without_magic(line))
    return "\n".join(shell), "\n".join(python)


def _without_magic(line: str) -> str:
    magic = _MAGIC.match(line)
    if magic and magic[2] in _TIMERS:
        return magic[1] + magic[3]
    if magic or line.startswith("%%") or re.match(r"^\?\w|^[\w.]+\?\??$", line):
        return ""
    return line


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
    return posixpath.splitext(path)[1].lower() in _READERS or is_readme(path)


def is_readme(path: str) -> bool:
    """Whether a file is a README."""
    name = posixpath.basename(path).lower()
    return name.startswith("readme") and posixpath.splitext(name)[1] in ("", ".txt", *_READERS)


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
    suffix = posixpath.splitext(path)[1].lower()
    builder = PassageBuilder(path, over)
    _READERS.get(suffix, feed_markdown)(builder, text if suffix == ".ipynb" else text[:LARGEST_TEXT])
    return builder.passages()
