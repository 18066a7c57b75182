"""The commands by name."""

from importlib.metadata import entry_points

import typer

from ml_agent.cli import inspect, runs, solve

EXTENSIONS = "ml_agent.commands"
"""Entry points of this group are groups of commands of other packages; nothing here knows what they are."""

app = typer.Typer(
    name="ml-agent",
    help="Turn one sentence about a machine-learning task into a proven command.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
)

app.command()(solve.solve)
app.command()(solve.resume)
app.add_typer(runs.app, name="runs")
app.command()(runs.view)
app.command()(inspect.explain)
app.command()(inspect.check)
app.command()(inspect.doctor)
app.command()(inspect.clean)

for _extension in entry_points(group=EXTENSIONS):
    app.add_typer(_extension.load(), name=_extension.name)
