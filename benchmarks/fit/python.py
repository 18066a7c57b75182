"""Fit the Python tables: `python -m benchmarks.fit.python --repositories DIR --rows FILE … --tables OUT [--write]`.

Tables are fitted without each repository in turn, and its rows are answered with those.
"""

import argparse
import ast
import json
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.fit import learn
from benchmarks.fit.examples import KINDS, Switched, by_value, placed_right, same
from benchmarks.fit.python_rows import Row, Verdict, judge, load
from ml_agent.grounded.python_drafts import completer
from ml_agent.matching.features import FEATURES
from ml_agent.matching.fill import Placed, explained, pairs, spelled_slots, typed
from ml_agent.matching.model import shipped
from ml_agent.matching.python_fill import Spot, spots_of
from ml_agent.matching.python_programs import Program, read_program
from ml_agent.matching.python_retrieval import THING_FEATURES
from ml_agent.matching.python_skeletons import text_of_literal
from ml_agent.matching.python_solver import PROGRAM_FEATURES, Solved, Tables, context_of, solve_python
from ml_agent.matching.scores import Pair
from ml_agent.matching.slots import Slot, Weights
from ml_agent.matching.switches import switches, truth

SEED = 0
PENALTY = {"thing": 5.0, "value": 5.0, "program": 3.0}
STAKE = {"number": 1.5, "path": 2.5, "name": 2.0, "text": 2.5, "factor": 1.0, "word": 0.0, "absence": 0.0}
"""What leaving a stated value without a slot costs, as log-odds."""
_MOST_THINGS = 300


def thing_group(row: Row) -> learn.Group:
    """The things of a row's repository, those of the reference among them; of very many those that could be mixed up."""
    right = {
        name
        for call in row.reference.calls
        for name in (
            call.thing.object.name,
            call.thing.object.name.rpartition(".")[0] if call.thing.object.kind == "method" else "",
        )
    }
    every = [(one.vector, int(one.thing.object.name in right)) for one in row.bookcase.ranked(row.statement)]
    every.sort(key=lambda one: (-one[1], -one[0][0] - one[0][4] - one[0][6]))
    return learn.Group(
        [vector for vector, _ in every[:_MOST_THINGS]],
        [one for _, one in every[:_MOST_THINGS]],
        repository=row.repository,
    )


def slot_examples(row: Row) -> tuple[list[learn.Group], list[Switched]]:
    """One group for each stated value, and every switch that the request comes near to."""
    for call in row.reference.calls:
        row.usages.of(call.thing)
    spots = spots_of(row.reference)
    slots = [one.slot for one in spots]
    wanted = {at: texts for at, spot in enumerate(spots) if (texts := _given_texts(row.reference, spot)) is not None}
    taken, _ = spelled_slots(row.statement, slots)
    weights = Weights(slots)
    found = pairs(row.statement, slots, weights, taken)
    right, fitting = _right(found, slots, wanted)
    made = [
        learn.Group([found[at].vector for at in several], [int(at in right) for at in several], KINDS.index(found[several[0]].mention.kind), 1.0, row.repository)
        for several in by_value(found, right, fitting)
    ]  # fmt: skip
    placed = [*taken, *placed_right(found, right)]
    return made, list(_switch_examples(row, slots, weights, placed, wanted))


def _given_texts(program: Program, spot: Spot) -> list[str] | None:
    value = program.calls[spot.call].given.get(spot.name)
    text = text_of_literal(value) if value is not None else None
    return None if text is None else text.split(",") if isinstance(value, (ast.List, ast.Tuple)) else [text]


