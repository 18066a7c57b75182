"""The commands that text shows: paragraphs and inline code of documents, and the head of a Python file."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ml_agent.tools.documents.code import join_options, looks_like_command
from ml_agent.tools.documents.model import CodeBlock, Passage

_LARGEST_HEAD = 8_000
_QUOTES = re.compile(r"[rRuU]?(\"\"\"|''')")
_LABEL = re.compile(r"\s*(?:[A-Za-z][A-Za-z ]{0,30}:\s+)?(?:[$>%]\s+)?")
"""What may stand before a command: `Usage: $ python train.py`."""
_PROGRAM = re.compile(r"\S\.(?:py|sh)(?=\s|$)|\s-m\s+[\w.]+")
_MOST_WORDS = 2
_MOST_WORDS_OF_A_NAME = 4
"""Behind a command that is known by its name alone: a subcommand and what it is given."""
_VERBS = [[word] for word in ("is", "are", "was", "has", "can", "will", "helps", "provides", "aims", "and", "or")]


def head_script(text: str, installed: Collection[str] = ()) -> str:
    """The head of a Python file as a shell script, line by line; "" where it shows no command.

    Commands stay, the text around them becomes comments; a licence, or whatever else stands in a block of its own, is left out.

    Args:
        text: of the file.
        installed: names of commands that the repository installs.
    """
    head = text[:_LARGEST_HEAD]
    if not _PROGRAM.search(head) and not any(name in head for name in installed):
        return ""
    rows = [row for block in _blocks(head) for row in _script_rows(block, installed)]
    return join_options("\n".join(rows)) if any(map(_is_command, rows)) else ""


def _blocks(head: str) -> Iterator[list[str]]:
    """The lines of each run of leading comments, of the docstring, and empty ones between."""
    rows = head.split("\n")
    at = 0
    while at < len(rows):
        start, opened = at, _QUOTES.match(rows[at])
        if opened:
            yield _docstring(rows[at:], opened)
            return
        while at < len(rows) and rows[at].startswith("#"):
            at += 1
        if at > start:
            yield [row.lstrip("#") for row in rows[start:at]]
        elif rows[at].strip():
            return
        else:
            yield [""]
            at += 1


def _docstring(rows: Sequence[str], opened: re.Match[str]) -> list[str]:
    """The lines of a docstring, a backslash that is escaped at the end of one as the reader means it."""
    inside, _, _ = "\n".join([rows[0][opened.end() :], *rows[1:]]).partition(opened[1])
    return [row[:-1] if row.endswith("\\\\") else row for row in inside.split("\n")]


def _script_rows(block: Sequence[str], installed: Collection[str]) -> list[str]:
    """The lines of a block as those of a script, empty ones where none is a command."""
    rows: list[str] = []
    for row in block:
        rows.append((row if _goes_on(rows, row) else _command(row, installed)) or _as_comment(row))
    return rows if any(map(_is_command, rows)) else [""] * len(rows)


def _is_command(row: str) -> bool:
    return bool(row.strip()) and not row.startswith("#")


def _command(row: str, installed: Collection[str]) -> str:
    """The command of a line, with what indents it; "" where it holds none."""
    quoted = next(inline_commands(row), "") if "`" in row else ""
    if quoted:
        return quoted
    bare = _LABEL.sub("", row, count=1).rstrip()
    indent = row[: len(row) - len(row.lstrip())]
    starts = looks_like_command(bare) or bare.split(" ")[0] in installed
    return indent + bare if starts and not is_sentence(bare) else ""


def is_sentence(row: str) -> bool:
    """Whether a line goes on in words behind the program, as prose does and arguments do not."""
    started = _PROGRAM.search(row)
    behind = (row[started.end() :] if started else row.partition(" ")[2].partition(" #")[0]).split()
    most = _MOST_WORDS if started else _MOST_WORDS_OF_A_NAME
    options = any(word.startswith(("-", "+", "$", "<", "[", "{")) or set("=/.") & set(word[:-1]) for word in behind)
    return not options and (len(behind) > most or behind[:1] in _VERBS or row.endswith((".", ",", ":", ";")))


def _goes_on(rows: Sequence[str], row: str) -> bool:
    """Whether a line belongs to the command above it."""
    above = rows[-1] if rows else ""
    if not _is_command(above):
        return False
    deeper = len(row) - len(row.lstrip()) > len(above) - len(above.lstrip())
    return above.endswith("\\") or (deeper and row.lstrip().startswith("-"))


def _as_comment(row: str) -> str:
    said = row.strip().lstrip("# ")
    return f"# {said}" if said else ""


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
