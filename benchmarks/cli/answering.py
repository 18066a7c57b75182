"""`ml-agent bench predict`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from ml_agent.benchmarks.cli import options as o
from ml_agent.cli.groups import grouped

if TYPE_CHECKING:
    from ml_agent.benchmarks.predict.run import Summary


_Setting = Annotated[
    Literal["oracle", "retrieval", "code", "agent", "repo"], typer.Option("--setting", help="What is seen of a row.")
]
_Navigator = Annotated[
    Literal["offline", "llm", "raw", "grounded"],
    typer.Option("--navigator", help="Who answers; grounded is the earlier name of offline."),
]
_Attempts = Annotated[int, typer.Option("--attempts", min=1, help="Answers a row.")]


class Answerer(NamedTuple):
    """Who answers, and with what; the names are those of `Config`."""

    setting: _Setting = "agent"
    navigator: _Navigator = "offline"
    attempts: _Attempts = 1
    model: o.Model = ""
    base_url: o.BaseUrl = ""
    context_tokens: o.ContextTokens = 12000


@grouped
def predict(source: o.Source, out: o.Predictions, answerer: Answerer, limits: o.RowLimits, work: o.Work) -> int:
    """Answer every row; what is already answered with the same configuration stays.

    Exit code 0 says that every row has a result, also where that is an error.

    Example:

        ml-agent bench predict --tasks rows.jsonl --repos repos --out out.jsonl --navigator offline --attempts 5 --jobs 2
    """
    from ml_agent.benchmarks.predict.config import Config
    from ml_agent.benchmarks.predict.respondent import navigator as respondent
    from ml_agent.benchmarks.predict.run import Plan
    from ml_agent.benchmarks.predict.run import predict as run

    who = "offline" if answerer.navigator == "grounded" else answerer.navigator
    config = Config(**answerer._asdict() | {"navigator": who}, **limits._asdict()).checked()
    rows = o.load_rows(source.tasks, source.sample)
    o.see_repositories(source.repos)
    plan = Plan(
        tasks=tuple(rows.tasks), repos=source.repos, out=out, who=respondent(config), retry_failed=work.retry_failed
    )
    with o.engine_of(work) as carry_out:
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
