"""A comparison as Markdown and as one HTML file with charts."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
import msgspec

from ml_agent.benchmarks.compare import Comparison, compare, with_modes
from ml_agent.benchmarks.error_classes import NAMES, SAME_CALL
from ml_agent.benchmarks.metrics import KS
from ml_agent.benchmarks.scored import Scored, ScoredRow, common_rows
from ml_agent.benchmarks.show import number, percent
from ml_agent.files import write_atomically
from ml_agent.prompts.hidden import HIDDEN

ABSENT = "did-not-run.jsonl"
_MARKUP = re.compile(r"[\\\[\]|]|<(?=[A-Za-z/!?])")
"""What Markdown makes links and tags of, or ends a cell with."""


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One field of the heat map."""

    share: float | None
    n: int


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One subject in the chart of success against tokens; places in percent of the chart."""

    subject: str
    x: float
    y: float


def write_report(
    subjects: Sequence[Scored], folder: Path, notes: Sequence[str] = (), absent: Mapping[str, str] | None = None
) -> list[Path]:
    """Write report.md and report.html; returns their paths.

    Args:
        subjects: their scores; those of several modes are told apart by their names.
        folder: where to write; made where it is not there.
        notes: lines to print above the tables, such as the command that was used.
        absent: subjects that could not be run, with the reason.
    """
    folder.mkdir(parents=True, exist_ok=True)
    subjects = with_modes(subjects)
    facts = {**_facts(subjects, notes), "absent": absent or {}, "verdicts": _verdicts(subjects, folder)}
    written = []
    for name in ("report.md", "report.html"):
        write_atomically(folder / name, _environment(name).get_template(f"{name}.j2").render(facts))
        written.append(folder / name)
    return written


def load_absent(folder: Path) -> dict[str, str]:
    """The subjects that could not be run, as `write_absent` left them."""
    path = folder / ABSENT
    return dict(json.loads(line) for line in path.read_text("utf-8").splitlines()) if path.is_file() else {}


def write_absent(folder: Path, absent: Mapping[str, str]) -> None:
    """Keep the subjects that could not be run, with the reasons, beside the scores of the others."""
    write_atomically(folder / ABSENT, "".join(json.dumps(pair) + "\n" for pair in absent.items()))


def published() -> list[dict[str, Any]]:
    """The published tables, with their sources."""
    tables: list[dict[str, Any]] = tomllib.loads(files("ml_agent.benchmarks").joinpath("published.toml").read_text())[
        "table"
    ]
    return tables


def _facts(subjects: Sequence[Scored], notes: Sequence[str]) -> dict[str, Any]:
    comparison = compare(subjects)
    keys = common_rows(list(subjects))
    shared = [s.on(keys) for s in subjects]
    return {
        "comparison": comparison, "notes": notes, "published": published(), "version": _version(), "classes": _classes({s.mode for s in subjects}),
        "ks": [k for k in KS if any(line.passes[k] is not None for line in comparison.lines)],
        "repositories": sorted({r.repository for s in shared for r in s.rows}),
        "types": sorted({r.kind for s in shared for r in s.rows}),
        "heat": {s.subject: _shares(s, "repository") for s in shared},
        "kinds": {s.subject: _shares(s, "kind") for s in shared},
        "errors": {s.subject: Counter(c for r in s.rows for c in r.error_class[:1] if c) for s in shared},
        "points": _points(comparison), "most_tokens": most_tokens(comparison),
        "left_out": {s.subject: s.left_out for s in subjects if s.left_out},
    }  # fmt: skip


def _classes(modes: Set[str]) -> dict[str, str]:
    """The classes of what can go wrong, as the modes name them."""
    return (NAMES if modes != {"same-call"} else {}) | (SAME_CALL if "same-call" in modes else {})


def _verdicts(subjects: Sequence[Scored], folder: Path) -> dict[str, Any]:
    """Each shared row with its texts and every subject's first verdict."""
    keys = common_rows(list(subjects))
    by_key = [(one, {row.key: row for row in one.rows}) for one in subjects]
    rows = [
        {
            "key": row.key, "repository": row.repository, "kind": row.kind, "instruction": row.instruction, "reference": row.reference,
            "verdicts": [_verdict(found[row.key], _record(one, row.key, folder)) for one, found in by_key],
        }
        for row in (subjects[0].rows if subjects else ())
        if row.key in keys
    ]  # fmt: skip
    return {"subjects": [one.subject for one in subjects], "rows": rows}


def _verdict(row: ScoredRow, record: str) -> dict[str, Any]:
    """What the report shows of a row; `record` is a link to what the run left behind, "" where there is nothing."""
    first = {"error_class": "".join(row.error_class[:1]), "reason": "".join(row.reason[:1])}
    return {"passed": row.first, **first, "answer": row.answer, "record": record}


def _record(one: Scored, key: str, folder: Path) -> str:
    """The record of a row's first attempt, as `bench table` and `bench predict` leave it beside the folder of scores."""
    for place in (f"../records/{one.name}/{key}-0/run.json", f"../records/{key}-0/run.json"):
        if one.name and (folder / place).is_file():
            return quote(place)
    return ""


def _shares(scored: Scored, field: str) -> dict[str, Cell]:
    groups: dict[str, list[bool]] = {}
    for row in scored.rows:
        groups.setdefault(getattr(row, field), []).append(row.first)
    return {name: Cell(share=sum(passed) / len(passed), n=len(passed)) for name, passed in groups.items()}


def _points(comparison: Comparison) -> list[Point]:
    most = most_tokens(comparison) or 1.0
    lines = [(x, x.tokens) for x in comparison.lines if x.tokens is not None]
    return [Point(subject=x.subject, x=90 * tokens / most, y=100 * (x.passes[1] or 0.0)) for x, tokens in lines]


def most_tokens(comparison: Comparison) -> float:
    """The most tokens a row of any subject."""
    return max((line.tokens for line in comparison.lines if line.tokens is not None), default=0.0)


def _version() -> str:
    try:
        return version("ml-agent")
    except PackageNotFoundError:
        return "not installed"


def _in_markdown(value: Any) -> Any:
    """A text of others (a repository's name, an error) as one line that is no markup and ends no cell of a table."""
    if not isinstance(value, str):
        return value
    return _MARKUP.sub(r"\\\g<0>", " ".join(HIDDEN.sub("", value).split()))


def _environment(name: str) -> jinja2.Environment:
    environment = jinja2.Environment(
        finalize=_in_markdown if name.endswith(".md") else None,
        loader=jinja2.PackageLoader("ml_agent.benchmarks", "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=name.endswith(".html"),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = percent
    environment.filters["interval"] = lambda v: "" if v is None else f"{100 * v[0]:.0f} to {100 * v[1]:.0f}"
    environment.filters["number"] = number
    return environment