def _right(found: Sequence[Pair], slots: Sequence[Slot], wanted: Mapping[int, list[str]]) -> tuple[set[int], set[int]]:
    """The pairs that the reference has, each value once; and all that it might have."""
    fitting = {
        place
        for place, pair in enumerate(found)
        if pair.slot in wanted and _fits(pair, slots[pair.slot], wanted[pair.slot])
    }
    order = sorted(
        fitting,
        key=lambda at: (
            -(
                found[at].vector[0]
                + 0.5 * found[at].vector[8]
                + 3 * found[at].vector[28]
                + 2 * found[at].vector[30]
                + 2 * bool(found[at].mention.parts)
            )
        ),
    )
    right: set[int] = set()
    spans: list[tuple[int, int]] = []
    used: set[int] = set()
    for at in order:
        first, last = found[at].mention.first, found[at].mention.last
        if found[at].slot not in used and not any(a <= last and first <= b for a, b in spans):
            spans.append((first, last))
            used.add(found[at].slot)
            right.add(at)
    return right, fitting


def _fits(pair: Pair, slot: Slot, wanted: Sequence[str]) -> bool:
    words = [part for word in typed(pair.mention, slot) for part in word.split(",")]
    return len(words) == len(wanted) and all(same(a.strip(), b.strip()) for a, b in zip(words, wanted, strict=True))


def _switch_examples(
    row: Row, slots: Sequence[Slot], weights: Weights, placed: Sequence[Placed], wanted: Mapping[int, list[str]]
) -> list[Switched]:
    spent = explained(row.statement, placed, slots)
    found = []
    for place, slot, said, _ in switches(
        row.statement, slots, weights, spent, {one.slot for one in placed}, lambda _: 0.0
    ):
        value = wanted.get(place, [""])[0].lower()
        if (slot.option.default or "").lower() == value:
            value = ""
        found.append(Switched(said.vector, int(truth(slot, said).lower() == value), row.repository))
    return found


class Material(NamedTuple):
    """All training examples."""

    things: list[learn.Group]
    values: list[learn.Group]
    switches: list[Switched]


def material_of(rows: Sequence[Row]) -> Material:
    """What things, values and switches are learned from."""
    made = Material([], [], [])
    for row in rows:
        group = thing_group(row)
        if any(group.right):
            made.things.append(group)
        values, switched = slot_examples(row)
        made.values.extend(values)
        made.switches.extend(switched)
    return made


def fit(material: Material, programs: Sequence[learn.Group], without: Collection[str] = ()) -> dict[str, Any]:
    """All tables, learned without some repositories."""
    tables: dict[str, Any] = {}
    options = shipped().value  # what options taught of values is where parameters begin
    parts = {
        "thing": (material.things, THING_FEATURES, 1),
        "value": (material.values, FEATURES, len(KINDS)),
        "program": (programs, PROGRAM_FEATURES, 1),
    }
    for name, (groups, features, kinds) in parts.items():
        used = [group for group in groups if group.repository not in without]
        if not used:
            continue
        if name == "value":
            used = [group._replace(vectors=[[*vector, options(vector)] for vector in group.vectors]) for group in used]
        weights, bias, none = learn.choice(used, kinds, PENALTY[name])
        if name == "value":
            weights, bias = weights[:-1] + weights[-1] * np.array(options.weights), bias + weights[-1] * options.bias
        tables[name] = {feature: round(float(weight), 5) for feature, weight in zip(features, weights, strict=True)} | {
            "bias": round(bias, 5)
        }
        if name == "value":
            tables["none"] = {
                kind: round(float(score) - STAKE[kind], 5) for kind, score in zip(KINDS, none, strict=True)
            }
    chosen = [one for one in material.switches if one.repository not in without]
    tables["switch"] = learn.trees([one.vector for one in chosen], [one.right for one in chosen], SEED)
    return tables


PLAIN = {
    "best": 1.0,
    "mean": 0.2,
    "gap": 0.5,
    "left_numbers": -1.0,
    "left_paths": -1.0,
    "left_names": -0.5,
    "left_texts": -0.5,
    "mean_value": 0.2,
    "missing": -1.0,
    "dropped": -0.1,
    "idle": -0.5,
    "alike": 1.0,
    "unknown": -1.0,
    "covered": 2.0,
    "named": 2.0,
    "documented": 0.3,
}
"""Whole programs are ranked by this while it is learned how."""


