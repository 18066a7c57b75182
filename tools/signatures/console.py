"""Console scripts: the commands that installing the repository would put on the path."""

import posixpath
from collections.abc import Mapping
from typing import NamedTuple

from ml_agent.tools.own_cache import OnDemand
from ml_agent.tools.signatures.declared import read_entries, read_setup, script_files
from ml_agent.tools.signatures.model import Signature
from ml_agent.tools.signatures.read import SignatureReader
from ml_agent.tools.signatures.sources import Sources


def read_console(reader: SignatureReader) -> tuple[Signature, ...]:
    """The signatures of all console scripts that setup.py, setup.cfg and pyproject.toml declare; never raises."""
    return tuple(signature for several in console_programs(reader).values() for signature in several)


def console_programs(reader: SignatureReader) -> Mapping[str, tuple[Signature, ...]]:
    """The signatures of a repository's console scripts by name; a program is followed when it is asked for."""
    scripts = {script.name: script for script in console_scripts(reader.sources)}

    def follow(name: str) -> tuple[Signature, ...]:
        _, path, module, function = scripts[name]
        return reader.function(path, module, function, name) if function else reader.installed(path, name)

    return OnDemand(scripts, follow)


class ConsoleScript(NamedTuple):
    """A command that installing the repository puts on the path."""

    name: str
    path: str
    """The file of its function, or the script itself."""
    module: str
    function: str
    """"" for a script that is put there as it is."""


def console_scripts(sources: Sources) -> tuple[ConsoleScript, ...]:
    """All console scripts that setup.py, setup.cfg and pyproject.toml declare and whose file is there; never raises."""
    found: dict[str, ConsoleScript] = {}
    for folder in sorted(sources.setup_folders()):
        prefix = "" if folder == "." else folder + "/"
        given, folders = read_setup(sources, prefix), sources.package_folders(folder)
        for name, module, function in read_entries(sources, prefix, given.lines):
            path = _module_path(sources, prefix, module, folders)
            if path is not None:
                found.setdefault(name, ConsoleScript(name, path, module, function))
        for script in (*given.scripts, *script_files(sources, prefix)):
            path, name = posixpath.normpath(prefix + script), posixpath.basename(script)
            if sources.exists(path):
                found.setdefault(name, ConsoleScript(name, path, "", ""))
    return tuple(found.values())


def declared_names(sources: Sources) -> frozenset[str]:
    """The names of all console scripts that are declared, also of those whose file is not there; never raises."""
    prefixes = ["" if folder == "." else folder + "/" for folder in sorted(sources.setup_folders())]
    return frozenset(
        name for prefix in prefixes for name, _, _ in read_entries(sources, prefix, read_setup(sources, prefix).lines)
    )


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
