"""Makes the rows of many repositories; what is done stays done."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import msgspec

from benchmarks.make.rows import Made, Source, make_rows
from ml_agent.files import write_atomically
from tools.index import RepoIndex
from tools.versions import local_version

FIRST_ID = 1000
"""Numbers of made repositories begin above those of the published rows and of `wild`."""
VERSION = 1
"""Of what makes rows: rows of another version are made anew."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted."""

    sources: tuple[Source, ...]
    out: Path
    """JSONL file; parts by repository stand in the folder OUT.parts beside it."""
    cache: Path
    """Where indexes of repositories are kept."""
    rows: int = 24
    """Rows of one repository, at most."""
    seed: int = 0
    jobs: int = 1


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What there is at the end."""

    rows: int
    repositories: int
    frameworks: dict[str, int]
    styles: dict[str, int]
    kinds: dict[str, int]
    splits: dict[str, int]
    refused: dict[str, int]
    """Attempts that gave no row, by reason."""
    empty: tuple[str, ...]
    """Repositories that gave no row."""


def make(order: Order, say: Callable[[str], None]) -> Report:
    """Make the rows, write them, and say what there is."""
    parts = order.out.with_name(order.out.name + ".parts")
    parts.mkdir(parents=True, exist_ok=True)
    todo = [s for s in order.sources if not (parts / _name(s, order)).is_file()]
    for source, made in _carried_out(todo, order):
        write_atomically(parts / _name(source, order), msgspec.json.encode(made).decode())
        say(f"{source.name}: {len(made.rows)} rows")
    found = {s.name: msgspec.json.decode((parts / _name(s, order)).read_bytes(), type=Made) for s in order.sources}
    rows = [row for made in found.values() for row in made.rows]
    write_atomically(order.out, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return Report(
        rows=len(rows),
        repositories=sum(bool(made.rows) for made in found.values()),
        frameworks=dict(Counter(str(r["framework"]) for r in rows).most_common()),
        styles=dict(Counter(str(r["style"]) for r in rows)),
        kinds=dict(Counter(str(r["type"]) for r in rows)),
        splits=dict(Counter(str(r["split"]) for r in rows)),
        refused=dict(sum((Counter(m.refused) for m in found.values()), Counter()).most_common(12)),
        empty=tuple(name for name, made in found.items() if not made.rows),
    )


def _carried_out(todo: Sequence[Source], order: Order) -> Iterator[tuple[Source, Made]]:
    """One repository after the other in `jobs` processes; one that breaks its process is told and left out."""
    with ProcessPoolExecutor(order.jobs) as pool:
        under_way = [(s, pool.submit(_one, s, order)) for s in todo]
        for source, future in under_way:
            yield source, future.result()


def _one(source: Source, order: Order) -> Made:
    index = RepoIndex.open(source.root, local_version(source.root), order.cache)
    return make_rows(source, index, order.rows, order.seed)


def _name(source: Source, order: Order) -> str:
    """The file of one part: by everything that its rows depend on."""
    facts = f"{VERSION} {order.seed} {order.rows} {source.github} {source.commit} {source.github_id}"
    return f"{source.name}-{hashlib.sha256(facts.encode()).hexdigest()[:12]}.json"
