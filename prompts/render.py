"""Prompts rendered strictly: a variable that is missing fails."""

import functools
from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from ml_agent.prompts.untrusted import PromptText, neutral

FOLDER = Path(__file__).parent


def render(phase: str, **values: object) -> Mapping[str, PromptText]:
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
    environment.filters["data"] = neutral
    return environment


def _clean(text: str) -> PromptText:
    """What a template came to; its words are ours, and its variables went through `neutral` or are the user's."""
    return PromptText("\n".join(line.rstrip() for line in text.strip().splitlines()))
