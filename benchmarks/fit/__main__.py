"""Fit the grounded core: `python -m benchmarks.fit --repositories DIR … --rows FILE … --written FILE … --tables OUT [--write]`.

Each development repository is answered by tables fitted without it and its relatives, written rows by fifths of their repositories.
"""

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ml_agent.benchmarks.fit import about, examples, learn, whole
from ml_agent.benchmarks.fit.examples import KINDS
from ml_agent.benchmarks.fit.prepared import Prepared, add_sources, prepared, solved, sources_of
from ml_agent.benchmarks.fit.relatives import family, folds
from ml_agent.benchmarks.fit.wrong import CLASSES, AnswerError, wrongs
from ml_agent.matching.answers import ANSWER_FEATURES, Answer
from ml_agent.matching.confidence import CONFIDENCE_FEATURES
from ml_agent.matching.model import TABLES, Model
from ml_agent.matching.retrieval import ENTRY_FEATURES
from ml_agent.matching.scores import VALUE_FEATURES
from ml_agent.matching.switches import SWITCH_FEATURES

FEATURES_OF = {
    "value": VALUE_FEATURES,
    "switch": SWITCH_FEATURES,
    "entry": ENTRY_FEATURES,
    "answer": ANSWER_FEATURES,
    "confidence": CONFIDENCE_FEATURES,
}
SEED = 0
PENALTY = {"value": learn.VALUE_PENALTY, "entry": 5.0, "answer": 3.0}
STAKE = {"number": 1.5, "path": 2.5, "name": 1.5, "text": 2.5, "factor": 1.0, "word": 0.0, "absence": 0.0}
"""What leaving a stated value without a slot costs, as log-odds: a request states nothing in vain."""


class RowExamples(NamedTuple):
    """What one row teaches."""

    one: Prepared
    values: list[learn.Group]
    switches: list[examples.SwitchExample]
    entry: learn.Group | None


