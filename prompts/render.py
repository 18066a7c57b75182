"""Prompts rendered strictly: a variable that is missing fails."""

import functools
import re
from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

FOLDER = Path(__file__).parent


def render(phase: str, **values: object) -> Mapping[str, str]:
    """Every block of a phase's prompt by name, in the file's order; `system` and `question` are always among them.

    Raises jinja2.UndefinedError where a value is missing, jinja2.TemplateNotFound for an unknown phase.
    """
    template = _template(phase)
    context = template.new_context(dict(values))
    return {name: _clean("".join(block(context))) for name, block in template.blocks.items()}


def phases() -> tuple[str, ...]:
    """The phases that have a prompt."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.j2")))


@functools.cache
def _template(phase: str) -> Template:
    return _environment().get_template(f"{phase}.j2")


@functools.cache
def _environment() -> Environment:
    # Prompts are plain text for a model; nothing in them is HTML.
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["data"] = _data
    return environment


def _data(text: str) -> str:
    """Text of a repository, unable to end the frame that marks it as data."""
    return re.sub(r"<(/?file)\b", r"&lt;\1", str(text), flags=re.IGNORECASE)


def _clean(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
