"""Run and score benchmarks, and compare agents on them (`ml-agent bench`).

Mounted through the entry-point group `ml_agent.commands`. Each command imports what it needs when it is called, so that help is
quick.
"""

import typer

from ml_agent.benchmarks.cli import agents, rows, running, scores

app = typer.Typer(help="Measure agents on ML-Bench or on rows of your own.", no_args_is_help=True)

app.command()(rows.repos)
app.command()(rows.make)
app.command()(running.predict)
app.command()(running.run)
app.add_typer(agents.app, name="agents")
app.command()(scores.score)
app.command()(scores.compare)
app.command()(scores.report)
