"""Tables for a terminal and for a pipe; nothing of what they hold is cut or obeyed."""

import functools
import inspect
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_type_hints

from rich.table import Table
from rich.text import Text

from ml_agent.terminal import Terminal, terminal_text, write_error, write_out, write_over
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.reading import Progress

Row = Sequence[str]
_NARROWEST = 14
"""Characters of a column; narrower ones cannot be read."""
_FRAME = 3
"""Characters around a column."""


def write_table(heads: Row, rows: Sequence[Row], *, title: str = "") -> None:
    """Write a table to stdout: with lines to a terminal, one row a line with tabs to a pipe."""
    safe = [[_line(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        draw_table(heads, safe, title=title)
    else:
        lines = [f"# {_line(title)}"] if title else []
        write_out("\n".join([*lines, *("\t".join(row) for row in [list(heads), *safe])]) + "\n")


def _line(text: str) -> str:
    return " ".join(terminal_text(text).split())


def draw_table(heads: Row, rows: Sequence[Sequence[str | Text]], *, title: str = "", whole: int | None = None) -> None:
    """Draw a table; where the terminal is too narrow for its columns, the cells of a row stand one below the other.

    Args:
        heads: of the columns.
        rows: their cells.
        title: above it.
        whole: the column that is not folded, because it is there to be copied.
    """
    console = Terminal()
    texts = [[cell if isinstance(cell, Text) else Text(cell) for cell in row] for row in rows]
    columns = list(zip(map(Text, heads), *texts, strict=True))
    widths = [max(cell.cell_len for cell in column) for column in columns]
    least = sum(width if number == whole else min(width, _NARROWEST) for number, width in enumerate(widths))
    if least + _FRAME * len(heads) + 1 > console.width:
        for line in _below_each_other(heads, texts, title):
            console.print(line, overflow="fold")
        return
    table = Table(title=Text(_line(title)) if title else None)
    for number, head in enumerate(heads):
        table.add_column(head, overflow="fold", no_wrap=number == whole)
    for row in texts:
        table.add_row(*row)
    console.print(table)


def _below_each_other(heads: Row, rows: Sequence[Sequence[Text]], title: str) -> Iterator[Text]:
    if title:
        yield Text(_line(title), style="bold")
    for row in rows:
        yield from (Text.assemble((f"{head}: ", "dim"), cell) for head, cell in zip(heads, row, strict=True) if cell)
        yield Text("")


# One line on stderr while a repository is read.

_QUIET = 1.0
_BETWEEN_LINES = 2.0


class ReadingLine:
    """Says how far the reading is, from the first second on: a line that changes, or one every two seconds in a log."""

    def __init__(self) -> None:
        self._started = self._said = time.monotonic()
        self._shown = False

    def __call__(self, progress: Progress) -> None:
        """Show it."""
        now, terminal = time.monotonic(), sys.stderr.isatty()
        if progress.done == progress.total:
            if self._shown and terminal:
                write_over("")
            self._shown = False
        elif now - self._started > _QUIET and (terminal or now - self._said > _BETWEEN_LINES):
            self._said, self._shown = now, True
            text = f"reading the repository: {progress.part}, {progress.done} of {progress.total} files"
            (write_over if terminal else write_error)(text)


def say_left_out(index: RepoIndex) -> None:
    """Say on stderr what is not known because reading it would have taken too long."""
    for left in index.left_out:
        write_error(left.said)


# Options in groups: a command declares one parameter for several options that belong together.

Command = Callable[..., int]


def grouped(command: Command) -> Command:
    """The command with each parameter of a NamedTuple type spread into its fields, which Typer takes as options.

    A field's annotation and default are the option's; the command is called with the tuples. Arguments come in the order declared.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if _is_group(hint)}

    @functools.wraps(command)
    def with_groups(**options: Any) -> int:
        filled = {name: kind(**{field: options.pop(field) for field in kind._fields}) for name, kind in groups.items()}
        return command(**options, **filled)

    parameters = [
        parameter
        for name, declared in inspect.signature(command).parameters.items()
        for parameter in (_fields(groups[name]) if name in groups else [declared.replace(annotation=hints[name])])
    ]
    # Typer passes by name: an option that must be given may stand after one that has a default.
    spread = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    with_groups.__signature__ = inspect.Signature(spread)  # type: ignore[attr-defined]
    return with_groups


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields")


def _fields(group: Any) -> list[inspect.Parameter]:
    hints, defaults = get_type_hints(group, include_extras=True), group._field_defaults
    return [
        inspect.Parameter(
            field,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults.get(field, inspect.Parameter.empty),
            annotation=hints[field],
        )
        for field in group._fields
    ]
