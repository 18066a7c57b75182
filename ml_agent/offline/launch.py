"""How a program is started: by a launcher for several processes, whose count is a slot that no parser has, or as a module."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from ml_agent.tools.signatures.model import Option, Signature

PROCESSES = Option(
    dest="nproc_per_node",
    flags=("--nproc_per_node",),
    type="int",
    help="number of processes, GPUs, graphics cards, devices or ranks that work on one machine",
)
_LAUNCHERS = {
    "torchrun": re.compile(r"\btorchrun\b|torch\.distributed\.(?:launch|run)\b"),
    "mpiexec": re.compile(r"\b(?:mpiexec|mpirun|horovodrun)\b"),
    "accelerate": re.compile(r"\baccelerate launch\b"),
    "deepspeed": re.compile(r"^\s*(?:\w+=\S+\s+)*deepspeed\s"),
}
"""How documents start several processes, by the program that does."""
_STARTS = {
    "torchrun": "torchrun --nproc_per_node={} ",
    "mpiexec": "mpiexec -n {} python ",
    "accelerate": "accelerate launch --num_processes={} ",
    "deepspeed": "deepspeed --num_gpus={} ",
}
_OF_LAUNCHERS = frozenset({"local_rank", "local-rank", "world_size", "dist_url", "dist_backend"})
_NODES = frozenset({"nodes", "num_nodes", "nnodes"})
_PYTHON = re.compile(r"^python3?\s+(?:-u\s+)?")


def launcher_of(signature: Signature, texts: Iterable[str]) -> str:
    """What starts several processes of an entry point: as its examples do, or as options show that only launchers set."""
    dests = {option.dest for option in signature.options}
    if not signature.path.endswith(".py") or signature.kind == "console" or dests & _NODES:
        return ""  # it submits a job, or starts the processes, by itself
    used = Counter(name for text in texts for name, pattern in _LAUNCHERS.items() if pattern.search(text))
    return used.most_common(1)[0][0] if used else "torchrun" if dests & _OF_LAUNCHERS else ""


def options_of(launcher: str, own: Iterable[Option]) -> tuple[Option, ...]:
    """The option of a launcher that a request may speak of, but for one that the program has itself."""
    return (PROCESSES,) if launcher and all(option.dest != PROCESSES.dest for option in own) else ()


def is_launchers(option: Option) -> bool:
    """Whether only a launcher sets an option: the rank of a process, and how many there are."""
    processes = option.dest == "world_size" and "node" not in option.help.lower()
    return processes or option.dest in {"local_rank", "local-rank"}


def launched(text: str, launcher: str, given: Mapping[str, str]) -> str:
    """A command as a launcher starts it; as it is for one process.

    Args:
        text: the command.
        launcher: what starts it.
        given: by dest: the launcher's own options.
    """
    count = given.get(PROCESSES.dest, "")
    if not launcher or not count.isdigit() or not _PYTHON.match(text):
        return text
    return _PYTHON.sub(_STARTS[launcher].format(count), text)


def wants_package(source: ast.Module, top: str) -> bool:
    """Whether a file imports relative to its package, or from the folder at the top of its path: then only `python -m` finds these."""
    for node in source.body:
        if isinstance(node, ast.ImportFrom) and node.level:
            return True
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
        if any(name.partition(".")[0] == top for name in names):
            return True
    return False
