"""Run and score benchmarks, and compare agents on them (`ml-agent bench`).

Mounted through the entry-point group `ml_agent.commands`. Each command imports what it needs when it is called, so that help is
quick.
"""

import typer

from ml_agent.benchmarks.cli import agents, rows, running, scores

app = typer.Typer(help="Run and score ML-Bench, and compare agents on it.", no_args_is_help=True)

app.command()(rows.repos)
app.command()(rows.make)
app.command()(running.predict)
app.command()(running.run)
app.add_typer(agents.app, name="agents")
app.command()(scores.score)
app.command()(scores.compare)
app.command()(scores.report)


GONE = {
    "table": "bench predict or run for each subject, bench score --json, then bench report",
    "import": "write the predictions of a run as lines with github_id, id and output",
    "export": "rows are JSONL already",
    "stats": "rows are JSONL already",
}


def _gone(name: str, instead: str) -> None:
    """A command that says what took its place."""

    def say() -> None:
        from ml_agent.benchmarks.errors import BenchError

        raise BenchError(f"bench {name} is gone: {instead}")

    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(name, hidden=True, context_settings=settings, help=f"Replaced: {instead}.")(say)


for _name, _instead in GONE.items():
    _gone(_name, _instead)
