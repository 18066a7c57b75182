"""What a task imports, and whether that can be imported: asked in the sandbox before the task runs."""

import json
import os
import re
import shlex
from pathlib import Path

import msgspec

from ml_agent.sandbox.contract import Response
from ml_agent.sandbox.setup.builder import answers
from ml_agent.sandbox.setup.declared import nearest_project
from ml_agent.sandbox.setup.imports import scan_imports
from ml_agent.sandbox.task import Source, Task
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.entries import entries_of
from ml_agent.tools.foreign_files import is_dir, is_file
from ml_agent.tools.signatures.console import declared_commands

_SCRIPT = Path(__file__).with_name("inside") / "import_check.py"
MOST_FAILURES = 20
_HERE = re.compile(r"<<-?[ \t]*['\"]?(\w+)['\"]?[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_ASIDE = re.compile(r"tests?|docs?|examples?|benchmarks|scripts|notebooks|build|dist")


class Needs(msgspec.Struct, frozen=True, kw_only=True):
    """What a task needs of an environment."""

    modules: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Modules that are imported at its start, of the repository and of others, each with the names that are taken from it."""
    third_party: tuple[str, ...] = ()
    """Modules from outside the repository, dotted where that is known."""
    folder: str = "."
    """Where it runs, relative to the root."""
    places: tuple[str, ...] = ()
    """Folders of the repository that come first on Python's path."""
    paths: tuple[str, ...] = ()
    """Folders of the repository that must be on Python's path and are not by themselves."""
    near: Path = Path()
    """The folder of its script, on the host."""


class ImportFailure(msgspec.Struct, frozen=True, kw_only=True):
    """An import that fails."""

    module: str
    error: str
    message: str
    traceback: str = ""

    @property
    def said(self) -> str:
        """One line of it."""
        return f"import {self.module}: {self.error}: {self.message.splitlines()[0][:200] if self.message else ''}"


def needs_of(source: Source, task: Task) -> Needs:
    """What a task imports, read from its scripts, its code, or the commands of the repository that it calls."""
    root = source.root.resolve()
    folder = (root / task.folder).resolve()
    entries = [root / task.entry] if task.entry and is_file(root / task.entry) else []
    entries = list(dict.fromkeys([*entries, *entries_of(task.text, root, task.folder)]))
    codes = [task.code, *codes_of(task.text)]
    found = scan_imports(root, entries, folder, codes)
    near = entries[0].parent if entries else folder
    called = _called_modules(task.text, root, nearest_project(root, near))
    modules = [*found.taken, *((name, ()) for name in called)]
    if not entries and not task.code and not called:
        modules += [(name, ()) for name in own_packages(root)]
    users = {word.split("/")[0].removesuffix(".py") for word in task.named if not word.startswith(("/", "."))}
    modules = [one for one in modules if one[0].partition(".")[0] not in users]  # lies beside the user's sentence
    places = [entry.parent.relative_to(root).as_posix() for entry in entries if entry.name != "__main__.py"]
    return Needs(
        modules=tuple(dict.fromkeys(modules)),
        third_party=tuple(
            one for one in dict.fromkeys((*found.dotted, *found.later)) if one.split(".")[0] not in users
        ),
        folder=task.folder,
        places=tuple(dict.fromkeys(places)),
        paths=found.paths,
        near=near if near.is_relative_to(root) else root,
    )


def codes_of(text: str) -> list[str]:
    """Python code in a command: behind -c, and here-documents."""
    said = [call.name for call in parse_command(text).invocations if call.target == "code"]
    return [*said, *(found[1] for found in _HERE.findall(text))]


def own_packages(root: Path) -> list[str]:
    """The importable packages at the root of a repository, or below its src."""
    for place in (root, root / "src", root / "lib", root / "python"):
        if is_dir(place):
            names = sorted(path.name for path in place.iterdir() if is_file(path / "__init__.py"))
            if found := [name for name in names if name.isidentifier() and not _ASIDE.fullmatch(name.lower())]:
                return found[:3]
    return []


def _called_modules(text: str, root: Path, project: str) -> list[str]:
    """The modules of the repository's own commands that a text calls."""
    words = set(re.findall(r"[\w.-]+", text))
    declared = declared_commands(root, f"{project}/" if project not in ("", ".") else "")
    return list(dict.fromkeys(module for name, (module, _) in declared.items() if name in words))


def check_text(needs: Needs) -> str:
    """A bash text, run in the task's folder, that imports all and says what fails."""
    script = shlex.quote(_SCRIPT.read_text(encoding="utf-8"))
    places = [os.path.relpath(place, needs.folder) for place in (*needs.places, *needs.paths)]
    return f"python -c {script} {shlex.quote(json.dumps(places))} {shlex.quote(json.dumps(needs.modules))}"


def read_failures(response: Response) -> tuple[ImportFailure, ...]:
    """The imports that fail; one that says how the check itself ended where it came to no end."""
    found = []
    for answer in answers(response.stdout)[:MOST_FAILURES]:
        if isinstance(answer, list) and len(answer) == 4:
            module, error, message, traceback = map(str, answer)
            found.append(ImportFailure(module=module, error=error, message=message, traceback=traceback))
    if not response.ok and not found:
        said = response.error_lines[-1] if response.error_lines else response.stderr.strip()[-300:]
        found.append(ImportFailure(module="", error=response.ended, message=said, traceback=response.stderr[-4000:]))
    return tuple(found)
