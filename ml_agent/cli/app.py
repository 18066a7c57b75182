"""The commands by name. A command's module is imported when the command is called, so that help comes at once."""

import ast
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from ml_agent.tools.plugins import entry_points

EXTENSIONS = "ml_agent.commands"
"""Entry points of this group are groups of commands of other packages; nothing here knows what they are."""

CONTEXT = {"help_option_names": ["-h", "--help"]}


class Command(NamedTuple):
    """Where a command stands and what the list of commands says of it."""

    place: str
    """module:function, or module:typer.Typer."""
    summary: str
    """The first line of its documentation."""


COMMANDS = {
    "solve": Command(
        "ml_agent.cli.solve:solve", "Find the repository, write the command, check it, run it, repair it."
    ),
    "resume": Command(
        "ml_agent.cli.solve:resume",
        "Continue a run that was interrupted or reached a limit; a finished run is printed again.",
    ),
    "continue": Command(
        "ml_agent.cli.solve:continue_",
        "Continue a finished run with a correction: same conversation and environment, a new run folder.",
    ),
    "runs": Command("ml_agent.cli.runs:app", "List, show and delete runs."),
    "view": Command(
        "ml_agent.cli.runs:view", "Show a run on one screen: answer, evidence, doubts, files, cost, earlier drafts."
    ),
    "explain": Command(
        "ml_agent.cli.explain:explain",
        "Show the command-line options of a repository's scripts, without running anything.",
    ),
    "check": Command(
        "ml_agent.cli.check:check",
        "Check a command against a repository without running it; exit code 1 if it cannot work.",
    ),
    "init": Command(
        "ml_agent.cli.machine:init",
        "Write a settings file with every setting explained, and test the model's endpoint.",
    ),
    "doctor": Command("ml_agent.cli.machine:doctor", "Check this machine: what works, and how to fix the rest."),
    "models": Command(
        "ml_agent.cli.machine:models", "List models with known prices and those that the endpoint offers."
    ),
    "config": Command("ml_agent.cli.machine:config", "Show the current settings and where each one comes from."),
    "clean": Command(
        "ml_agent.cli.machine:clean",
        "Remove containers, volumes and workspaces that interrupted runs left behind.",
    ),
    "mcp": Command("ml_agent.cli.mcp:mcp", "Serve the tools to coding agents over the Model Context Protocol."),
}


class Commands(TyperGroup):
    """The top-level group: names and summaries are known without importing what they stand for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Ours in the order above, then those of other packages."""
        return [*COMMANDS, *_extensions()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command itself, None where there is none of that name."""
        return loaded(cmd_name) if cmd_name in self.list_commands(ctx) else None

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Help lists summaries: nothing is imported for it."""
        self._listing().format_help(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As usual, with a mistyped name answered by the nearest one."""
        if not self.commands:
            self.commands = dict(self._listing().commands)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Completion of a command's name imports nothing either."""
        return self._listing().shell_complete(ctx, incomplete)

    def _listing(self) -> TyperGroup:
        """The same group with commands that merely have their summaries."""
        names = self.list_commands(None)
        shown: dict[str, Any] = {
            name: TyperCommand(name=name, help=summary(name), rich_markup_mode="markdown") for name in names
        }
        group = TyperGroup(name=self.name, commands=shown, params=self.params, rich_markup_mode=self.rich_markup_mode)
        group.help = self.help
        return group


@cache
def _extensions() -> dict[str, EntryPoint]:
    return dict(entry_points(EXTENSIONS))


def summary(name: str) -> str:
    """What the list of commands says of one."""
    if name in COMMANDS:
        return COMMANDS[name].summary
    return _documentation(_extensions()[name].module)


def _documentation(module: str) -> str:
    """The first line of a module's documentation, read without running it; empty where there is none."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def loaded(name: str) -> Any:
    """The command or group itself."""
    if name in COMMANDS:
        module, _, attribute = COMMANDS[name].place.partition(":")
        target = getattr(import_module(module), attribute)
    else:
        target = _extensions()[name].load()
    command: Any
    if isinstance(target, typer.Typer):
        command = typer.main.get_group(target)
    else:
        home = typer.Typer(add_completion=False, context_settings=CONTEXT, rich_markup_mode="markdown")
        home.command(name)(target)
        command = typer.main.get_command(home)
    command.name = name
    _show_no_type_of_flags(command)
    return command


def _show_no_type_of_flags(command: Any) -> None:
    """Help shows no type of options that take no value."""
    for parameter in command.get_params(typer.Context(command, help_option_names=CONTEXT["help_option_names"])):
        if parameter.type_descriptor.annotation is bool:
            parameter.metavar = ""
    for inner in getattr(command, "commands", {}).values():
        _show_no_type_of_flags(inner)


app = typer.Typer(
    name="ml-agent",
    cls=Commands,
    help="Turn one sentence about a machine-learning task into a command that is checked, run and judged by its results.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings=CONTEXT,
    rich_markup_mode="markdown",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"ml-agent {version('ml-agent')}")
        raise typer.Exit


FIRST_STEPS = """\
ML-Agent turns one sentence about a machine-learning task into a result that was checked.

  ml-agent doctor                                   what works on this machine
  ml-agent solve "cluster 600 points into 4 groups" --catalog sample --run none    a first task; needs no key
  ml-agent init --model NAME                        keep a model's name and endpoint in a settings file, and test it
  ml-agent solve "..." --repo FOLDER                your own task
  ml-agent explain FOLDER                           the scripts of a repository and their options
  ml-agent check "COMMAND" --repo FOLDER            whether a command can work
  ml-agent --help                                   everything else
"""


@app.callback()
def options(
    ctx: typer.Context,
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print the version."),
) -> None:
    """Turn one sentence about a machine-learning task into a command that is checked, run and judged by its results."""
    if ctx.invoked_subcommand is None:
        typer.echo(FIRST_STEPS, nl=False)
        raise typer.Exit(2)
