"""`ml-agent doctor`, `models` and `config`: what this machine, its endpoint and its settings offer."""

import ast
import inspect
import json
import os
import tomllib
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from pydantic import AliasChoices, SecretStr
from rich.text import Text

from ml_agent.cli.tables import draw_table
from ml_agent.errors import ConfigurationError, UsageError
from ml_agent.folder_settings import FILE
from ml_agent.key_mask import shown_address
from ml_agent.keys import held
from ml_agent.settings import Settings, load_settings, taken_from_folder, user_file
from ml_agent.terminal import write_error, write_out

config = typer.Typer(help="Show the current settings and where each one comes from.", no_args_is_help=True)


@config.callback()
def _group() -> None:
    """Show the current settings and where each one comes from."""


@config.command("show")
def show_config(as_json: Annotated[bool, typer.Option("--json", help="Print the settings as JSON.")] = False) -> int:
    """Print every setting with its value and its origin; keys are never printed."""
    from ml_agent.cli.machine import origins

    found = origins(load_settings())
    if as_json:
        write_out(json.dumps(msgspec.to_builtins(found), indent=2) + "\n")
        return 0
    draw_table(("setting", "value", "from"), [[one.name, one.value, one.origin] for one in found])
    return 0


def doctor(
    model: Annotated[
        str | None, typer.Option(help="Name of a model that is tested with a request of one token.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results of the checks as JSON.")] = False,
) -> int:
    """Check this machine: what works, and how to fix the rest.

    Exit code 1 if something essential is missing (Python, git, a cache folder), or if the model that you named does not answer.
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
        first = (
            f"set up what is missing ({missing[0].what}): {missing[0].advice}"
            if missing
            else 'ml-agent solve "..." --repo FOLDER'
        )
        write_out(f"Next: {first}\n")
    return int(any(not row.ok and (row.needed or (row.what == "model" and model is not None)) for row in examined))


def models(
    as_json: Annotated[bool, typer.Option("--json", help="Print the models and prices as JSON.")] = False,
) -> int:
    """List models with known prices and those that the endpoint offers.

    The setting `prices` names a file with prices of your own. Models that are not listed work too, but their price is unknown.
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


_ADDRESSES = frozenset({"base_url", "github_api", "github_web"})


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """One setting in force."""

    name: str
    value: str
    """As text; a key only as whether there is one."""
    origin: str
    """The environment variable, the file, or "default"."""


def origins(settings: Settings) -> list[Origin]:
    """Every setting with its value and where that came from.

    Args:
        settings: as they hold in this folder, without flags.
    """
    own, folder = set(_read_file(user_file())), set(taken_from_folder(settings))
    return [
        Origin(name=name, value=_printable(name, getattr(settings, name)), origin=_origin(name, own, folder))
        for name in Settings.model_fields
    ]


def _origin(name: str, own: Set[str], folder: Set[str]) -> str:
    said = _environment()
    if variable := next((said[one] for one in variables(name) if one in said), None):
        return variable
    if name in folder:
        return f"{FILE} of this folder"
    return str(user_file()) if own & {name, *variables(name)} else "default"


def _environment() -> dict[str, str]:
    """The variables that there are, each as it is spelled; letters may be of either case, but for keys."""
    return {name.upper(): name for name in os.environ} | {name: name for name in held()}


def variables(name: str) -> tuple[str, ...]:
    """The environment variables that set a setting, the strongest first."""
    alias = Settings.model_fields[name].validation_alias
    named = [choice for choice in alias.choices if isinstance(choice, str)] if isinstance(alias, AliasChoices) else []
    return tuple(dict.fromkeys([*named, f"ML_AGENT_{name.upper()}"]))


def _printable(name: str, value: Any) -> str:
    if isinstance(value, SecretStr):
        return "set" if value.get_secret_value() else "not set"
    text = "" if value is None else str(value)
    return shown_address(text) if name in _ADDRESSES else text


def _read_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    return tomllib.loads(path.read_text(encoding="utf-8"))


# `ml-agent clean`: what dead runs left.


def clean(
    images: Annotated[
        bool, typer.Option("--images", help="Also remove the Docker images of prepared environments.")
    ] = False,
) -> int:
    """Remove containers, volumes and workspaces that interrupted runs left behind."""
    from ml_agent.sandbox.cleanup import clean as clean_sandboxes

    removed = clean_sandboxes(images=images)
    write_error(f"removed: {removed}")
    return 0


# `ml-agent init`: a settings file with every setting explained, and a test of the model's endpoint.

_HEAD = """# Settings of ML-Agent. Command-line options and environment variables take precedence over this file.
# Remove the # in front of a line to set it. `ml-agent config show` prints the current values.
"""
_ONLY_YOU = 0o600
"""The file may hold a key."""


def init(
    model: Annotated[
        str | None, typer.Option(help="Name of the model for the settings file; it is tested with one request.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="Address of the model's endpoint (OPENAI_BASE_URL).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the settings file if there is one.")] = False,
) -> int:
    """Write a settings file with every setting explained, and test the model's endpoint.

    Exit code 3 if a model is configured and does not answer; the file is written all the same.
    """
    path = user_file()
    if path.exists() and not force:
        raise UsageError(f"the settings file {path} exists: edit it, or replace it with --force")
    settings = load_settings(model=model, base_url=base_url)
    if settings.model and not settings.has_endpoint:
        raise UsageError(f"the model {settings.model} needs an endpoint: set OPENAI_API_KEY, or give --base-url URL")
    _write(path, settings)
    write_out(f"Wrote {path}. Keys can be set there (api_key), or as OPENAI_API_KEY.\n")
    if not settings.thinks_with_model:
        write_out("No model is configured: add --model NAME, and --base-url URL if it is not OpenAI's.\n")
        return 0
    from ml_agent.doctor import examine_model

    row = examine_model(settings)
    if not row.ok:
        raise ConfigurationError(f"the model {row.found} does not answer: {row.advice}")
    write_out(f"Model {row.found} answers.\n")
    return 0


def _write(path: Path, settings: Settings) -> None:
    from ml_agent.files import write_atomically

    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, _HEAD + "".join(_lines(settings)), _ONLY_YOU)


def _lines(settings: Settings) -> Iterator[str]:
    """Each setting under what it means; model and endpoint are set where they are known, all others are comments."""
    for name, meaning in documented().items():
        value = getattr(settings, name) if name in ("model", "base_url") else Settings.model_fields[name].get_default()
        kept = value if isinstance(value, bool | int | float) else str(value or "")
        text = "" if isinstance(value, SecretStr) else kept
        mark = "" if name in ("model", "base_url") and text else "# "
        line = f"{name} = {json.dumps(text)}" if value is not None else f"{name} ="
        yield f"\n# {' '.join(meaning.split())}\n{mark}{line}\n"


def documented() -> dict[str, str]:
    """The settings, each with what stands under it in the class."""
    (settings,) = (node for node in ast.parse(inspect.getsource(Settings)).body if isinstance(node, ast.ClassDef))
    found = {}
    for field, after in zip(settings.body, settings.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            said = after.value if isinstance(after, ast.Expr) else None
            found[field.target.id] = str(said.value) if isinstance(said, ast.Constant) else ""
    return found
