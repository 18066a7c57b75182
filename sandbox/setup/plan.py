"""Plans an environment: only what the script imports, in the versions that the repository asks for."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ml_agent.sandbox.python_history import former_modules
from ml_agent.sandbox.reading import is_dir, is_file
from ml_agent.sandbox.setup.distributions import NOT_FOR_SALE, distributions_of, normalized, provides
from ml_agent.sandbox.setup.imports import ImportNeeds, scan_imports
from ml_agent.sandbox.setup.requirements import DeclaredRequirement, parse, wanted_by
from ml_agent.sandbox.task import Source, Task
from ml_agent.tools.entries import entries_of

StepKind = Literal["install", "path"]

TORCH_FAMILY = frozenset({"torchvision", "torchaudio", "torchtext", "torchdata"})
"""Each of their versions fits one version of torch."""


class SetupStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a set-up."""

    kind: StepKind
    """install: requirements; path: folders of the repository that go on Python's import path."""
    arguments: tuple[str, ...]
    why: str
    """Where it was read."""
    pins: tuple[str, ...] = ()
    """Versions that the repository asks for, of what else may come along."""


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """What the machine offers to a set-up."""

    python: tuple[int, int] = (3, 11)
    """Version inside the sandbox."""
    gpus: bool = False
    find_links: tuple[str, ...] = ()
    """Places of wheels, as pip has them configured."""


def plan_setup(source: Source, task: Task, host: Host) -> tuple[SetupStep, ...]:
    """The steps for one task, smallest first; none for a script that needs the standard library only."""
    root = source.root.resolve()
    folder = (root / task.folder).resolve()
    entries = [root / task.entry] if task.entry and is_file(root / task.entry) else []
    entries += entries_of(task.text, root, task.folder)
    needs = scan_imports(root, dict.fromkeys(entries), folder, task.code)
    steps = [SetupStep(kind="path", arguments=needs.paths, why="modules of the repository")] if needs.paths else []
    near = entries[0].parent if entries else folder
    where = ", ".join(dict.fromkeys(path.name for path in entries)) or "the code"
    wanted = wanted_by(root, near)
    return (*steps, *_installs(requirements_for(needs, wanted, host), _pins(wanted), where))


def requirements_for(needs: ImportNeeds, wanted: Sequence[DeclaredRequirement], host: Host) -> list[str]:
    """One requirement for each module that is needed, as the repository writes it where it does."""
    found: dict[str, str] = {}
    for module in (*needs.modules, *needs.later):
        if module in NOT_FOR_SALE or module in former_modules():
            continue
        dotted = next((name for name in needs.dotted if name.partition(".")[0] == module and "." in name), module)
        said = next((w for w in wanted if provides(w.name, dotted)), None)
        text = said.text if said else distributions_of(dotted)[0]
        found.setdefault(normalized(said.name if said else text), text)
    return [_cpu_build(name, text, host) for name, text in found.items()]


def cpu_torch(host: Host) -> str | None:
    """The newest CPU build of torch among the host's wheels that fits the sandbox's Python, as a requirement."""
    tag = f"cp{host.python[0]}{host.python[1]}"
    found = []
    for place in host.find_links:
        folder = Path(place.removeprefix("file://"))
        for wheel in folder.glob("torch-*+cpu*.whl") if is_dir(folder) else ():
            match = re.match(r"torch-([\d.]+)\+(cpu[\w.]*)-(\w+)-", wheel.name)
            if match and match[3] == tag:
                found.append((tuple(map(int, match[1].split("."))), f"torch=={match[1]}+{match[2]}"))
    return max(found)[1] if found else None


def _cpu_build(name: str, text: str, host: Host) -> str:
    """Without a graphics card the CPU build is taken, and what belongs to torch in the version that fits it."""
    if host.gpus:
        return text
    if name == "torch":
        return cpu_torch(host) or text
    if name in TORCH_FAMILY and cpu_torch(host):
        return name
    if name == "tensorflow-gpu":
        return text.replace("tensorflow-gpu", "tensorflow", 1)
    return text


def _pins(wanted: Sequence[DeclaredRequirement]) -> dict[str, str]:
    return {w.name: w.text for w in wanted if re.fullmatch(r"[\w.-]+={2,3}[\w.!+]+", w.text)}


def _installs(requirements: list[str], pins: dict[str, str], where: str) -> list[SetupStep]:
    """Torch by itself first: it is large, and what follows must fit the build that was found."""
    torch = [text for text in requirements if re.match(r"torch\b(?![-_\w])", text)]
    rest = [text for text in requirements if text not in torch]
    names = {parsed[0] for text in requirements if (parsed := parse(text))}
    others = tuple(text for name, text in pins.items() if name not in names and name != "torch")
    why = f"imports of {where}"
    return [SetupStep(kind="install", arguments=tuple(group), why=why, pins=others) for group in (torch, rest) if group]
