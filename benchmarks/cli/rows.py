"""`ml-agent bench repos`, `import` and `export`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from ml_agent.benchmarks.cli import options as o


def repos(
    tasks: o.Tasks,
    repos: o.Repos,
    commit: Annotated[
        list[str] | None, typer.Option(help="NAME=SHA, above the pinned one; NAME=HEAD takes the newest; repeatable.")
    ] = None,
    mirrors: Annotated[
        Path | None, typer.Option(help="Folder of git directories to take them from instead of GitHub.")
    ] = None,
    sample: o.Sample = None,
) -> int:
    """Lay the repositories of the rows at their pinned commits, as the other commands want them.

    One that cannot be had is told, and the exit code is 1; the rows of the others can be used.

    Example:

        ml-agent bench repos --tasks rows.jsonl --repos repos
    """
    from ml_agent.benchmarks.errors import BenchError
    from ml_agent.benchmarks.repositories import lay_repositories

    pairs = [text.partition("=") for text in commit or ()]
    if any(not name or not sha for name, _, sha in pairs):
        raise BenchError("--commit: write NAME=SHA")
    rows, missing = o.load_rows(tasks, sample), 0
    for laid in lay_repositories(rows.tasks, repos, {name.lower(): sha for name, _, sha in pairs}, mirrors):
        missing += bool(laid.problem)
        absent = f"; not in the mirror: {', '.join(laid.absent)}" if laid.absent else ""
        o.tell([f"{laid.name}: {laid.problem or laid.commit + ('' if laid.new else ' (there)')}{absent}"])
    return 1 if missing or rows.bad else 0


def import_(
    file: Annotated[
        Path, typer.Argument(help="preds.json, *.traj, *.traj.json, output.jsonl, or a folder of such runs.")
    ],
    out: Annotated[Path, typer.Option("--out", help="JSONL file of predictions to write.")],
    subject: Annotated[str, typer.Option(help="Whose run it is, for tables.")] = "",
) -> int:
    """Turn a finished run of another agent into predictions; runs that cannot be read are told, and the exit code is 1.

    Rows are known by "github_id-id": the key of preds.json, the name of a trajectory, or the fields of an instance.

    Example:

        ml-agent bench import output.jsonl --out openhands.jsonl --subject OpenHands
    """
    import msgspec

    from ml_agent.benchmarks.errors import BenchError
    from ml_agent.benchmarks.own_files import PREDICTIONS, see_that_it_may_be_replaced
    from ml_agent.benchmarks.predictions import dump_prediction
    from ml_agent.benchmarks.subjects.imports import import_runs
    from ml_agent.files import write_atomically

    if out.exists() and file.exists() and out.samefile(file):
        raise BenchError(f"{out}: what is imported is not replaced; name another file for --out")
    see_that_it_may_be_replaced(out, PREDICTIONS)
    imported = import_runs(file)
    found = imported.predictions
    if subject:
        found = tuple(msgspec.structs.replace(p, subject=subject) for p in found)
    write_atomically(out, "".join(dump_prediction(p) + "\n" for p in found))
    o.tell([*imported.problems, f"{len(found)} rows: {out}"])
    return 1 if imported.problems else 0


def export(
    tasks: o.Tasks,
    repos: o.Repos,
    out: Annotated[Path, typer.Option("--out", help="JSONL file to write.")],
    form: Annotated[Literal["chat"], typer.Option("--format", help="Form of the examples.")] = "chat",
    setting: Annotated[
        Literal["oracle", "retrieval", "code"], typer.Option(help="What the question shows.")
    ] = "oracle",
    context: Annotated[int | None, typer.Option(min=1, help="Leave out examples with more tokens.")] = None,
    model: Annotated[str, typer.Option(help="Whose tokenizer counts.")] = "",
    sample: o.Sample = None,
) -> int:
    """Write rows as chat examples for fine-tuning, with their token counts.

    Example:

        ml-agent bench export --tasks super-dainiu/ml-bench:id_train --repos repos --setting oracle --context 4096 --out train.jsonl
    """
    from ml_agent.benchmarks.export import Wanted, write_examples

    o.see_repositories(repos)
    wanted = Wanted(setting=setting, model=model, context=context)
    number, reasons = write_examples(o.load_rows(tasks, sample).tasks, repos, wanted, out)
    o.tell([*(f"left out {reason}" for reason in reasons), f"{number} examples: {out}"])
    return 0 if number else 1
