"""`ml-agent bench table`."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from benchmarks.cli import options as o

_Subjects = Annotated[
    str,
    typer.Option(
        "--subjects",
        help="Names with commas: grounded, llm, raw, oracle, and those of `bench agents list`; all without it.",
    ),
]
_Install = Annotated[bool, typer.Option("--install", help="Install agents that are not here first.")]
_Checkout = Annotated[Path | None, typer.Option("--swe-agent", help="Checkout of SWE-agent, for --install.")]
_Mode = Annotated[Literal["strict", "same-call", "corrected"], typer.Option("--mode", help="Which rules score.")]


def table(
    tasks: o.Tasks,
    repos: o.Repos,
    out: o.Folder,
    subjects: _Subjects = "",
    model: o.Model = "",
    base_url: o.BaseUrl = "",
    calling: o.Called = "native",
    max_tokens: o.MaxTokens = None,
    max_cost: o.MaxCost = None,
    max_calls: o.MaxCalls = 30,
    max_seconds: o.MaxSeconds = 900,
    reply_tokens: o.ReplyTokens = 4096,
    context_tokens: o.ContextTokens = 12000,
    install: _Install = False,
    source: _Checkout = None,
    home: o.Home = None,
    sandbox: o.SandboxName = "auto",
    mode: _Mode = "strict",
    jobs: o.Jobs = 1,
    engine: o.EngineName = "local",
    scheduler: o.Scheduler = "",
    retry_failed: o.RetryFailed = False,
    sample: o.Sample = None,
) -> int:
    """Put all subjects on the same rows, model and limits, score them, and write one table.

    OUT/scores/report.md and report.html (of another --mode: OUT/scores-MODE) are there after the first subject and grow with each. A subject that cannot be run stands
    in the table as "did not run" with the reason. Exit code 0 says that every row of every subject that ran has a result.

    Example:

        ml-agent bench table --tasks rows.jsonl --sample sample.json --repos repos --out outputs/table --model NAME --base-url http://127.0.0.1:8080/v1 --calling text --max-seconds 600 --max-calls 12 --max-tokens 60000 --reply-tokens 1024
    """
    from benchmarks.subjects.places import Place
    from benchmarks.subjects.respondent import agents_home
    from benchmarks.table import TablePlan, checked, install_missing, make_table, names
    from ml_agent.budget import Limits

    chosen = checked([name.strip() for name in subjects.split(",") if name.strip()] or names())
    rows = o.load_rows(tasks, sample)
    plan = TablePlan(
        tasks=tuple(rows.tasks), repos=repos, out=out, home=agents_home(home), subjects=chosen, model=model, base_url=base_url,
        limits=Limits(tokens=max_tokens, usd=max_cost, calls=max_calls, seconds=max_seconds), reply_tokens=reply_tokens,
        calling=calling, place=Place(sandbox=sandbox), retry_failed=retry_failed,
        context_tokens=context_tokens, mode=mode,
    )  # fmt: skip
    if install:
        install_missing(plan, {"swe-agent": source.absolute()} if source else {}, lambda line: o.tell([line]))
    o.clear_up()
    with o.engine_of(engine, scheduler, jobs) as carry_out:
        made = make_table(plan, carry_out, lambda line: o.tell([line]))
    if made.report is not None:
        sys.stdout.write(made.report.read_text(encoding="utf-8").partition("\n## Published")[0] + "\n")
    return 1 if made.missing or rows.bad or made.report is None else 0
