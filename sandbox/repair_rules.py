"""The repairs that may help after a failed run, the likeliest first. Looks at the repository; runs nothing.

What is done where a package cannot be installed stands in `setup/executor.py`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from ml_agent.sandbox.contract import Version
from ml_agent.sandbox.diagnosis import Diagnosis
from ml_agent.sandbox.inner_path import leads_out
from ml_agent.sandbox.repair import Repair, pick, signature
from ml_agent.sandbox.repository_search import module_places
from ml_agent.sandbox.setup.declared import fitting
from ml_agent.sandbox.setup.executor import version_of
from ml_agent.sandbox.setup.ladder import RECENT, day_for, is_old, of_its_day
from ml_agent.sandbox.setup.uv import name_of
from ml_agent.sandbox.task import Source, Task
from ml_agent.tools.entries import entries_of
from ml_agent.tools.foreign_files import is_file
from ml_agent.tools.python_api.distributions import known_provider, provides
from ml_agent.tools.python_api.requirements import own_names, wanted_by, wanted_python


class FailureContext(msgspec.Struct, frozen=True, kw_only=True):
    """Where a failure happened."""

    source: Source
    task: Task
    """As it was run, repairs included."""
    python: Version = (3, 11)
    pythons: tuple[Version, ...] = ()
    """Versions that the sandbox can have."""
    left_out: tuple[str, ...] = ()
    """Distributions that could not be installed."""
    installed: tuple[str, ...] = ()
    """Distributions that are installed, normalised."""
    taken: bool = False
    """Whether the environment is one of an earlier run in which nothing failed."""
    day: str = ""
    """Of which day the libraries are; "" where they are today's."""
    chosen: bool = False
    """Whether the author of what ran chose versions of libraries, or of Python."""

    @property
    def entry(self) -> Path | None:
        """The script that runs, absolute; None where none is known."""
        root = self.source.root.resolve()
        if self.task.entry and is_file(root / self.task.entry):
            return root / self.task.entry
        found = entries_of(self.task.text, root, self.task.folder)
        return found[0] if found else None


def next_repair(diagnosis: Diagnosis, history: Sequence[Repair], scene: FailureContext) -> Repair | None:
    """The next thing to try; None when rules know nothing more. `history` is all that was tried, in order."""
    failure = signature(scene.task.text, diagnosis)
    return pick(list(candidates(diagnosis, scene)), history, failure)


def candidates(diagnosis: Diagnosis, scene: FailureContext) -> Iterator[Repair]:
    """All repairs that may help."""
    if scene.taken and diagnosis.code in ("missing-module", "import-error", "cannot-import-name"):
        yield Repair(kind="afresh", arguments=("environment",), why="the cached environment is rebuilt")
    if diagnosis.code == "missing-module":
        yield from _missing_module(diagnosis, scene)
    if diagnosis.fix is not None:
        yield from _by_fix(diagnosis, scene)


def _by_fix(diagnosis: Diagnosis, scene: FailureContext) -> Iterator[Repair]:
    fix = diagnosis.fix
    assert fix is not None
    words = ", ".join(fix.arguments)
    if fix.kind == "constrain":
        if fix.python and (older := _at_most(scene, fix.python)):
            why = f"Python {_text(older)} with {words}"
            yield Repair(kind="install", arguments=(*fix.arguments, _python(older)), why=why)
        yield Repair(kind="install", arguments=fix.arguments, why=f"{words}, because the code is older")
        yield from _by_date(scene)
    elif fix.kind == "by-date":
        yield from _by_date(scene)
    elif fix.kind == "system":
        yield Repair(kind="system", arguments=fix.arguments, why=f"system packages {words}")
    elif fix.kind == "python":
        yield from _other_python(scene, fix.arguments[0])
    elif fix.kind == "folder" and words.isprintable() and not leads_out(PurePosixPath(scene.task.folder, words)):
        yield Repair(kind="made", arguments=fix.arguments, why=f"creating the folder {words}")
    elif fix.kind == "cpu":
        yield Repair(kind="environment", arguments=("CUDA_VISIBLE_DEVICES=",), why="there is no GPU")


def _by_date(scene: FailureContext) -> Iterator[Repair]:
    """All libraries, for those of one time fit each other; not where the answer's author chose versions himself."""
    allowed = fitting(wanted_python(scene.source.root), scene.pythons) or scene.pythons
    python = of_its_day(scene.source.date, [one for one in allowed if one <= scene.python]) or scene.python
    day = day_for(python, scene.source.date)
    if is_old(scene.source.date, RECENT) and not scene.chosen and (python, day) != (scene.python, scene.day):
        why = f"libraries as of {day[:7]}" + (f", Python {_text(python)}" if python != scene.python else "")
        yield Repair(kind="install", arguments=(f"--exclude-newer {day}", _python(python)), why=why)


def _missing_module(diagnosis: Diagnosis, scene: FailureContext) -> Iterator[Repair]:
    module = diagnosis.subject
    top = module.partition(".")[0]
    root = scene.source.root
    near = scene.entry.parent if scene.entry else root
    for place in module_places(root, top, near):
        yield Repair(kind="path", arguments=(place,), why=f"{top} is a module of the repository, in {place}")
    if top != module and any(provides(name, top) for name in scene.installed):
        yield from _by_date(scene)  # an older version has it
    wanted = next((w for w in wanted_by(root, near) if provides(w.name, module)), None)
    text = wanted.text if wanted else known_provider(module)
    if text and text not in scene.left_out and name_of(text) not in scene.installed:
        why = f"{module} comes with {text}"
        if name_of(text) in own_names(root):  # another version than the one that is asked for
            yield from _by_date(scene)
            why = f"{text} of the package index stands for the repository's own code, which cannot be built"
        yield Repair(kind="install", arguments=(text,), module=module, why=why)


def _other_python(scene: FailureContext, wanted: str) -> Iterator[Repair]:
    """The nearest version there is, for `>=3.12` a newer and for `<=3.9` an older one."""
    target = version_of(wanted[2:])
    if wanted.startswith("<="):
        found = _at_most(scene, wanted[2:])
    else:
        found = min((version for version in scene.pythons if version >= target > scene.python), default=None)
    if found is not None:
        yield Repair(kind="install", arguments=(_python(found),), why=f"the code needs Python {wanted}")


def _at_most(scene: FailureContext, wanted: str) -> Version | None:
    """The newest version up to the wanted one and older than today's."""
    older = [version for version in scene.pythons if version <= version_of(wanted) and version < scene.python]
    return max(older, default=None)


def _text(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


def _python(version: Version) -> str:
    return f"--python {_text(version)}"
