"""`ml-agent bench predict`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from benchmarks.cli import options as o

if TYPE_CHECKING:
    from benchmarks.predict.run import Summary


_Setting = Annotated[
    Literal["oracle", "retrieval", "code", "agent", "repo"], typer.Option("--setting", help="What is seen of a row.")
]
_Navigator = Annotated[Literal["grounded", "llm", "raw"], typer.Option("--navigator", help="Who answers.")]
_Attempts = Annotated[int, typer.Option("--attempts", min=1, help="Answers a row.")]
_ModelMode = Annotated[
    Literal["auto", "tools", "json", "text"],
    typer.Option("--model-mode", help="How decisions are asked of it.", rich_help_panel=o.MODEL),
]
_ModelProfile = Annotated[
    Literal["auto", "tools", "form"],
    typer.Option(
        "--model-profile",
        help="For llm: a conversation of function calls, or a form.",
        rich_help_panel=o.MODEL,
    ),
]
_Temperature = Annotated[
    float | None,
    typer.Option("--temperature", help="For raw; default 0 for one attempt, 1 for several.", rich_help_panel=o.MODEL),
]
_Retrieval = Annotated[
    Literal["published", "passages"],
    typer.Option(
        "--retrieval",
        help="For raw in setting retrieval: as published, or by our own retrieval.",
        rich_help_panel=o.MODEL,
    ),
]


def predict(
    tasks: o.Tasks,
    repos: o.Repos,
    out: o.Predictions,
    setting: _Setting = "agent",
    navigator: _Navigator = "grounded",
    attempts: _Attempts = 1,
    jobs: o.Jobs = 1,
    engine: o.EngineName = "local",
    scheduler: o.Scheduler = "",
    model: o.Model = "",
    base_url: o.BaseUrl = "",
    model_mode: _ModelMode = "auto",
    model_profile: _ModelProfile = "auto",
    temperature: _Temperature = None,
    context_tokens: o.ContextTokens = 12000,
    retrieval: _Retrieval = "published",
    max_tokens: o.MaxTokens = None,
    max_cost: o.MaxCost = None,
    max_calls: o.MaxCalls = None,
    max_seconds: o.MaxSeconds = None,
    retry_failed: o.RetryFailed = False,
    sample: o.Sample = None,
) -> int:
    """Answer every row; what is already answered with the same configuration stays.

    Exit code 0 says that every row has a result, also where that is an error.

    Example:

        ml-agent bench predict --tasks rows.jsonl --repos repos --out out.jsonl --navigator grounded --attempts 5 --jobs 2
    """
    from benchmarks.predict.config import Config
    from benchmarks.predict.respondent import navigator as respondent
    from benchmarks.predict.run import Plan
    from benchmarks.predict.run import predict as run

    config = Config(
        navigator=navigator, setting=setting, attempts=attempts, model=model, base_url=base_url, model_mode=model_mode,
        model_profile=model_profile, temperature=temperature, context_tokens=context_tokens, max_tokens=max_tokens, max_cost=max_cost, max_calls=max_calls,
        max_seconds=max_seconds, retrieval=retrieval,
    ).checked()  # fmt: skip
    rows = o.load_rows(tasks, sample)
    plan = Plan(
        tasks=tuple(rows.tasks), repos=repos, out=out, who=respondent(config), jobs=o.processes(jobs),
        retry_failed=retry_failed,
    )  # fmt: skip
    with o.engine_of(engine, scheduler, jobs) as carry_out:
        summary = run(plan, carry_out)
    return finish(summary, out, rows.bad)


def finish(summary: "Summary", out: Path, bad: int) -> int:
    """Tell how it went; the exit code says whether every row has a result."""
    o.tell(f"no answer {line}" for line in summary.failed)
    o.tell([f"{summary.answered} of {summary.rows + bad} rows answered: {out}"])
    without = summary.missing + bad
    if without:
        o.tell([f"{without} rows have no result"])
    if summary.unwritten:
        o.tell([summary.unwritten])
    return 1 if without or summary.unwritten else 0
