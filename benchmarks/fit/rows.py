"""Rows with a reference that can be read: the request, the entry point, and what the reference gives it."""

import functools
import json
import posixpath
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ml_agent.matching.entries import EntryPoint, Facts
from ml_agent.matching.mentions import Statement, read
from ml_agent.matching.retrieval import Shelf
from tools.commandline.invocation import Invocation
from tools.commandline.shell import parse_command
from tools.commandline.words import choose, parse_call
from tools.index import RepoIndex
from tools.signatures.model import Signature


class Row(NamedTuple):
    """One row, understood."""

    repository: str
    key: str
    wild: bool
    statement: Statement
    folder: str
    signature: Signature
    values: dict[str, Any]
    readable: bool
    """Whether the signature knows every word of the reference."""
    data: dict[str, Any]


@functools.cache
def facts_of(root: Path, cache: Path) -> Facts:
    """What a repository shows and says."""
    return Facts(RepoIndex.open(root, f"{root.name}-fit", cache))


@functools.cache
def shelf_of(root: Path, cache: Path, folder: str) -> Shelf:
    """The entry points of a folder."""
    return Shelf(facts_of(root, cache), folder)


def load(files: Sequence[Path], repositories: Path, cache: Path) -> list[Row]:
    """The bash rows of some files whose repositories are at hand and whose reference calls an entry point that is known."""
    return [
        row
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
        if (row := _row(json.loads(line), repositories, cache)) is not None
    ]


def _row(data: dict[str, Any], repositories: Path, cache: Path) -> Row | None:
    name = str(data.get("repo") or data["github"].rstrip("/").rpartition("/")[2]).lower()
    root = repositories / name
    if not data["type"].startswith("Bash") or not root.is_dir():
        return None
    folder = posixpath.normpath(data.get("path") or ".").lstrip("/") or "."
    facts = facts_of(root, cache)
    called = list(calls(facts.index, data["output"], folder))
    if not called:
        return None
    signature, invocation = called[-1]
    parsed = parse_call(signature, invocation.words)
    return Row(
        name,
        f"{name}-{data['id']}",
        "style" in data,
        read(data["instruction"]),
        folder,
        signature,
        parsed.values,
        not parsed.unknown,
        data,
    )


def calls(index: RepoIndex, text: str, folder: str) -> Iterator[tuple[Signature, Invocation]]:
    """The entry points that a command calls."""
    for invocation in parse_command(text).invocations:
        signature = choose(_signatures(index, invocation, folder), invocation.words)
        if signature is not None:
            yield signature, invocation


def _signatures(index: RepoIndex, invocation: Invocation, folder: str) -> list[Signature]:
    known = index.signatures
    base = posixpath.normpath(posixpath.join(folder, invocation.folder or "."))
    if invocation.target in {"script", "shell"}:
        path = posixpath.normpath(posixpath.join(base, invocation.name))
        return [one for one in known.get(path, ()) if one.kind != "console"]
    if invocation.target == "module":
        stem = invocation.name.replace(".", "/")
        paths = [
            posixpath.normpath(posixpath.join(where, f"{stem}{end}"))
            for end in (".py", "/__main__.py")
            for where in (base, ".")
        ]
        return next((list(known[path]) for path in paths if path in known), [])
    return [one for several in known.values() for one in several if one.name == invocation.name]


def same_entry(one: Signature, other: Signature) -> bool:
    """Whether two signatures are ways to call the same program."""
    if one.subcommand != other.subcommand:
        return False
    places = [[(option.dest, option.path, option.line) for option in signature.options] for signature in (one, other)]
    return one.path == other.path or (len(one.options) > 2 and places[0] == places[1])


def entry_of(row: Row, repositories: Path, cache: Path) -> EntryPoint:
    """The entry point of a row's reference."""
    return facts_of(repositories / row.repository, cache).entry(row.signature)
