"""Notebooks that papermill runs: whether they are there, and whether they know the parameters that they are given."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ml_agent.tools.check.places import PathIndex, is_literal, locate
from ml_agent.tools.findings import Finding
from ml_agent.tools.signatures.nearest import nearest

PAIRS = frozenset({"-p", "--parameters", "-r", "--parameters_raw"})
"""Options of papermill that take a name and a value."""
WITH_VALUE = frozenset({
    "-f", "--parameters_file", "-y", "--parameters_yaml", "-b", "--parameters_base64", "-k", "--kernel", "-l",
    "--language", "--engine", "--cwd", "--start-timeout", "--start_timeout", "--execution-timeout", "--execution_timeout",
    "--autosave-cell-every", "--log-level", "--stdout-file", "--stderr-file", "--request-save-on-cell-execute",
})  # fmt: skip
_ASSIGNED = re.compile(r"^(\w+)\s*(?::[^=\n]+)?=(?!=)", re.MULTILINE)


def check_papermill(words: Sequence[str], folder: str, tree: PathIndex, read: Any) -> Iterator[Finding]:
    """What keeps `papermill NOTEBOOK OUTPUT -p NAME VALUE …` from doing what it says.

    Args:
        words: those behind the program.
        folder: where it runs, relative to the repository.
        tree: the files of the repository.
        read: gives the text of a file.
    """
    places, names = _split(words)
    if not places or not is_literal(places[0]) or "://" in places[0]:
        return
    path = locate(folder, places[0])
    if path is None or path not in tree.files:
        suggestion = tree.suggest(path or places[0], folder)
        message = f"there is no notebook {places[0]} in {folder}"
        yield Finding(code="no-such-file", message=message, subject=places[0], suggestion=suggestion)
        return
    known = notebook_parameters(read(path) or "")
    for name in names:
        if known is not None and name not in known and is_literal(name):
            message = f"{path} has no parameter {name}: papermill passes it, and nothing uses it"
            yield Finding(
                code="unknown-option", message=message, severity="warning", subject=name,
                suggestion=nearest(name, sorted(known)), path=path,
            )  # fmt: skip


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words by place, and the names of the parameters that are given."""
    places: list[str] = []
    names: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in PAIRS:
            names.append(next(rest, ""))
            next(rest, "")
        elif word in WITH_VALUE:
            next(rest, "")
        elif not word.startswith("-"):
            places.append(word)
    return places, names


def notebook_parameters(text: str) -> frozenset[str] | None:
    """The names that the cell tagged `parameters` assigns; None where no cell has the tag."""
    try:
        notebook = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    for cell in cells if isinstance(cells, list) else []:
        metadata = cell.get("metadata") if isinstance(cell, dict) else None
        tags = metadata.get("tags") if isinstance(metadata, dict) else None
        if isinstance(tags, list) and "parameters" in tags:
            source = cell.get("source")
            joined = "".join(map(str, source)) if isinstance(source, list) else str(source)
            return frozenset(_ASSIGNED.findall(joined))
    return None
