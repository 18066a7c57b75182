"""Paragraphs and inline code of a passage."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ml_agent.tools.documents.code import looks_like_command
from ml_agent.tools.documents.model import CodeBlock, Passage

_INLINE = re.compile(r"`([^`\n]+)`")
_LONGEST_INTRODUCTION = 600
"""Characters: more is a chapter, not an introduction."""


class Section(NamedTuple):
    """A paragraph or a code block, and the paragraph before it."""

    text: str
    block: CodeBlock | None
    before: str


def sections(passage: Passage) -> Iterator[Section]:
    """The paragraphs and blocks of a passage in order."""
    before, at = "", 0
    for block in passage.blocks:
        found = passage.text.find(block.text, at)
        if found >= 0:
            for paragraph in _paragraphs(passage.text[at:found]):
                yield Section(paragraph, None, before)
                before = paragraph
            at = found + len(block.text)
        yield Section(block.text, block, before)
    for paragraph in _paragraphs(passage.text[at:]):
        yield Section(paragraph, None, before)
        before = paragraph


def inline_commands(paragraph: str) -> Iterator[str]:
    """Commands that stand in running text: as inline code, or as a line of their own."""
    for code in _INLINE.findall(paragraph):
        text = re.sub(r"^\$ ", "", code.strip())
        if looks_like_command(text):
            yield text
    for line in paragraph.split("\n"):
        text = re.sub(r"^\s*(?:[-*>]|\d+\.)?\s*(?:\$ )?", "", line)
        if "`" not in text and looks_like_command(text) and _has_only_arguments(text):
            yield text


def introduction(text: str) -> str:
    """A paragraph as an introduction: its end where it is long, because what stands next to the code counts."""
    return text if len(text) <= _LONGEST_INTRODUCTION else "…" + text[-_LONGEST_INTRODUCTION:]


def _paragraphs(text: str) -> list[str]:
    return [paragraph.strip() for paragraph in text.split("\n\n") if paragraph.strip()]


def _has_only_arguments(line: str) -> bool:
    """Whether a line of text is a command and not a sentence about one: behind the script come options or nothing."""
    words = line.split()
    scripts = [position for position, word in enumerate(words) if word.endswith((".py", ".sh"))]
    if not scripts:
        return "-m" in words and words[0].startswith("python")
    behind = words[scripts[0] + 1 :]
    return not behind or behind[0].startswith(("-", "+", "$")) or any(sign in behind[0] for sign in "=/.")
