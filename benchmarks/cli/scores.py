"""`ml-agent bench score`, `compare` and `report`."""

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from ml_agent.benchmarks.cli import options as o
from ml_agent.terminal import write_out


def score(
    tasks: o.Tasks,
    repos: o.Repos,
    predictions: Annotated[Path, typer.Option("--predictions", help="JSONL file with the predictions to score.")],
    mode: Annotated[
        str,
        typer.Option(help="How answers are scored: same-call, official, or a scorer that an installed package adds."),
    ] = "same-call",
    jobs: o.Jobs = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
    sample: o.Sample = None,
    limit: o.Limit = None,
) -> int:
    """Score predictions: do they make the same call as the reference answer, or keep the published rules 1 and 2?

    The scorer same-call runs the answer and the reference in a sandbox through the repository's own parser, and compares the values.
    Exit code 1: a row has no prediction (it counts as failed), or cannot be judged.

    Example:

        ml-agent bench score --tasks rows.jsonl --predictions out.jsonl --repos repos --json
    """
    import msgspec

    from ml_agent.benchmarks.predictions import load_predictions
    from ml_agent.benchmarks.report import compare as side_by_side
    from ml_agent.benchmarks.report import of_scores, print_comparison
    from ml_agent.benchmarks.scoring import modes, score_all, unanswered

    if mode not in modes():
        raise typer.BadParameter(f"{mode!r} is none of {', '.join(modes())}", param_hint="--mode")
    rows = o.load_rows(tasks, sample, limit)
    o.see_repositories(repos, rows.tasks)
    keys = {t.key for t in rows.tasks}
    found = [p for p in load_predictions(predictions) if (sample is None and limit is None) or p.key in keys]
    missing = unanswered(rows.tasks, found)
    if missing:
        o.tell(
            [f"{len(missing)} of {len(rows.tasks)} rows have no prediction and count as failed (see --sample, --limit)"]
        )
    result = score_all(rows.tasks, found, repos, mode, jobs)
    if as_json:
        write_out(json.dumps(result.summary(), ensure_ascii=False) + os.linesep)
    elif result.rows:
        named = msgspec.structs.replace(result, subject=result.subject or result.mode)
        print_comparison(side_by_side(of_scores([named], Path())))
    else:
        o.tell(f"left out: {left.key}: {left.reason}" for left in result.left_out)
    return 1 if rows.bad or missing or any(not left.by_rule for left in result.left_out) else 0


def compare(
    files: Annotated[
        list[Path], typer.Argument(help="Files that hold the output of `bench score --json`, one for each agent.")
    ],
) -> int:
    """Compare agents on the rows that all of them have, with intervals and a paired test.

    Example:

        ml-agent bench compare offline.json raw.json
    """
    from ml_agent.benchmarks.report import compare as side_by_side
    from ml_agent.benchmarks.report import of_scores, print_comparison
    from ml_agent.benchmarks.scoring import load_scored

    print_comparison(side_by_side(of_scores([load_scored(path) for path in files], Path())))
    return 0


def report(
    folder: Annotated[
        Path,
        typer.Argument(help="Folder with the outputs of `bench score --json` (*.json), or with results of form D."),
    ],
    price: Annotated[
        str,
        typer.Option(
            help="Price in USD per million tokens, as PROMPT/COMPLETION or PROMPT/COMPLETION/CACHED (form D)."
        ),
    ] = "",
) -> int:
    """Write report.html for all results in a folder.

    Examples:

        ml-agent bench report results

        ml-agent bench report outputs/delivery --price 2.5/10/0.25
    """
    from ml_agent.benchmarks.errors import BenchError
    from ml_agent.benchmarks.report import compare as side_by_side
    from ml_agent.benchmarks.report import of_deliveries, of_scores, print_comparison, write_report
    from ml_agent.benchmarks.scoring import load_scored
    from ml_agent.model.budget import Price

    if not folder.is_dir():
        raise BenchError(f"there is no folder {folder}")
    parts = price.split("/") if price else []
    try:
        stated = Price(**dict(zip(("input", "output", "cached"), map(float, parts), strict=False))) if parts else None
    except (TypeError, ValueError) as error:
        raise typer.BadParameter(
            f"{price!r} is not a price: write one such as 2.5/10 or 2.5/10/0.25", param_hint="--price"
        ) from error
    if found := sorted(folder.glob("*.json")):
        comparison = side_by_side(of_scores([load_scored(path) for path in found], folder))
    else:
        comparison = side_by_side(of_deliveries(folder), stated)
        print_comparison(comparison)
    sys.stdout.write(f"{write_report(comparison, folder)}{os.linesep}")
    return 0
