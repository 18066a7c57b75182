"""Console scripts: the commands that installing the repository would put on the path."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tools.reading import IndexWalk
from tools.signatures.interpreter import Factory, Interpreter
from tools.signatures.model import Signature
from tools.signatures.read import SignatureReader
from tools.signatures.setup_files import config_lines, dig, read_project
from tools.signatures.sources import Sources
from tools.signatures.values import UNKNOWN, Arguments, Value

ENTRY = re.compile(r"^\s*([\w.-]+)\s*=\s*([\w.]+)\s*(?::\s*([\w.]+))?")


def read_console(reader: SignatureReader, reading: IndexWalk | None = None) -> tuple[Signature, ...]:
    """The signatures of all console scripts that setup.py, setup.cfg and pyproject.toml declare; never raises.

    Args:
        reader: of the repository.
        reading: in whose time they are read.
    """
    reading = reading or IndexWalk("signatures")
    programs = ConsolePrograms(reader, reading)
    return tuple(signature for name in reading.each(programs) for signature in programs[name])


class ConsolePrograms(Mapping[str, tuple[Signature, ...]]):
    """The signatures of console scripts by name; a program is followed when it is asked for.

    Args:
        reader: of the repository.
        reading: in whose time the declarations are read.
    """

    def __init__(self, reader: SignatureReader, reading: IndexWalk | None = None) -> None:
        self._reader = reader
        self._scripts = {script.name: script for script in console_scripts(reader.sources, reading)}
        self._followed: dict[str, tuple[Signature, ...]] = {}

    def __getitem__(self, name: str) -> tuple[Signature, ...]:
        """The signatures of one program."""
        if name not in self._followed:
            self._followed[name] = _signatures(self._reader, self._scripts[name])
        return self._followed[name]

    def __contains__(self, name: object) -> bool:
        return name in self._scripts

    def __iter__(self) -> Iterator[str]:
        return iter(self._scripts)

    def __len__(self) -> int:
        return len(self._scripts)


def _signatures(reader: SignatureReader, script: "ConsoleScript") -> tuple[Signature, ...]:
    if script.function:
        return reader.function(script.path, script.module, script.function, script.name)
    return reader.installed(script.path, script.name)


class ConsoleScript(NamedTuple):
    """A command that installing the repository puts on the path."""

    name: str
    path: str
    """The file of its function, or the script itself."""
    module: str
    function: str
    """"" for a script that is put there as it is."""


def console_scripts(sources: Sources, reading: IndexWalk | None = None) -> tuple[ConsoleScript, ...]:
    """All console scripts that setup.py, setup.cfg and pyproject.toml declare and whose file is there; never raises."""
    found: dict[str, ConsoleScript] = {}
    for folder in (reading or IndexWalk("signatures")).each(sorted(sources.setup_folders())):
        prefix = "" if folder == "." else folder + "/"
        given, folders = _setup_py(sources, prefix), sources.package_folders(folder)
        for name, module, function in _entries(sources, prefix, given.lines):
            path = _module_path(sources, prefix, module, folders)
            if path is not None:
                found.setdefault(name, ConsoleScript(name, path, module, function))
        for script in (*given.scripts, *_script_files(sources, prefix)):
            path, name = posixpath.normpath(prefix + script), posixpath.basename(script)
            if sources.exists(path):
                found.setdefault(name, ConsoleScript(name, path, "", ""))
    return tuple(found.values())


def declared_names(sources: Sources) -> frozenset[str]:
    """The names of all console scripts that are declared, also of those whose file is not there; never raises."""
    prefixes = ["" if folder == "." else folder + "/" for folder in sorted(sources.setup_folders())]
    return frozenset(
        name for prefix in prefixes for name, _, _ in _entries(sources, prefix, _setup_py(sources, prefix).lines)
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


def _entries(sources: Sources, prefix: str, declared: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """(name, module, function) of every declaration below one folder, those of setup.py given."""
    for line in (*_pyproject(sources, prefix), *_setup_cfg(sources, prefix), *declared):
        match = ENTRY.match(line)
        if match is not None:
            yield match.group(1), match.group(2), match.group(3) or "main"


_GROUPS = ("console_scripts", "gui_scripts")


def _project(sources: Sources, prefix: str) -> Mapping[str, Any]:
    return read_project(sources.text(f"{prefix}pyproject.toml") or "")


def _pyproject(sources: Sources, prefix: str) -> list[str]:
    data = _project(sources, prefix)
    tables = (
        dig(data, "project", "scripts"),
        dig(data, "project", "gui-scripts"),
        *(dig(data, "project", "entry-points", group) for group in _GROUPS),
        dig(data, "tool", "poetry", "scripts"),
        dig(data, "tool", "flit", "scripts"),
    )
    return [f"{name} = {_reference(target)}" for table in tables for name, target in table.items()]


def _reference(target: Any) -> str:
    """`module:function`, also where a table says it."""
    if isinstance(target, dict):
        target = target.get("callable") or (target.get("reference") if target.get("type") != "file" else None)
    return target if isinstance(target, str) else ""


def _script_files(sources: Sources, prefix: str) -> list[str]:
    files = dig(_project(sources, prefix), "tool", "setuptools").get("script-files")
    return [file for file in files if isinstance(file, str)] if isinstance(files, list) else []


def _setup_cfg(sources: Sources, prefix: str) -> list[str]:
    text = sources.text(f"{prefix}setup.cfg") or ""
    return [line for group in _GROUPS for line in config_lines(text, "options.entry_points", group)]


class _Setup(NamedTuple):
    """What setup.py tells setup()."""

    lines: tuple[str, ...] = ()
    """Declarations of console scripts."""
    scripts: tuple[str, ...] = ()
    """Files that become commands as they are."""


_DECLARES = re.compile(r"console_scripts|gui_scripts|\bscripts\s*=|[\"']scripts[\"']")


def _setup_py(sources: Sources, prefix: str) -> _Setup:
    path = f"{prefix}setup.py"
    if not _DECLARES.search(sources.text(path) or ""):
        return _Setup()
    seen: list[Mapping[str, Value]] = []

    def setup(run: Interpreter, name: str, arguments: Arguments) -> Value:
        seen.append(arguments.named)
        return UNKNOWN

    factories: dict[str, Factory] = {"setuptools.setup": setup, "distutils.core.setup": setup, "skbuild.setup": setup}
    Interpreter(sources, path, factories).run_script()
    return _Setup(
        lines=tuple(line for named in seen for line in _console_lines(named.get("entry_points"))),
        scripts=tuple(file for named in seen for file in _texts(named.get("scripts"))),
    )


def _console_lines(given: Value) -> list[str]:
    if isinstance(given, str):
        sections = re.finditer(r"\[\s*(\w+)\s*\](.*?)(?=^\s*\[|\Z)", given, re.DOTALL | re.MULTILINE)
        return [line for section in sections if section[1] in _GROUPS for line in section[2].splitlines()]
    return [line for group in _GROUPS for line in _texts(given.get(group))] if isinstance(given, dict) else []


def _texts(given: Value) -> list[str]:
    """Texts of a list, or the lines of a text."""
    if isinstance(given, str):
        return given.splitlines()
    return [text for text in given if isinstance(text, str)] if isinstance(given, (list, tuple)) else []
