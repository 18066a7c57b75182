"""`ml-agent bench`: predictions, scores, other agents, comparison and reports."""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

if TYPE_CHECKING:
    from benchmarks.data import Task

app = typer.Typer(help="Run and score ML-Bench, and compare agents on it.", no_args_is_help=True)

Tasks = Annotated[str, typer.Option("--tasks", help="JSONL or Parquet file of rows, or super-dainiu/ml-bench:SPLIT.")]
Repos = Annotated[
    Path, typer.Option("--repos", help="Folder with the repositories at their commits, by lower-case name.")
]
Sample = Annotated[Path | None, typer.Option("--sample", help='JSON list of rows to take ("github_id-id").')]
Jobs = Annotated[int, typer.Option("--jobs", min=0, help="How many at the same time; 0 takes one for each processor.")]


@app.command()
def score(
    tasks: Tasks,
    repos: Repos,
    predictions: Annotated[Path, typer.Option("--predictions", help="JSONL file of predictions.")],
    mode: Annotated[Literal["official", "strict", "corrected"], typer.Option(help="Which rules.")] = "strict",
    jobs: Jobs = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    sample: Sample = None,
) -> int:
    """Score predictions: by the published rules, strictly, or strictly on the rows whose reference itself passes.

    Example:

        ml-agent bench score --tasks rows.jsonl --predictions out.jsonl --repos repos --mode strict --json
    """
    from benchmarks.predictions import load_predictions
    from benchmarks.scoring import score_all
    from benchmarks.show import score_tables
    from benchmarks.strict.execute import weaknesses

    loaded = _load(tasks, sample)
    found = load_predictions(predictions)
    if sample:
        wanted = {t.key for t in loaded}
        found = [p for p in found if p.key in wanted]
    if mode != "official":
        for note in weaknesses():
            Console(stderr=True).print(note, highlight=False)
    result = score_all(loaded, found, repos, mode, jobs)
    if as_json:
        sys.stdout.write(json.dumps(result.summary(), ensure_ascii=False) + os.linesep)
    else:
        score_tables(result, loaded, Console())
    return 0


def _load(source: str, sample: Path | None) -> "list[Task]":
    from benchmarks.data import load_tasks
    from benchmarks.errors import TaskFileError

    keys = None
    if sample is not None:
        try:
            keys = [str(k) for k in json.loads(sample.read_text(encoding="utf-8"))]
        except (OSError, ValueError, TypeError) as error:
            raise TaskFileError(f"{sample}: no JSON list of rows ({error})") from error
    loaded = load_tasks(source, keys)
    console = Console(stderr=True)
    for problem in loaded.problems:
        console.print(f"row {problem.row} ({problem.key}): {problem.message}", highlight=False, markup=False)
    return list(loaded.tasks)


@app.command()
def predict(
    tasks: Tasks,
    repos: Repos,
    out: Annotated[Path, typer.Option("--out", help="JSONL file of predictions to write; run again to go on.")],
    setting: Annotated[
        Literal["oracle", "retrieval", "code", "agent", "repo"], typer.Option(help="What is seen of a row.")
    ] = "agent",
    navigator: Annotated[Literal["grounded", "llm", "raw"], typer.Option(help="Who answers.")] = "grounded",
    attempts: Annotated[int, typer.Option(min=1, help="Answers a row.")] = 1,
    jobs: Jobs = 1,
    engine: Annotated[
        Literal["local", "dask"], typer.Option(help="Processes of this machine, or dask.distributed.")
    ] = "local",
    scheduler: Annotated[
        str,
        typer.Option(
            help="Address of a dask scheduler (DASK_SCHEDULER_ADDRESS); without one a local cluster is started."
        ),
    ] = "",
    model: Annotated[str, typer.Option(help="Model name at the endpoint, or gguf:/path.")] = "",
    base_url: Annotated[str, typer.Option(help="Endpoint (OPENAI_BASE_URL).")] = "",
    model_mode: Annotated[
        Literal["auto", "tools", "json", "text"], typer.Option(help="How decisions are asked of it.")
    ] = "auto",
    temperature: Annotated[
        float | None, typer.Option(help="For raw; default 0 for one attempt, 1 for several.")
    ] = None,
    context_tokens: Annotated[int, typer.Option(help="What raw is shown in settings code and agent, at most.")] = 12000,
    max_tokens: Annotated[int | None, typer.Option(help="Tokens a row.")] = None,
    max_cost: Annotated[float | None, typer.Option(help="USD a row.")] = None,
    max_calls: Annotated[int | None, typer.Option(help="Requests to the model a row.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Wall time a row.")] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Make rows without an answer again.")] = False,
    sample: Sample = None,
) -> int:
    """Answer every row; what is already answered with the same configuration stays.

    Exit code 0 says that every row has a result, also where that is an error.

    Example:

        ml-agent bench predict --tasks rows.jsonl --repos repos --out out.jsonl --navigator grounded --attempts 5 --jobs 2
    """
    from benchmarks.predict.config import Config
    from benchmarks.predict.run import Plan
    from benchmarks.predict.run import predict as run

    config = Config(
        navigator=navigator, setting=setting, attempts=attempts, model=model, base_url=base_url, model_mode=model_mode,
        temperature=temperature, context_tokens=context_tokens, max_tokens=max_tokens, max_cost=max_cost, max_calls=max_calls,
        max_seconds=max_seconds,
    ).checked()  # fmt: skip
    plan = Plan(
        tasks=tuple(_load(tasks, sample)),
        repos=repos,
        out=out,
        config=config,
        jobs=jobs or os.cpu_count() or 1,
        retry_failed=retry_failed,
    )
    if engine == "dask":
        from benchmarks.engines.dask import dask_engine

        address = scheduler or os.environ.get("DASK_SCHEDULER_ADDRESS", "")
        with dask_engine(address, plan.jobs) as carry_out:
            summary = run(plan, carry_out)
    else:
        summary = run(plan)
    console = Console(stderr=True)
    for line in summary.failed:
        console.print(f"no answer {line}", highlight=False, markup=False, soft_wrap=True)
    console.print(f"{summary.answered} of {summary.rows} rows answered: {out}", highlight=False)
    return 0 if summary.missing == 0 else 1


