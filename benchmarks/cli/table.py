"""`ml-agent bench table`."""

import sys
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer

from ml_agent.benchmarks.cli import options as o
from ml_agent.cli.groups import grouped

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


class TableOptions(NamedTuple):
    """Who takes part, how they get here, where they work, and by which rules they are scored."""

    subjects: _Subjects = ""
    install: _Install = False
    swe_agent: _Checkout = None
    home: o.Home = None
    sandbox: o.SandboxName = "auto"
    context_tokens: o.ContextTokens = 12000
    mode: _Mode = "strict"


class TableLimits(NamedTuple):
    """As every bench's limits of one row, with defaults that all subjects share."""

    max_tokens: o.MaxTokens = None
    max_cost: o.MaxCost = None
    max_calls: o.MaxCalls = 30
    max_seconds: o.MaxSeconds = 900


@grouped
def table(
    source: o.Source, out: o.Folder, contest: TableOptions, talk: o.ModelChoice, limits: TableLimits, work: o.Work
) -> int:
    """Put all subjects on the same rows, model and limits, score them, and write one table.

    OUT/scores/report.md and report.html (of another --mode: OUT/scores-MODE) are there after the first subject and grow with each. A subject that cannot be run stands
    in the table as "did not run" with the reason. Exit code 0 says that every row of every subject that ran has a result.

    Example:

        ml-agent bench table --tasks rows.jsonl --sample sample.json --repos repos --out outputs/table --model NAME --base-url http://127.0.0.1:8080/v1 --calling text --max-seconds 600 --max-calls 12 --max-tokens 60000 --reply-tokens 1024
    """
    from ml_agent.benchmarks.subjects.places import Place
    from ml_agent.benchmarks.subjects.respondent import agents_home
    from ml_agent.benchmarks.table import TablePlan, checked, install_missing, make_table, names

    named = [name.strip() for name in contest.subjects.split(",") if name.strip()]
    rows = o.load_rows(source.tasks, source.sample)
    o.see_repositories(source.repos)
    plan = TablePlan(
        tasks=tuple(rows.tasks), repos=source.repos, out=out, home=agents_home(contest.home), subjects=checked(named or names()),
        limits=o.RowLimits(*limits).budget(), place=Place(sandbox=contest.sandbox), retry_failed=work.retry_failed,
        context_tokens=contest.context_tokens, mode=contest.mode, **talk._asdict(),
    )  # fmt: skip
    checkouts = {"swe-agent": contest.swe_agent.absolute()} if contest.swe_agent else {}
    if contest.install:
        install_missing(plan, checkouts, lambda line: o.tell([line]))
    o.clear_up()
    with o.engine_of(work) as carry_out:
        made = make_table(plan, carry_out, lambda line: o.tell([line]))
    if made.report is not None:
        sys.stdout.write(made.report.read_text(encoding="utf-8").partition("\n## Published")[0] + "\n")
    return 1 if made.missing or rows.bad or made.report is None else 0
