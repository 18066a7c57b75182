"""Commands whose options stand on lines of their own without a backslash: they are continued as bash wants it."""

import re

_OPTION = re.compile(r"-{1,2}[A-Za-z]")
_LISTED = re.compile(r"\S[ \t]{2,}\S")
"""Of a table that explains options, not of a command."""
_MOST_VALUES = 3
"""Words behind a flag; more are a sentence about it."""
_NOT_CONTINUED = re.compile(r"(?:[|&;:{(]|\bdo|\bthen)$|<<|(?:^|\s)#|[\[{]\s*options?\b", re.IGNORECASE)
"""What ends or explains a command: what is below it is not its options."""


def join_options(text: str) -> str:
    """Text of bash with a backslash before each line that is indented below a command and begins with an option.

    Left as it is where the lines may be something else: the explanation of the options, input of a program.
    """
    rows = text.split("\n")
    at = 0
    while at < len(rows):
        stop = at + 1
        while stop < len(rows) and _is_below(rows[at], rows[stop]):
            stop += 1
        if stop > at + 1 and _is_command(rows[at]) and all(map(_gives_options, rows[at + 1 : stop])):
            rows[at : stop - 1] = [_continue(row) for row in rows[at : stop - 1]]
        at = stop
    return "\n".join(rows)


def _is_below(command: str, row: str) -> bool:
    """Whether a row is indented deeper than a command and begins with an option."""
    return _indent(row) > _indent(command) and _OPTION.match(row.strip()) is not None


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip())


def _is_command(row: str) -> bool:
    first = row.strip()
    quoted = first.count("'") % 2 or first.count('"') % 2
    begins = first[:1].isalpha() or first.startswith("./")
    return begins and not quoted and _NOT_CONTINUED.search(first) is None


def _gives_options(row: str) -> bool:
    """Whether a row consists of flags with their values."""
    values = 0
    for word in row.replace("\\", "").split():
        values = 0 if _OPTION.match(word) else values + 1
        if values > _MOST_VALUES:
            return False
    return _LISTED.search(row.strip()) is None and _NOT_CONTINUED.search(row.strip()) is None


def _continue(row: str) -> str:
    return row if row.rstrip().endswith("\\") else f"{row.rstrip()} \\"
