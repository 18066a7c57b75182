"""Tables for a terminal, for a pipe and for a document; nothing of what they hold is cut or obeyed."""

import sys
from collections.abc import Sequence
from typing import Literal

from rich.table import Table
from rich.text import Text

from ml_agent.console import Terminal
from ml_agent.terminal import terminal_text, write_out

Layout = Literal["", "markdown"]
Row = Sequence[str]


def write_table(heads: Row, rows: Sequence[Row], *, title: str = "", layout: Layout = "") -> None:
    """Write a table to stdout: with lines to a terminal, one row a line with tabs to a pipe, or as Markdown."""
    safe = [[_line(cell) for cell in row] for row in rows]
    if layout == "markdown":
        write_out(_markdown(heads, safe, title))
    elif sys.stdout.isatty():
        Terminal().print(_draw(heads, safe, title))
    else:
        lines = [f"# {_line(title)}"] if title else []
        write_out("\n".join([*lines, *("\t".join(row) for row in [list(heads), *safe])]) + "\n")


def _line(text: str) -> str:
    return " ".join(terminal_text(text).split())


def _markdown(heads: Row, rows: Sequence[Row], title: str) -> str:
    lines = [list(heads), ["---"] * len(heads), *([_escape(cell) for cell in row] for row in rows)]
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"### {_escape(_line(title))}\n\n{text}\n" if title else text


def _escape(cell: str) -> str:
    return "".join(f"\\{char}" if char in "\\|`*_[]<>" else char for char in cell)


def _draw(heads: Row, rows: Sequence[Row], title: str) -> Table:
    table = Table(title=Text(_line(title)) if title else None)
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
