"""Rows with a reference that can be read: the request, the entry point, and what the reference gives it."""

import functools
import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ml_agent.matching.entries import RepositoryFacts
from ml_agent.matching.mentions import ParsedRequest, read_request
from ml_agent.matching.retrieval import EntryIndex
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Signature


class Row(NamedTuple):
    """One row, understood."""

    repository: str
    key: str
    group: str
    """wild, other (ML-Bench) or written."""
    statement: ParsedRequest
    folder: str
    signature: Signature
    values: dict[str, Any]
    readable: bool
    """Whether the signature knows every word of the reference."""
    data: dict[str, Any]


@functools.cache
def facts_of(root: Path, cache: Path) -> RepositoryFacts:
    """What a repository shows and says."""
    return RepositoryFacts(RepoIndex.open(root, f"{root.name}-fit", cache))


@functools.cache
def entry_index_of(root: Path, cache: Path, folder: str) -> EntryIndex:
    """The entry points of a folder."""
    return EntryIndex(facts_of(root, cache), folder)


def row_of(data: dict[str, Any], group: str, root: Path, cache: Path) -> Row | None:
    """One row, understood; None where its reference calls no entry point that is known."""
    folder = posixpath.normpath(data.get("path") or ".").lstrip("/") or "."
    called = list(calls(facts_of(root, cache).index, data["output"], folder))
    if not called:
        return None
    signature, invocation = called[-1]
    parsed = parse_call(signature, invocation.words)
    key = f"{root.name}-{data['id']}"
    values = parsed.values
    return Row(
        root.name, key, group, read_request(data["instruction"]), folder, signature, values, not parsed.unknown, data
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
