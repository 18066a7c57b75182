"""`ml-agent doctor`, `models` and `config`: what this machine, its endpoint and its settings offer."""

import json
from typing import Annotated

import msgspec
import typer
from rich.text import Text

from ml_agent.cli.tables import draw_table
from ml_agent.settings import load_settings
from ml_agent.terminal import write_error, write_out

config = typer.Typer(help="Show the current settings and where each one comes from.", no_args_is_help=True)


@config.callback()
def _group() -> None:
    """Show the current settings and where each one comes from."""


@config.command("show")
def show_config(as_json: Annotated[bool, typer.Option("--json", help="Print the settings as JSON.")] = False) -> int:
    """Print every setting with its value and its origin; keys are never printed."""
    from ml_agent.origins import origins

    found = origins(load_settings())
    if as_json:
        write_out(json.dumps(msgspec.to_builtins(found), indent=2) + "\n")
        return 0
    draw_table(("setting", "value", "from"), [[one.name, one.value, one.origin] for one in found])
    return 0


def doctor(
    model: Annotated[str | None, typer.Option(help="Also send this model a one-token request.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> int:
    """Check this machine: what works, and how to fix the rest.

    Exit code 1 where something is missing without which nothing works, or where the model that was named does not answer.
    """
    from ml_agent.doctor import examine_machine

    examined = examine_machine(load_settings(model=model))
    if as_json:
        write_out(json.dumps(msgspec.to_builtins(examined), indent=2) + "\n")
    else:
        states = [Text("ok", style="green") if row.ok else Text("missing", style="yellow") for row in examined]
        rows: list[list[str | Text]] = [
            [row.what, state, row.found, row.tip if row.ok else row.advice]
            for row, state in zip(examined, states, strict=True)
        ]
        draw_table(("what", "state", "found", "how to fix it"), rows)
        missing = [row for row in sorted(examined, key=lambda row: not row.needed) if not row.ok and row.advice]
        first = f"{missing[0].what}: {missing[0].advice}" if missing else 'ml-agent solve "..." --repo FOLDER'
        write_out(f"Next: {first}\n")
    return int(any(not row.ok and (row.needed or (row.what == "model" and model is not None)) for row in examined))


def models(
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> int:
    """List models with known prices and those that the endpoint offers.

    A price file of your own (setting `prices`) is laid over the shipped table. Any other model works too: its price is then unknown.
    """
    from ml_agent.doctor import offered_models
    from ml_agent.model.budget import load_prices

    settings = load_settings()
    prices = load_prices(settings.prices)
    offered, problem = offered_models(settings)
    if problem:
        write_error(problem)
    names = sorted({*prices.names, *offered})
    rows = [{"model": name, "offered": name in offered, "price": prices.find(name)} for name in names]
    if as_json:
        write_out(json.dumps(msgspec.to_builtins(rows), indent=2) + "\n")
        return 0
    drawn = []
    for name in names:
        price = prices.find(name)
        costs = (
            [f"{cost:g}" if cost is not None else "" for cost in (price.input, price.cached, price.output)]
            if price
            else ["?", "", "?"]
        )
        drawn.append([name, "yes" if name in offered else "", *costs])
    draw_table(("model", "at the endpoint", "USD per million tokens: input", "cached", "output"), drawn)
    return 0
