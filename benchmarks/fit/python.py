"""Fit the Python tables: `python -m benchmarks.fit.python --repositories DIR --rows FILE … --tables OUT [--write]`.

Tables are fitted without each repository in turn, and its rows are answered with those. Values go where the shipped tables put them.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from ml_agent.benchmarks.fit import learn
from ml_agent.benchmarks.fit.python_rows import Row, Verdict, judge, load
from ml_agent.grounded.python_drafts import completer
from ml_agent.matching.model import shipped
from ml_agent.matching.python_programs import read_program
from ml_agent.matching.python_retrieval import CALLABLE_FEATURES
from ml_agent.matching.python_solver import PROGRAM_FEATURES, PythonModel, ScoredProgram, context_of, solve_python

PENALTY = {"thing": 5.0, "program": 3.0}
_MOST_CALLABLES = 300


def callable_group(row: Row) -> learn.Group:
    """The callables of a row's repository, those of the reference among them; of very many those that could be mixed up."""
    right = {
        name
        for call in row.reference.calls
        for name in (
            call.callee.object.name,
            call.callee.object.name.rpartition(".")[0] if call.callee.object.kind == "method" else "",
        )
    }
    every = [(one.vector, int(one.callee.object.name in right)) for one in row.library_index.ranked(row.statement)]
    every.sort(key=lambda one: (-one[1], -one[0][0] - one[0][4] - one[0][6]))
    return learn.Group(
        [vector for vector, _ in every[:_MOST_CALLABLES]],
        [one for _, one in every[:_MOST_CALLABLES]],
        repository=row.repository,
    )


def fit(
    callables: Sequence[learn.Group], programs: Sequence[learn.Group], without: Collection[str] = ()
) -> dict[str, Any]:
    """Both tables, learned without some repositories."""
    tables: dict[str, Any] = {}
    for name, groups, features in (("thing", callables, CALLABLE_FEATURES), ("program", programs, PROGRAM_FEATURES)):
        used = [group for group in groups if group.repository not in without]
        if not used:
            continue
        weights, bias, _ = learn.choice(used, 1, PENALTY[name])
        tables[name] = {feature: round(float(weight), 5) for feature, weight in zip(features, weights, strict=True)} | {
            "bias": round(bias, 5)
        }
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


def solved(row: Row, tables: Mapping[str, Any]) -> list[ScoredProgram]:
    """The programs for a row, best first."""
    learned = PythonModel(tables)
    context = context_of(row.statement, row.library_index, row.usages, learned)
    return solve_python(context, learned, shipped(), completer(row.library_index))


class AnsweredRow(NamedTuple):
    """A row with its programs, what speaks for each, and how each stands to the reference."""

    row: Row
    vectors: list[list[float]]
    verdicts: list[Verdict]


_NOTHING = Verdict(-1.0, False, False)


def _answer(row: Row, tables: Mapping[str, Any]) -> AnsweredRow:
    several = solved(row, tables)
    library = row.library_index.library
    verdicts = [judge(row.reference, read_program(one.filled_program.text, library, library.folder)) for one in several]
    return AnsweredRow(row, [one.vector for one in several], verdicts)


def program_group(one: AnsweredRow) -> learn.Group | None:
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
    callables = [group for group in map(callable_group, rows) if any(group.right)]
    parts = folds(rows, options.folds)
    answered: list[AnsweredRow] = []
    for part in parts:
        tables = fit(callables, [], part) | {"program": PLAIN}
        answered += [_answer(row, tables) for row in rows if row.repository in part]
        sys.stderr.write(f"{len(answered)} of {len(rows)} rows\n")
    groups = [group for one in answered if (group := program_group(one)) is not None]
    options.tables.mkdir(parents=True, exist_ok=True)
    for part in parts:
        tables = fit(callables, groups, part)
        for name in part:
            (options.tables / f"{name}.json").write_text(json.dumps(tables), encoding="utf-8")
        _report([one for one in answered if one.row.repository in part], PythonModel(tables))
    if options.write:
        place = files("ml_agent.matching").joinpath("python_weights.json")
        Path(str(place)).write_text(
            json.dumps(fit(callables, groups), indent=1, sort_keys=True) + "\n", encoding="utf-8"
        )
    return 0


def _report(answered: Sequence[AnsweredRow], tables: PythonModel) -> None:
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
