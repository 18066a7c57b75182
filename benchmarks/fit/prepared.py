"""Rows with all that the tables are fitted on, read from the repositories once and kept."""

import argparse
import hashlib
import json
import pickle
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from ml_agent.benchmarks.fit.rows import Row, entry_index_of, facts_of, row_of, same_entry
from ml_agent.matching.answers import Answer
from ml_agent.matching.entries import EntryPoint
from ml_agent.matching.mentions import read_request
from ml_agent.matching.model import Model, shipped
from ml_agent.matching.solver import answers_of_entries

_KEPT = 8
"""So many entry points of a row are kept beside the right ones: no more are looked at."""
_READ_BY = ("entries", "alternatives", "retrieval", "slots", "usage", "sentences", "terms", "mentions", "composites")


class Prepared(NamedTuple):
    """One row with its entry points."""

    row: Row
    own: EntryPoint
    """Of the reference."""
    vectors: list[list[float]]
    """Of each entry point of the folder, what speaks for it."""
    right: list[int]
    entries: Mapping[int, EntryPoint]
    """Those that stand first, and the right ones."""

    def without_encoder(self) -> "Prepared":
        """The same, its request read by words alone."""
        return self._replace(row=self.row._replace(statement=self.row.statement.without_encoder()))


class Sources(NamedTuple):
    """Where rows and repositories lie."""

    development: Sequence[Path]
    written: Sequence[Path]
    repositories: Sequence[Path]
    cache: Path


def add_sources(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where rows and repositories lie."""
    parser.add_argument("--repositories", type=Path, nargs="+", required=True, help="folders of repositories")
    parser.add_argument("--rows", type=Path, nargs="+", required=True, help="files of rows of development repositories")
    parser.add_argument("--written", type=Path, nargs="*", default=[], help="files of rows of other repositories")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "ml-agent" / "fit")


def sources_of(options: argparse.Namespace) -> Sources:
    """What those options say."""
    return Sources(options.rows, options.written, options.repositories, options.cache)


def prepared(sources: Sources) -> tuple[list[Prepared], list[str]]:
    """All rows that ask for a command, and what was left out, a line each."""
    by_name: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for group, several in (("", sources.development), ("written", sources.written)):
        for file in several:
            for line in file.read_text(encoding="utf-8").splitlines():
                data = json.loads(line)
                name = str(data.get("repo") or data["github"].rstrip("/").rpartition("/")[2]).lower()
                kind = group or ("wild" if "style" in data else "other")
                if data["type"].startswith("Bash"):
                    by_name.setdefault(name, []).append((kind, data))
    found: list[Prepared] = []
    left: list[str] = []
    for name, rows in sorted(by_name.items()):
        root = next((folder / name for folder in sources.repositories if (folder / name).is_dir()), None)
        if root is None:
            left += [f"{name}: no such repository" for _ in rows]
            continue
        kept = _cached_rows(root, rows, sources.cache)
        found += [_thaw(one) for one in kept if one is not None]
        left += [f"{name}: calls no entry point that is known" for one in kept if one is None]
    return found, left


def _cached_rows(root: Path, rows: Sequence[tuple[str, dict[str, Any]]], cache: Path) -> list[Any]:
    """The rows of a repository from the cache, or read anew."""
    place = cache / "rows" / f"{root.name}-{_key(rows)}.pickle"
    if place.is_file():
        with place.open("rb") as file:
            return list(pickle.load(file))
    made = [_freeze(root, group, data, cache) for group, data in rows]
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as file:
        pickle.dump(made, file)
    return made


def _key(rows: Sequence[tuple[str, dict[str, Any]]]) -> str:
    said = hashlib.sha256(json.dumps(rows, sort_keys=True).encode())
    said.update(Path(__file__).read_bytes())
    for name in _READ_BY:
        said.update(files("ml_agent.matching").joinpath(f"{name}.py").read_bytes())
    said.update(files("ml_agent.values").joinpath("readings.py").read_bytes())
    return said.hexdigest()[:16]


def _freeze(root: Path, group: str, data: dict[str, Any], cache: Path) -> Any:
    """What is kept of one row; None where its reference calls nothing that is known."""
    row = row_of(data, group, root, cache)
    if row is None:
        return None
    model = shipped().words
    ranked = entry_index_of(root, cache, row.folder).ranked(row.statement)
    right = [int(same_entry(one.entry.signature, row.signature)) for one in ranked]
    order = sorted(range(len(ranked)), key=lambda place: -model.entry(ranked[place].vector))
    kept = {*order[:_KEPT], *(place for place, one in enumerate(right) if one)}
    own = facts_of(root, cache).entry(row.signature)
    entries = {place: _detach(ranked[place].entry) for place in kept}
    return row._replace(statement=None), _detach(own), [one.vector for one in ranked], right, entries  # type: ignore[arg-type]


def _detach(entry: EntryPoint) -> EntryPoint:
    """The same with all that is known of it read, and without its repository: small enough to keep."""
    copy = EntryPoint.__new__(EntryPoint)
    known = (
        "signature",
        "example_calls",
        "seen_values",
        "slots",
        "_slots_by_sense",
        "variables",
        "launcher",
        "repository",
    )
    vars(copy).update({name: getattr(entry, name) for name in known}, facts=None)
    return copy


def _thaw(kept: Any) -> Prepared:
    row, own, vectors, right, entries = kept
    return Prepared(row._replace(statement=read_request(row.data["instruction"])), own, vectors, right, entries)


def solved(one: Prepared, model: Model) -> list[Answer]:
    """The answers to a row, best first: what `solver.solve` gives."""
    scores = sorted(
        ((model.entry(vector), place) for place, vector in enumerate(one.vectors)), key=lambda s: (-s[0], s[1])
    )
    ranked = [(score, one.entries[place]) for score, place in scores if place in one.entries]
    return answers_of_entries(one.row.statement, ranked, model)
