"""Write commands, options, settings and known libraries into docs/reference.md.   reference.py [--check]: exit 1 when the page is stale."""

import re
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from page_region import write_or_check

from ml_agent.cli.app import COMMANDS, loaded
from ml_agent.cli.machine import documented
from ml_agent.settings import Settings
from ml_agent.tools.signatures.known_classes import known_classes

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference.md"
REGION = re.compile(r"(<!-- generated:.*?-->\n).*?(<!-- /generated -->)", re.DOTALL)
GROUPS = ("bench",)


def leaves(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """A command with its whole name, or all of a group that are shown."""
    inner = getattr(command, "commands", {})
    if not inner and not command.hidden:
        yield name, command
    for part, one in inner.items():
        yield from leaves(f"{name} {part}", one)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _shown(parameter: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    return names if parameter.param_type_name == "option" else f"`{str(parameter.name).upper()}`"


def _value(parameter: Any) -> str:
    """What it takes: nothing, one of a few words, or a value of a type."""
    told = parameter.type_descriptor.annotation
    words = get_args(told) if get_origin(told) is Literal else ()
    if words:
        return ", ".join(f"`{one}`" for one in words)
    kinds = [one for one in get_args(told) if one is not type(None)] or [told]
    return "" if kinds == [bool] else {"str": "text", "Path": "path"}.get(kinds[0].__name__, kinds[0].__name__)


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    given = parameter.default
    return "" if given in (None, "", False) or callable(given) or given == [] else f"`{_cell(str(given))}`"


def _of_command(name: str, command: Any) -> Iterator[str]:
    yield f"### ml-agent {name}\n"
    yield (command.help or "").partition("\n")[0] + "\n"
    parameters = [one for one in command.params if not getattr(one, "hidden", False) and "--help" not in one.opts]
    if not parameters:
        return
    yield "| option | value | default | meaning |\n|---|---|---|---|"
    for one in parameters:
        yield f"| {_shown(one)} | {_value(one)} | {_default(one)} | {_cell(getattr(one, 'help', '') or '')} |"
    yield ""


def _of_settings() -> Iterator[str]:
    yield "## Settings\n"
    yield "Each can be set as `ML_AGENT_NAME` in the environment or as `name = value` in `ml-agent.toml`.\n"
    yield "| setting | default | meaning |\n|---|---|---|"
    for name, said in documented().items():
        field = Settings.model_fields[name]
        given = field.default
        default = "" if field.is_required() or given is None or "Secret" in type(given).__name__ else str(given)
        yield f"| `{name}` | {_cell('user cache folder' if field.default_factory else default)} | {_cell(said)} |"


def _of_libraries() -> Iterator[str]:
    yield "\n## Known libraries\n"
    yield (
        "Some scripts take options from a class or launcher of a library, such as `transformers.TrainingArguments`. `explain` and `check` "
        "know the options of these, in the versions below. If only some versions have an option, its help text says so.\n"
    )
    yield "| library | classes and launchers | versions |\n|---|---|---|"
    for package, found in groupby(known_classes(), key=lambda one: one.package):
        classes = list(found)
        versions = dict.fromkeys(version for one in classes for version in one.versions)
        names = ", ".join(f"`{one.name}`" for one in classes)
        yield f"| `{package}` | {names} | {', '.join(versions)} |"


def renewed(page: str) -> str:
    """The page with the commands, settings and known libraries as they are now."""
    lines = ["## Commands\n"]
    for group in (*COMMANDS, *GROUPS):
        for name, command in leaves(group, loaded(group)):
            lines += _of_command(name, command)
    text = "\n".join([*lines, *_of_settings(), *_of_libraries()]) + "\n"
    return REGION.sub(lambda match: match[1] + text + match[2], page)


if __name__ == "__main__":
    sys.exit(write_or_check(renewed, PAGE))
