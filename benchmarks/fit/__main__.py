"""Fit the grounded core: `python -m benchmarks.fit --repositories DIR --rows FILE … [--held-out OUT] [--write]`.

With --held-out, a table is fitted without each repository in turn, and its rows are answered with that table.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.fit import examples, learn, whole
from benchmarks.fit.examples import KINDS
from benchmarks.fit.rows import Row, load, shelf_of
from ml_agent.matching.answers import Answer
from ml_agent.matching.model import FEATURES_OF, Model
from ml_agent.matching.solver import solve

SEED = 0
PENALTY = {"value": 5.0, "entry": 5.0, "answer": 3.0}


class Material(NamedTuple):
    """All training examples, with the repository of each."""

    values: list[learn.Group]
    switches: list[examples.Switched]
    entries: list[learn.Group]
    fitted: dict[str, dict[str, Any]]
    """By repository that was left out: the tables that need no answers."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print the held-out figures, write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=Path, required=True, help="folder with one folder for each repository")
    parser.add_argument("--rows", type=Path, nargs="+", required=True, help="files of rows")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "ml-agent" / "fit")
    parser.add_argument("--made", type=Path, help="rows of `bench make`, for the confidence alone")
    parser.add_argument(
        "--tables", type=Path, required=True, help="folder for the tables fitted without one repository each"
    )
    parser.add_argument("--quick", action="store_true", help="matched commands only, not the whole navigator")
    parser.add_argument("--write", action="store_true", help="write ml_agent/matching/weights.json")
    options = parser.parse_args(arguments)
    rows = load(options.rows, options.repositories, options.cache)
    material = _material(rows, options.repositories, options.cache)
    shelf = lambda row: shelf_of(options.repositories / row.repository, options.cache, row.folder)  # noqa: E731
    held_out = _held_out(rows, material, shelf, options.tables)
    _report(held_out)
    if options.quick:
        return 0
    answers = _whole(options.rows, options.made, whole.Places(options.repositories, options.cache, options.tables))
    sys.stdout.write(whole.report(answers))
    if options.write:
        tables = _fit(material, _answers(rows, material, shelf, ""), "")
        tables["confidence"] = whole.tables_of(answers)
        place = files("ml_agent.matching").joinpath("weights.json")
        Path(str(place)).write_text(json.dumps(tables, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


def _whole(rows: Sequence[Path], made: Path | None, places: whole.Places) -> list[whole.First]:
    """First answers of the whole navigator to all rows."""
    found: list[whole.First] = []
    for file in rows:
        for group, wild in (("wild", True), ("other", False)):
            found += whole.first_answers([t for t in whole.tasks_of(file) if bool(t.style) == wild], group, places)
    if made is not None:
        found += whole.first_answers(whole.tasks_of(made)[::_EVERY], "made", places)
    return found


_EVERY = 6
"""One of so many made rows is answered: they are many, and alike."""


def _material(rows: Sequence[Row], repositories: Path, cache: Path) -> Material:
    made = Material([], [], [], {})
    for row in rows:
        if row.readable:
            # Where options are not seen, "without a slot" would be learned from what has one.
            values, switches = examples.slot_examples(row, repositories, cache)
            made.values.extend(values)
            made.switches.extend(switches)
        group = examples.entry_group(row, repositories, cache)
        if group is not None:
            made.entries.append(group)
    return made


def _fit(material: Material, answers: Sequence[learn.Group], without: str) -> dict[str, Any]:
    """All tables, learned without one repository."""
    tables = material.fitted.get(without)
    if tables is None:
        tables = material.fitted[without] = _choices(
            {"value": (material.values, len(KINDS)), "entry": (material.entries, 1)}, without
        )
        chosen = [one for one in material.switches if one.repository != without]
        tables["switch"] = learn.trees([one.vector for one in chosen], [one.right for one in chosen], SEED)
    return tables | (_choices({"answer": (answers, 1)}, without) if answers else {})


def _choices(parts: Mapping[str, tuple[Sequence[learn.Group], int]], without: str) -> dict[str, Any]:
    tables: dict[str, Any] = {}
    for name, (groups, kinds) in parts.items():
        used = [group for group in groups if group.repository != without]
        weights, bias, none = learn.choice(used, kinds, PENALTY[name])
        tables[name] = {
            feature: round(float(weight), 5) for feature, weight in zip(FEATURES_OF[name], weights, strict=True)
        }
        if name == "value":
            tables[name]["bias"] = round(bias, 5)
            tables["none"] = {
                kind: round(float(score) - STAKE[kind], 5) for kind, score in zip(KINDS, none, strict=True)
            }
    return tables


STAKE = {"number": 1.5, "path": 2.5, "name": 1.5, "text": 2.5, "factor": 1.0, "word": 0.0}
"""What leaving a stated value without a slot costs, as log-odds: a request states nothing in vain."""


def _answers(rows: Sequence[Row], material: Material, shelf: Callable[[Row], Any], without: str) -> list[learn.Group]:
    """Whole answers of the wild rows by tables that were learned without the row's own repository."""
    plain = dict.fromkeys(FEATURES_OF["answer"], 0.0) | {"entry": 1.0}
    found = []
    models: dict[str, Model] = {}
    for row in rows:
        if not row.wild or row.repository == without:
            continue
        if row.repository not in models:
            models[row.repository] = Model(_fit(material, [], row.repository) | {"answer": plain})
        solved = solve(row.statement, shelf(row), models[row.repository])
        verdicts = [examples.judge(answer, row) for answer in solved]
        best = max((one.shared for one in verdicts), default=-1.0)
        if best >= 0:
            found.append(
                learn.Group(
                    [list(one.vector) for one in solved],
                    [int(one.shared >= best - 1e-9) for one in verdicts],
                    repository=row.repository,
                )
            )
    return found


class HeldOut(NamedTuple):
    """A row's answer by tables that never saw its repository."""

    row: Row
    answers: Sequence[Answer]
    verdict: examples.Verdict


def _held_out(rows: Sequence[Row], material: Material, shelf: Callable[[Row], Any], folder: Path) -> list[HeldOut]:
    answers = _answers(rows, material, shelf, "")
    found = []
    for repository in sorted({row.repository for row in rows}):
        tables = _fit(material, answers, repository)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{repository}.json").write_text(json.dumps(tables), encoding="utf-8")
        model = Model(tables)
        for row in (one for one in rows if one.repository == repository):
            solved = solve(row.statement, shelf(row), model)
            verdict = examples.judge(solved[0], row) if solved else examples.Verdict(False, False, -1.0)
            found.append(HeldOut(row, solved, verdict))
    return found


def _report(held_out: Sequence[HeldOut]) -> None:
    """Print how many rows are answered exactly, by repository and by style."""
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for one in held_out:
        for key in (one.row.repository, f"style {one.row.data.get('style', '-')}", "wild" if one.row.wild else "other"):
            totals[key].update(rows=1, exact=int(one.verdict.exact), entry=int(one.verdict.entry))
            totals[key]["shared"] += max(0.0, one.verdict.shared)  # type: ignore[assignment]
    for key, total in sorted(totals.items()):
        sys.stdout.write(
            f"{key:28} rows {total['rows']:3} exact {total['exact']:3} entry {total['entry']:3} shared {total['shared'] / total['rows']:.2f}\n"
        )
    sys.stdout.write(
        f"macro exact {np.mean([t['exact'] / t['rows'] for k, t in totals.items() if not k.startswith('style') and k not in {'wild', 'other'}]):.3f}\n"
    )


if __name__ == "__main__":
    sys.exit(main())
