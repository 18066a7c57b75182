"""Console scripts: the commands that installing the repository puts on the path, as setup.py, setup.cfg and pyproject.toml declare them."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ml_agent.tools.own_cache import OnDemand
from ml_agent.tools.signatures.model import Signature
from ml_agent.tools.signatures.setup_files import config_lines, dig, read_project, setup_arguments
from ml_agent.tools.signatures.sources import SETUP_FILES, Sources

if TYPE_CHECKING:
    from ml_agent.tools.signatures.read import SignatureReader

ENTRY = re.compile(r"^\s*([\w.-]+)\s*=\s*([\w.]+)\s*(?::\s*([\w.]+))?")
COMMANDS = ("console_scripts", "gui_scripts")
"""The groups of entry points that become commands."""


class ConsoleScript(NamedTuple):
    """A command that installing the repository puts on the path."""

    name: str
    path: str
    """The file of its function, or the script itself."""
    module: str
    function: str
    """"" for a script that is put there as it is."""


class _Declared(NamedTuple):
    """What the setup files of one folder declare."""

    commands: list[tuple[str, str, str]]
    """Name, module and function of each."""
    files: list[str]
    """Scripts that become commands as they are."""


def console_programs(reader: "SignatureReader") -> Mapping[str, tuple[Signature, ...]]:
    """The signatures of a repository's console scripts by name; a program is followed when it is asked for."""
    scripts = {script.name: script for script in console_scripts(reader.sources)}

    def follow(name: str) -> tuple[Signature, ...]:
        _, path, module, function = scripts[name]
        return reader.function(path, module, function, name) if function else reader.installed(path, name)

    return OnDemand(scripts, follow)


def console_scripts(sources: Sources) -> tuple[ConsoleScript, ...]:
    """All console scripts that are declared and whose file is there; never raises."""
    found: dict[str, ConsoleScript] = {}
    for folder, prefix in _setup_folders(sources):
        commands, files = _declared(sources, prefix)
        for name, module, function in commands:
            path = _module_path(sources, prefix, module, sources.package_folders(folder))
            if path is not None:
                found.setdefault(name, ConsoleScript(name, path, module, function))
        for script in files:
            path, name = posixpath.normpath(prefix + script), posixpath.basename(script)
            if sources.exists(path):
                found.setdefault(name, ConsoleScript(name, path, "", ""))
    return tuple(found.values())


def declared_names(sources: Sources) -> frozenset[str]:
    """The names of all console scripts that are declared, also of those whose file is not there; never raises."""
    return frozenset(
        name for _, prefix in _setup_folders(sources) for name, _, _ in _declared(sources, prefix).commands
    )


def declared_commands(root: Path, prefix: str = "") -> dict[str, tuple[str, str]]:
    """The commands that the package of a folder declares, with the module and function that each calls."""
    return {name: (module, function) for name, module, function in _declared(Sources(root), prefix).commands}


def _setup_folders(sources: Sources) -> Iterator[tuple[str, str]]:
    """The folders with a setup file, each with what stands before the paths in it."""
    for folder in sorted(sources.setup_folders()):
        yield folder, "" if folder == "." else folder + "/"


def _declared(sources: Sources, prefix: str) -> _Declared:
    setup, config, project = (sources.text(prefix + name) or "" for name in SETUP_FILES)
    given, data = setup_arguments(setup) if "scripts" in setup else {}, read_project(project)
    tables = [dig(data, "project", "scripts"), dig(data, "project", "gui-scripts")]
    tables += [dig(data, "tool", tool, "scripts") for tool in ("poetry", "flit")]
    lines = [f"{name} = {_reference(target)}" for table in tables for name, target in table.items()]
    lines += [line for group in COMMANDS for line in config_lines(config, "options.entry_points", group)]
    matches = [match for line in (*lines, *_lines_of(given.get("entry_points"))) if (match := ENTRY.match(line))]
    files = [*_texts(given.get("scripts")), *_texts(dig(data, "tool", "setuptools").get("script-files"))]
    return _Declared([(match[1], match[2], match[3] or "main") for match in matches], files)


def _reference(target: Any) -> str:
    """`module:function`, also where a table says it."""
    if isinstance(target, dict):
        target = target.get("callable") or (target.get("reference") if target.get("type") != "file" else None)
    return target if isinstance(target, str) else ""


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


def _module_path(sources: Sources, prefix: str, module: str, folders: Mapping[str, str]) -> str | None:
    """The file of a module: where `package_dir` puts its package, or where packages usually lie."""
    places = [
        _place_module(module, folders),
        *(f"{base}{module.replace('.', '/')}" for base in ("", "src/", "lib/", "python/")),
    ]
    for place in places:
        for path in (f"{prefix}{place}.py", f"{prefix}{place}/__init__.py"):
            if sources.exists(path):
                return path
    return None


def _place_module(module: str, folders: Mapping[str, str]) -> str:
    """The path of a module without its suffix by the most special entry of `package_dir`."""
    package, rest = module, ""
    while package not in folders and package:
        package, _, last = package.rpartition(".")
        rest = f"{last}/{rest}" if rest else last
    return posixpath.normpath(posixpath.join(folders.get(package, "."), rest))