class HeldOut(NamedTuple):
    """A row's answers by tables that never saw its repository."""

    one: Prepared
    answers: Sequence[Answer]
    verdicts: Sequence[examples.Verdict]


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print the held-out figures, write the tables."""
    options = _parser().parse_args(arguments)
    rows, left = prepared(sources_of(options))
    for line, count in sorted(Counter(left).items()):
        sys.stdout.write(f"left out: {line} ({count})\n")
    material = [_material(one.without_encoder()) for one in rows]
    held_out = _held_out(material)
    first = _with_answers(held_out, options.tables)
    sys.stdout.write(report(first))
    if options.quick:
        return 0
    answers = _whole(options)
    sys.stdout.write(whole.report(answers))
    if options.write:
        made = fitted(material) | {"answer": _answer_table(held_out, frozenset())}
        made["confidence"] = whole.tables_of(answers)
        place = files("ml_agent.matching").joinpath(TABLES[0])
        Path(str(place)).write_text(json.dumps(made, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    add_sources(parser)
    parser.add_argument("--made", type=Path, help="rows of `bench make`, for the confidence alone")
    parser.add_argument("--tables", type=Path, required=True, help="folder for the tables of each held-out repository")
    parser.add_argument("--quick", action="store_true", help="matched commands only, not the whole navigator")
    parser.add_argument("--write", action="store_true", help="write ml_agent/matching/weights.json")
    return parser


def _whole(options: argparse.Namespace) -> list[whole.FirstAnswer]:
    """First answers of the whole navigator to all rows."""
    places = whole.FitPaths(options.repositories, options.cache, options.tables)
    found: list[whole.FirstAnswer] = []
    for file in options.rows:
        for group, wild in (("wild", True), ("other", False)):
            found += whole.first_answers([t for t in whole.tasks_of(file) if bool(t.style) == wild], group, places)
    for group, several, every in (("written", options.written, _EVERY_WRITTEN), ("made", [options.made], _EVERY_MADE)):
        for file in (one for one in several if one is not None):
            found += whole.first_answers(whole.tasks_of(file)[::every], group, places)
    rng = random.Random(SEED)
    strangers = [one for file in options.rows for one in about.requests(file, rng)]
    strangers += [one for file in options.written for one in about.requests(file, rng)[::_EVERY_WRITTEN]]
    strangers += [about.LabelledRequest("", "everyday", text) for text in about.everyday()]
    found += whole.foreign_answers(strangers, places)
    return found


_EVERY_WRITTEN, _EVERY_MADE = 8, 6
"""One of so many rows is answered: they are many."""


def _material(one: Prepared) -> RowExamples:
    # Where options are not seen, "without a slot" would be learned from what has one.
    values, switches = (
        examples.slot_examples(one.row, one.own.slots_for(one.row.statement)) if one.row.readable else ([], [])
    )
    group = learn.Group(one.vectors, one.right, repository=one.row.repository) if any(one.right) else None
    return RowExamples(one, values, switches, group)


def fitted(material: Sequence[RowExamples]) -> dict[str, Any]:
    """All tables but that of whole answers."""
    weights, bias, none = learn.choice([g for m in material for g in m.values], len(KINDS), PENALTY["value"])
    entry, _, _ = learn.choice([m.entry for m in material if m.entry is not None], 1, PENALTY["entry"])
    switched = [one for m in material for one in m.switches]
    return {
        "value": _table("value", weights) | {"bias": round(bias, 5)},
        "none": {kind: round(float(score) - STAKE[kind], 5) for kind, score in zip(KINDS, none, strict=True)},
        "entry": _table("entry", entry),
        "switch": learn.trees([one.vector for one in switched], [one.right for one in switched], SEED),
    }


def _table(name: str, weights: np.ndarray) -> dict[str, float]:
    """Weights by feature; without an encoder there are none for the features of sense, which stand last."""
    return {feature: round(float(one), 5) for feature, one in zip(FEATURES_OF[name], weights, strict=False)}


def _held_out(material: Sequence[RowExamples]) -> list[tuple[frozenset[str], dict[str, Any], list[HeldOut]]]:
    """For each fold: its repositories, the tables without them and their relatives, and the answers to their rows."""
    groups = {m.one.row.repository: m.one.row.group for m in material}
    found = []
    for fold in folds(groups):
        without = family(fold)
        tables = fitted([m for m in material if m.one.row.repository not in without])
        model = Model(tables | {"answer": dict.fromkeys(FEATURES_OF["answer"], 0.0) | {"entry": 1.0}})
        answers = []
        for one in (m.one for m in material if m.one.row.repository in fold):
            several = solved(one, model)
            answers.append(HeldOut(one, several, [examples.judge(answer, one.row) for answer in several]))
        found.append((fold, tables, answers))
    return found


def _answer_table(held_out: Sequence[tuple[frozenset[str], Any, Sequence[HeldOut]]], without: frozenset[str]) -> dict[str, float]:  # fmt: skip
    groups = []
    for one in (one for _, _, several in held_out for one in several):
        best = max((verdict.shared for verdict in one.verdicts), default=-1.0)
        if best >= 0 and one.one.row.repository not in without:
            right = [int(verdict.shared >= best - 1e-9) for verdict in one.verdicts]
            groups.append(learn.Group([list(answer.vector) for answer in one.answers], right))
    weights, _, _ = learn.choice(groups, 1, PENALTY["answer"])
    return _table("answer", weights)


class JudgedRow(NamedTuple):
    """The first answer to a row."""

    one: Prepared
    verdict: examples.Verdict
    wrong: list[AnswerError]


def _with_answers(
    held_out: Sequence[tuple[frozenset[str], dict[str, Any], Sequence[HeldOut]]], folder: Path, above: bool = False
) -> list[JudgedRow]:
    """Rank each row's answers by weights that never saw its fold; keep the tables of each repository.

    Args:
        held_out: by fold.
        folder: for the tables.
        above: whether those that lie there are of readings by words alone, and stay beside the new ones.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for fold, tables, several in held_out:
        tables["answer"] = _answer_table(held_out, family(fold))
        weights = np.array([tables["answer"][name] for name in FEATURES_OF["answer"]])
        for repository in fold:
            place = folder / f"{repository}.json"
            beside = {"words": json.loads(place.read_text(encoding="utf-8"))} if above else {}
            place.write_text(json.dumps(tables | beside), encoding="utf-8")
        for one in several:
            scores = [float(weights @ np.array(answer.vector)) for answer in one.answers]
            best = int(np.argmax(scores)) if scores else None
            answer = one.answers[best] if best is not None else None
            verdict = one.verdicts[best] if best is not None else examples.Verdict(False, False, -1.0)
            found.append(JudgedRow(one.one, verdict, wrongs(answer, one.one.row, one.one.own)))
    return found


def report(first: Sequence[JudgedRow]) -> str:
    """How many rows are answered exactly, by group, style and repository, and what goes wrong, by class."""
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    shared: dict[str, list[float]] = defaultdict(list)
    for one in first:
        for key in _keys(one):
            totals[key].update(rows=1, exact=int(one.verdict.exact), entry=int(one.verdict.entry))
            shared[key].append(max(0.0, one.verdict.shared))
    lines = [
        f"{key:36} rows {total['rows']:4} exact {total['exact']:4} entry {total['entry']:4} shared {np.mean(shared[key]):.3f}"
        for key, total in sorted(totals.items())
    ]
    return "\n".join([*lines, *_classes(first)]) + "\n"


def _keys(one: JudgedRow) -> Iterator[str]:
    row = one.one.row
    yield row.group
    yield f"{row.group} {row.data.get('style', '-')}"
    yield f"{row.group} {row.repository}"


def _classes(first: Sequence[JudgedRow]) -> list[str]:
    groups = sorted({one.one.row.group for one in first})
    counts: Mapping[str, Counter[str]] = {
        group: Counter(wrong.kind for one in first if one.one.row.group == group for wrong in one.wrong)
        for group in groups
    }
    lines = [f"{'what goes wrong':24}" + "".join(f"{group:>9}" for group in groups)]
    return lines + [f"{kind:24}" + "".join(f"{counts[group][kind]:9}" for group in groups) for kind in CLASSES]


if __name__ == "__main__":
    sys.exit(main())
