"""Entry points that the setup files of a repository declare: setup.py, setup.cfg and pyproject.toml."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ml_agent.tools.signatures.setup_files import config_lines, dig, read_project, setup_arguments
from ml_agent.tools.signatures.sources import Sources

ENTRY = re.compile(r"^\s*([\w.-]+)\s*=\s*([\w.]+)\s*(?::\s*([\w.]+))?")
COMMANDS = ("console_scripts", "gui_scripts")
"""The groups that become commands."""


def read_entries(sources: Sources, prefix: str, declared: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """(name, module, function) of every command below one folder, those of setup.py given."""
    config = sources.text(f"{prefix}setup.cfg") or ""
    of_config = (line for group in COMMANDS for line in config_lines(config, "options.entry_points", group))
    for line in (*_pyproject(sources, prefix), *of_config, *declared):
        match = ENTRY.match(line)
        if match is not None:
            yield match.group(1), match.group(2), match.group(3) or "main"


def declared_commands(root: Path, prefix: str = "") -> dict[str, tuple[str, str]]:
    """The commands that the package of a folder declares, with the module and function that each calls."""
    sources = Sources(root)
    given = read_setup(sources, prefix)
    return {name: (module, function) for name, module, function in read_entries(sources, prefix, given.lines)}


def _project(sources: Sources, prefix: str) -> Mapping[str, Any]:
    return read_project(sources.text(f"{prefix}pyproject.toml") or "")


def _pyproject(sources: Sources, prefix: str) -> list[str]:
    data = _project(sources, prefix)
    tables = [dig(data, "project", "scripts"), dig(data, "project", "gui-scripts")]
    tables += [dig(data, "tool", tool, "scripts") for tool in ("poetry", "flit")]
    return [f"{name} = {_reference(target)}" for table in tables for name, target in table.items()]


def _reference(target: Any) -> str:
    """`module:function`, also where a table says it."""
    if isinstance(target, dict):
        target = target.get("callable") or (target.get("reference") if target.get("type") != "file" else None)
    return target if isinstance(target, str) else ""


def script_files(sources: Sources, prefix: str) -> list[str]:
    """The files that pyproject.toml declares as commands."""
    files = dig(_project(sources, prefix), "tool", "setuptools").get("script-files")
    return [file for file in files if isinstance(file, str)] if isinstance(files, list) else []


class Setup(NamedTuple):
    """What setup.py tells setup()."""

    lines: tuple[str, ...] = ()
    """Declarations of entry points."""
    scripts: tuple[str, ...] = ()
    """Files that become commands as they are."""


_DECLARES = re.compile(r"console_scripts|gui_scripts|\bscripts\s*=|[\"']scripts[\"']")


def read_setup(sources: Sources, prefix: str) -> Setup:
    """What setup.py of a folder declares of commands, and the files that become commands."""
    text = sources.text(f"{prefix}setup.py") or ""
    if not _DECLARES.search(text):
        return Setup()
    given = setup_arguments(text)
    return Setup(tuple(_lines_of(given.get("entry_points"))), tuple(_texts(given.get("scripts"))))


def _lines_of(given: Any) -> list[str]:
    if isinstance(given, str):
        return list(_lines_of_text(given))
    return [line for group in COMMANDS for line in _texts(given.get(group))] if isinstance(given, dict) else []


def _lines_of_text(text: str) -> Iterator[str]:
    """The lines below `[group]`, as an ini file has them."""
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = line.strip("[] \t")
        elif section in COMMANDS:
            yield line


def _texts(given: Any) -> list[str]:
    """Texts of a list, or the lines of a text."""
    if isinstance(given, str):
        return given.splitlines()
    return [text for text in given if isinstance(text, str)] if isinstance(given, (list, tuple)) else []
