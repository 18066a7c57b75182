"""How a file begins, without what says nothing of it: licences, shebangs, blank lines, imports."""

import re
from itertools import dropwhile

from ml_agent.navigator import Workspace
from ml_agent.tools.errors import ToolError
from ml_agent.tools.files import Tree

CUT = "\n..."
"""Behind a text that goes on."""
_READ = 200_000
_LINE = 160
_LICENCE = re.compile(r"copyright|licen[cs]e|all rights reserved|warrant|\bspdx\b|coding[:=]", re.IGNORECASE)
_IMPORT = re.compile(r"^(?:import [^\n]*|from [\w.]+ import (?:\([^()]*\)[^\n]*|[^\n]*))\n?", re.MULTILINE)
_TEXT = re.compile(r"\.(?:py|sh|bash|ya?ml|json|toml|cfg|ini|gin|txt|csv|tsv|conf|conll)$")
_DATA = re.compile(r"\.(?:txt|csv|tsv|conll)$")
_ROWS = 8
"""Lines of data that show their form."""


def head_of(path: str, workspace: Workspace, most: int) -> str:
    """The beginning of a text file in at most so many characters; "" where it is no text, or cannot be read."""
    if not _TEXT.search(path):
        return ""
    try:
        lines = Tree(workspace.index.root).read_text(path, _READ).splitlines()
    except (ToolError, OSError):
        return ""
    lines = without_licence(lines)
    if _DATA.search(path):
        lines = [*lines[:_ROWS], *(["..."] if len(lines) > _ROWS else [])]
    if path.endswith(".py"):
        lines = _IMPORT.sub("", "\n".join(lines)).split("\n")
    text = "\n".join(line[:_LINE].rstrip() for line in lines if line.strip(" #\t"))
    return text if len(text) <= most else text[:most].rpartition("\n")[0] + CUT


def without_licence(lines: list[str]) -> list[str]:
    """The lines without a comment at their beginning that speaks of a licence, and without a shebang."""
    rest = list(dropwhile(lambda line: line.startswith("#!") or not line.strip(), lines))
    comment = next((at for at, line in enumerate(rest) if not line.startswith("#")), len(rest))
    speaks = any(_LICENCE.search(line) for line in rest[:comment])
    return without_licence(rest[comment:]) if speaks else rest