Files = Annotated[list[Path], typer.Argument(help="Outputs of `bench score --json`.")]


@app.command()
def compare(
    files: Files, as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False
) -> int:
    """Put subjects side by side on the rows that all of them have, with intervals and a paired test.

    Example:

        ml-agent bench compare grounded.json raw.json
    """
    import msgspec

    from benchmarks.compare import compare as side_by_side
    from benchmarks.scored import load_scored
    from benchmarks.show import comparison_tables

    comparison = side_by_side([load_scored(path) for path in files])
    if as_json:
        sys.stdout.write(json.dumps(msgspec.to_builtins(comparison, str_keys=True)) + os.linesep)
    else:
        comparison_tables(comparison, Console(width=max(Console().width, 150)))
    return 0


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(help="Folder with outputs of `bench score --json` (*.json).")],
    note: Annotated[list[str] | None, typer.Option(help="A line above the tables; repeatable.")] = None,
) -> int:
    """Write report.md and report.html about all subjects in a folder.

    Example:

        ml-agent bench report results
    """
    from benchmarks.errors import BenchError
    from benchmarks.report import write_report
    from benchmarks.scored import load_scored

    found = sorted(folder.glob("*.json")) if folder.is_dir() else []
    if not found:
        raise BenchError(f"{folder}: no *.json in it; `ml-agent bench score … --json > {folder}/NAME.json` makes them")
    for path in write_report([load_scored(p) for p in found], folder, note or []):
        sys.stdout.write(f"{path}{os.linesep}")
    return 0


@app.command("import")
def import_(
    file: Annotated[
        Path, typer.Argument(help="preds.json, *.traj, *.traj.json, output.jsonl, or a folder of trajectories.")
    ],
    out: Annotated[Path, typer.Option("--out", help="JSONL file of predictions to write.")],
    subject: Annotated[str, typer.Option(help="Whose run it is, for tables.")] = "",
) -> int:
    """Turn a finished run of another agent into predictions.

    Example:

        ml-agent bench import output.jsonl --out openhands.jsonl --subject OpenHands
    """
    import msgspec

    from benchmarks.imports import import_run
    from benchmarks.predictions import dump_prediction
    from ml_agent.files import write_atomically

    found = import_run(file)
    if subject:
        found = [msgspec.structs.replace(p, subject=subject) for p in found]
    write_atomically(out, "".join(dump_prediction(p) + "\n" for p in found))
    Console(stderr=True).print(f"{len(found)} rows: {out}", highlight=False)
    return 0


@app.command()
def export(
    tasks: Tasks,
    repos: Repos,
    out: Annotated[Path, typer.Option("--out", help="JSONL file to write.")],
    form: Annotated[Literal["chat"], typer.Option("--format", help="Form of the examples.")] = "chat",
    setting: Annotated[
        Literal["oracle", "retrieval", "code"], typer.Option(help="What the question shows.")
    ] = "oracle",
    context: Annotated[int | None, typer.Option(help="Leave out examples with more tokens.")] = None,
    model: Annotated[str, typer.Option(help="Whose tokenizer counts.")] = "",
    sample: Sample = None,
) -> int:
    """Write rows as chat examples for fine-tuning, with their token counts.

    Example:

        ml-agent bench export --tasks super-dainiu/ml-bench:id_train --repos repos --setting oracle --context 4096 --out train.jsonl
    """
    from benchmarks.export import Wanted, write_examples

    wanted = Wanted(setting=setting, model=model, context=context)
    number, reasons = write_examples(_load(tasks, sample), repos, wanted, out)
    console = Console(stderr=True)
    for reason in reasons:
        console.print(f"left out {reason}", highlight=False, markup=False, soft_wrap=True)
    console.print(f"{number} examples: {out}", highlight=False)
    return 0 if number else 1


@app.command()
def stats(
    tasks: Tasks,
    repos: Repos,
    model: Annotated[str, typer.Option(help="Whose tokenizer counts.")] = "",
    sample: Sample = None,
) -> int:
    """How many tokens the prompts of each setting take.

    Example:

        ml-agent bench stats --tasks rows.jsonl --repos repos --model gpt-4o
    """
    from rich.table import Table

    from benchmarks.export import token_statistics

    table = Table("setting", "rows", "mean tokens", "least", "most", box=None)
    for line in token_statistics(_load(tasks, sample), repos, ("oracle", "retrieval", "agent", "code"), model):
        table.add_row(line.setting, str(line.rows), f"{line.mean:.0f}", str(line.least), str(line.most))
    Console().print(table)
    return 0
