"""Run and score benchmarks, and compare agents.

Mounted through the entry-point group `ml_agent.commands`. Each command imports what it needs when it is called, so that help is
quick.
"""

import typer

from ml_agent.benchmarks.cli import agents, rows, running, scores

HELP = """Measure and compare agents on tasks ("rows") of ML-Bench, of `wild`, or of your own repositories.

Example: an agent's answers to ten rows, and how many of them are right. docs/bench.md compares two agents.

    ml-agent bench repos --tasks wild --repos repos --limit 10

    ml-agent bench predict --tasks wild --repos repos --limit 10 --out offline.jsonl

    ml-agent bench score --tasks wild --repos repos --limit 10 --predictions offline.jsonl
"""

app = typer.Typer(help=HELP, no_args_is_help=True)

app.command()(rows.repos)
app.command()(rows.make)
app.command()(running.predict)
app.command()(running.run)
app.add_typer(agents.app, name="agents")
app.command()(scores.score)
app.command()(scores.compare)
app.command()(scores.report)
