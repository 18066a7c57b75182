"""`ml-agent init`: a settings file with every setting explained, and a test of the model's endpoint."""

import ast
import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from pydantic import SecretStr

from ml_agent.errors import ConfigurationError, UsageError
from ml_agent.settings import Settings, load_settings, user_file
from ml_agent.terminal import write_out

_HEAD = """# Settings of ML-Agent. Command-line options and environment variables take precedence over this file.
# Remove the # in front of a line to set it. `ml-agent config show` prints the current values.
"""
_ONLY_YOU = 0o600
"""The file may hold a key."""


def init(
    model: Annotated[
        str | None, typer.Option(help="Name of the model for the settings file; it is tested with one request.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="Address of its endpoint (OPENAI_BASE_URL).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a settings file that exists.")] = False,
) -> int:
    """Write a settings file with every setting explained, and test the model's endpoint.

    Exit code 3 if a model is configured and does not answer; the file is written all the same.
    """
    path = user_file()
    if path.exists() and not force:
        raise UsageError(f"{path} exists: edit it, or replace it with --force")
    settings = load_settings(model=model, base_url=base_url)
    if settings.model and not settings.has_endpoint:
        raise UsageError(f"model {settings.model} needs an endpoint: set OPENAI_API_KEY, or give --base-url URL")
    _write(path, settings)
    write_out(f"Wrote {path}. Keys can be set there (api_key), or as OPENAI_API_KEY.\n")
    if not settings.thinks_with_model:
        write_out("No model is configured: add --model NAME, and --base-url URL if it is not OpenAI's.\n")
        return 0
    from ml_agent.doctor import examine_model

    row = examine_model(settings)
    if not row.ok:
        raise ConfigurationError(f"model {row.found}: {row.advice}")
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
