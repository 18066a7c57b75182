"""The commands by name."""

import typer

from ml_agent.cli import inspect, runs, solve

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


def _mount_bench() -> None:
    from ml_agent.cli import bench

    app.add_typer(bench.app, name="bench")


_mount_bench()