def solved(row: Row, tables: Mapping[str, Any]) -> list[Solved]:
    """The programs for a row, best first."""
    learned = Tables(tables)
    context = context_of(row.statement, row.bookcase, row.usages, learned)
    return solve_python(context, learned, completer(row.bookcase))


class Answered(NamedTuple):
    """A row with its programs, what speaks for each, and how each stands to the reference."""

    row: Row
    vectors: list[list[float]]
    verdicts: list[Verdict]


_NOTHING = Verdict(-1.0, False, False)


def _answer(row: Row, tables: Mapping[str, Any]) -> Answered:
    several = solved(row, tables)
    library = row.bookcase.library
    verdicts = [judge(row.reference, read_program(one.written.text, library, library.folder)) for one in several]
    return Answered(row, [one.vector for one in several], verdicts)


def program_group(one: Answered) -> learn.Group | None:
    """The programs of a row, those among them that come nearest to the reference; None where none comes near."""
    best = max((verdict.shared for verdict in one.verdicts), default=-1.0)
    if best <= 0:
        return None
    return learn.Group(
        one.vectors,
        [int(verdict.shared >= best - 1e-9) for verdict in one.verdicts],
        weight=best,
        repository=one.row.repository,
    )


def folds(rows: Sequence[Row], count: int) -> list[frozenset[str]]:
    """The repositories in groups of about the same number of rows."""
    sizes = Counter(row.repository for row in rows)
    made: list[list[str]] = [[] for _ in range(count)]
    for name, _ in sorted(sizes.items(), key=lambda one: (-one[1], one[0])):
        min(made, key=lambda several: sum(sizes[other] for other in several)).append(name)
    return [frozenset(several) for several in made if several]


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print the held-out figures, write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=Path, required=True, help="folder with one folder for each repository")
    parser.add_argument("--rows", type=Path, nargs="+", required=True, help="files of rows")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "ml-agent" / "fit")
    parser.add_argument("--folds", type=int, default=10, help="groups of repositories that are left out in turn")
    parser.add_argument("--tables", type=Path, required=True, help="folder for the tables fitted without each group")
    parser.add_argument("--write", action="store_true", help="write ml_agent/matching/python_weights.json")
    options = parser.parse_args(arguments)
    rows = load(options.rows, options.repositories, options.cache)
    material = material_of(rows)
    parts = folds(rows, options.folds)
    answered: list[Answered] = []
    for part in parts:
        tables = fit(material, [], part) | {"program": PLAIN}
        answered += [_answer(row, tables) for row in rows if row.repository in part]
        sys.stderr.write(f"{len(answered)} of {len(rows)} rows\n")
    groups = [group for one in answered if (group := program_group(one)) is not None]
    options.tables.mkdir(parents=True, exist_ok=True)
    for part in parts:
        tables = fit(material, groups, part)
        for name in part:
            (options.tables / f"{name}.json").write_text(json.dumps(tables), encoding="utf-8")
        _report([one for one in answered if one.row.repository in part], Tables(tables))
    if options.write:
        place = files("ml_agent.matching").joinpath("python_weights.json")
        Path(str(place)).write_text(
            json.dumps(fit(material, groups), indent=1, sort_keys=True) + "\n", encoding="utf-8"
        )
    return 0


def _report(answered: Sequence[Answered], tables: Tables) -> None:
    """Print how near the first and the best program of each row come."""
    for one in answered:
        pairs = sorted(zip(one.vectors, one.verdicts, strict=True), key=lambda pair: -tables.program(pair[0]))
        first, best = (pairs[0][1], max(one.verdicts)) if pairs else (_NOTHING, _NOTHING)
        exact = "exact" if any(verdict.exact for verdict in one.verdicts) else ""
        calls = "" if any(verdict.entry for verdict in one.verdicts) else "not all calls"
        sys.stdout.write(
            f"{one.row.key:40} first {first.shared:5.2f} {'exact' if first.exact else '':5} best {best.shared:5.2f} {exact:5} {calls}\n"
        )


if __name__ == "__main__":
    sys.exit(main())
