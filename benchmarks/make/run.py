"""Makes the rows of many repositories; what is done stays done."""

import functools
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from operator import attrgetter
from pathlib import Path

import msgspec

from ml_agent.benchmarks.engines import Work
from ml_agent.benchmarks.engines.local import LocalEngine
from ml_agent.benchmarks.folder_lock import lock_folder
from ml_agent.benchmarks.kept_rows import read_kept
from ml_agent.benchmarks.make.rows import MadeRows, RowSource, make_rows
from ml_agent.benchmarks.make.wording import reworded
from ml_agent.benchmarks.own_files import MADE_ROWS, see_that_it_may_be_replaced
from ml_agent.conversation.configured import endpoint_of
from ml_agent.files import write_atomically
from ml_agent.model.endpoint import ask_endpoint
from ml_agent.settings import Settings, load_settings
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.versions import local_version

FIRST_ID = 1000
"""Numbers of made repositories begin above those of the published rows and of `wild`."""
SECONDS = 1200.0
"""Wall time of one repository, at most."""
VERSION = 15
"""Of what makes rows: rows of another version are made anew."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted."""

    sources: tuple[RowSource, ...]
    out: Path
    """JSONL file; parts by repository stand in the folder OUT.parts beside it."""
    cache: Path
    """Where indexes of repositories are kept."""
    rows: int = 24
    """Rows of one repository, at most."""
    seed: int = 0
    jobs: int = 1
    model: str = ""
    """Writes the requests; templates do without it."""
    base_url: str = ""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What there is at the end."""

    rows: int
    repositories: int
    frameworks: dict[str, int]
    styles: dict[str, int]
    splits: dict[str, int]
    refused: dict[str, int]
    """Attempts that gave no row, by reason."""
    wording: dict[str, int]
    """Whose words the requests are, where a model was asked for them."""
    empty: tuple[str, ...]
    """Repositories that gave no row."""


def make(order: Order, say: Callable[[str], None]) -> Report:
    """Make the rows, write them, and say what there is.

    Raises ConfigurationError or EndpointError where a model was asked for and cannot be had, BenchError where the file is another's.
    """
    see_that_it_may_be_replaced(order.out, MADE_ROWS)
    if order.model:
        ask_endpoint(endpoint_of(_settings(order)))
    parts = order.out.with_name(order.out.name + ".parts")
    with lock_folder(parts, order.out):
        return _make(order, parts, say)


def _make(order: Order, parts: Path, say: Callable[[str], None]) -> Report:
    files = {source: parts / _name(source, order) for source in order.sources}
    todo = [source for source, file in files.items() if read_kept(file, MadeRows) is None]
    # one repository after the other in `jobs` processes; one that takes too long or breaks its process gives no rows
    work = Work(
        carry_out=functools.partial(_one, order=order), lost=_lost_outcome, label=attrgetter("name"), seconds=SECONDS
    )
    for source, made in LocalEngine(order.jobs)(work, todo):
        write_atomically(files[source], msgspec.json.encode(made).decode())
        say(f"{source.name}: {len(made.rows)} rows")
    found = [(source.name, part) for source, file in files.items() if (part := read_kept(file, MadeRows)) is not None]
    rows = [row for _, made in found for row in made.rows]
    write_atomically(order.out, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return Report(
        rows=len(rows),
        repositories=sum(bool(made.rows) for _, made in found),
        frameworks=dict(Counter(str(r["framework"]) for r in rows).most_common()),
        styles=dict(Counter(str(r["style"]) for r in rows)),
        splits=dict(Counter(str(r["split"]) for r in rows)),
        refused=_sum_counts(made.refused for _, made in found),
        wording=_sum_counts(made.wording for _, made in found),
        empty=tuple(name for name, made in found if not made.rows),
    )


def _one(source: RowSource, order: Order) -> tuple[RowSource, MadeRows]:
    index = RepoIndex.open(source.root, local_version(source.root), order.cache)
    made = make_rows(source, index, order.rows, order.seed)
    if not order.model:
        return source, made
    worded = reworded(made.rows, _settings(order))
    return source, msgspec.structs.replace(made, rows=worded.rows, wording=worded.wording)


def _lost_outcome(source: RowSource, reason: str) -> tuple[RowSource, MadeRows]:
    return source, MadeRows(rows=(), refused={reason: 1})


def _settings(order: Order) -> Settings:
    return load_settings(model=order.model, base_url=order.base_url or None)


def _sum_counts(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    """Counts of all repositories together, the twelve most frequent."""
    return dict(sum((Counter(one) for one in counts), Counter[str]()).most_common(12))


def _name(source: RowSource, order: Order) -> str:
    """The file of one part: by everything that its rows depend on."""
    version = source.commit or local_version(source.root)
    facts = f"{VERSION} {order.seed} {order.rows} {order.model} {source.github} {version} {source.github_id}"
    return f"{source.name}-{hashlib.sha256(facts.encode()).hexdigest()[:12]}.json"
