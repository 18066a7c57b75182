"""A passage of a document: what stands under one heading."""

import msgspec


class CodeBlock(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A fenced, indented or notebook code block."""

    text: str
    language: str
    """bash, python or what the document says; guessed (bash or python) where it says nothing; "" where unknown."""
    line: int
    """1-based line of its first line of text in the document (cell number for notebooks)."""


class Passage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The text under one heading, with the code blocks in it."""

    path: str
    """The document, relative to the repository."""
    headings: tuple[str, ...]
    """From the document's title down to the passage's own heading."""
    text: str
    """Prose and code in order, as plain text."""
    blocks: tuple[CodeBlock, ...] = ()
    line: int = 1
