"""The recipes of a Makefile as shell scripts."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_RULE = re.compile(r"^([\w./%$(){}-]+(?:\s+[\w./%-]+)*)\s*::?(?!=)")
_VARIABLE = re.compile(r"^(?:export\s+|override\s+)?([\w.-]+)\s*(?:[:?+]?=|::=)\s*(.*)$")
_REFERENCE = re.compile(r"\$[({]([\w.-]+)[)}]")
_DEEPEST = 5


class Recipe(NamedTuple):
    """The commands of one target."""

    target: str
    script: str
    line: int
    """0-based line of the first command."""
    comment: str


def read_recipes(text: str) -> Iterator[Recipe]:
    """The recipes of a Makefile, plain variables filled in."""
    variables: dict[str, str] = {}
    target, comment, start = "", "", 0
    rows: list[str] = []
    for number, line in enumerate([*text.split("\n"), "end:"]):
        if line.startswith("\t") and target:
            start = start if rows else number
            rows.append(_fill(re.sub(r"^\t[@+-]*", "", line), variables))
            continue
        if rows and line.strip():
            yield Recipe(target, "\n".join(rows), start, comment)
            rows, comment = [], ""
        variable, rule = _VARIABLE.match(line), _RULE.match(line)
        if variable:
            variables[variable[1]] = variable[2].split(" #")[0].strip()
        elif line.startswith("#"):
            comment = line.lstrip("# ").strip()
        elif rule:
            target = rule[1].split()[0]


def _fill(line: str, variables: dict[str, str]) -> str:
    for _ in range(_DEEPEST):
        filled = _REFERENCE.sub(lambda match: variables.get(match[1], match[0]), line)
        if filled == line or len(filled) > 10_000:
            break
        line = filled
    return line.replace("$$", "$")
