"""What documents print as the help of a program whose own source tells no options: "usage: NAME ...", then a row for each."""

import re
from collections.abc import Iterator, Sequence

from ml_agent.navigator import Workspace
from ml_agent.tools.retrieval import tokenize
from ml_agent.tools.signatures.model import Signature

_ROW = re.compile(r"\s*--?[A-Za-z]")
_OF_EVERY_PROGRAM = re.compile(r"(?:-h, --help|--help|--version|-V, --version)\b")
_INDENTED = re.compile(r"\s{4}")
_ROW_SHORT, _ROW_SAID = 60, 240
"""Characters of a row; of one that shares words with the request the more."""
_FEW = 2
"""Rows that are no help text."""


def printed_help(signature: Signature, sentence: str, workspace: Workspace, most: int) -> str:
    """The options of a program as the repository's documents print its help; "" where they do not.

    Args:
        signature: of the program.
        sentence: the user's; rows that share words with it are told at length.
        workspace: where.
        most: characters.
    """
    names = {signature.name, signature.path.rpartition("/")[2]} - {""}
    usage = re.compile(
        rf"^[^\w\n]{{0,8}}usage:\s+(?:python[\d.]*\s+)?(?:\S*/)?(?:{'|'.join(map(re.escape, names))})\s", re.I | re.M
    )
    wanted = set(tokenize(sentence))
    for passage in workspace.index.passages:
        begun = usage.search(passage.text)
        rows = list(_rows(passage.text[begun.end() :])) if begun else []
        if len(rows) > _FEW:
            return _in_short(rows, wanted, most)
    return ""


def _rows(text: str) -> Iterator[str]:
    """The options of a help text, each on one line with what is said of it; to the next program's."""
    row = ""
    for line in text.splitlines():
        if re.match(r"\W{0,8}usage:", line, re.IGNORECASE):
            break
        if _ROW.match(line):
            yield from [row] if row else []
            row = " ".join(line.split())
        elif row and _INDENTED.match(line):
            row += " " + " ".join(line.split())
        elif row and line.strip():
            yield row
            row = ""
    yield from [row] if row else []


def _in_short(rows: Sequence[str], wanted: set[str], most: int) -> str:
    """Rows in their order, as many as there is room for, those of the request first."""
    shared = {row: len(wanted & set(tokenize(row))) for row in rows if not _OF_EVERY_PROGRAM.match(row)}
    short = {row: row[: _ROW_SAID if shared[row] else _ROW_SHORT] for row in shared}
    kept: set[str] = set()
    for row in sorted(shared, key=lambda one: -shared[one]):
        if sum(len(short[one]) + 1 for one in kept) + len(short[row]) <= most:
            kept.add(row)
    return "\n".join(short[row] for row in shared if row in kept)
