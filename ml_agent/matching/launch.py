"""How a program is started: by a launcher for several processes, which is a slot that no parser has, or as a module."""

import ast
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set

from ml_agent.tools.signatures.model import Bounds, Option, Signature

PROCESSES = Option(
    dest="nproc_per_node",
    flags=("--nproc_per_node",),
    type="int",
    help="number of processes, GPUs, graphics cards, devices or ranks that work on one machine",
)
PORT = Option(
    dest="master_port",
    flags=("--master_port", "--master-port"),
    type="int",
    help="port over which the processes meet",
    bounds=Bounds(least=0, most=65_535),
)
_OF_TORCH = (PROCESSES, PORT)
_LAUNCHERS = {
    "torchrun": re.compile(r"\btorchrun\b|torch\.distributed\.(?:launch|run)\b"),
    "mpiexec": re.compile(r"\b(?:mpiexec|mpirun|horovodrun)\b"),
    "accelerate": re.compile(r"\baccelerate launch\b"),
    "deepspeed": re.compile(r"^\s*(?:\w+=\S+\s+)*deepspeed\s"),
}
"""How documents start several processes, by the program that does."""
_OF_LAUNCHERS = frozenset({"local_rank", "world_size", "dist_url", "dist_backend"})
_NODES = frozenset({"nodes", "num_nodes", "nnodes"})
_ON_A_NODE = frozenset({"ngpus", "num_gpus", "n_gpus", "gpus", "gpus_per_node", "ngpus_per_node", "num_gpus_per_node"})
_PYTHON = re.compile(r"^python3?\s+(?:-u\s+)?")


def launcher_of(signature: Signature, texts: Iterable[str]) -> str:
    """What starts several processes of an entry point: as its examples do, or as options show that only launchers set."""
    if not signature.path.endswith(".py") or signature.kind == "console":
        return ""
    used = Counter(name for text in texts for name, pattern in _LAUNCHERS.items() if pattern.search(text))
    if any(option.dest in _NODES for option in signature.options) and any(
        option.dest in _ON_A_NODE for option in signature.options
    ):
        return ""  # it submits a job, or starts the processes, by itself
    if used:
        return used.most_common(1)[0][0]
    return "torchrun" if {option.dest for option in signature.options} & _OF_LAUNCHERS else ""


def options_of(launcher: str, own: Iterable[Option]) -> tuple[Option, ...]:
    """The options of a launcher that a request may speak of, but for those that the program has itself."""
    if launcher != "torchrun":
        return (PROCESSES,) if launcher else ()
    ported = any("port" in option.dest.lower().split("_") for option in own)
    return (PROCESSES,) if ported else _OF_TORCH


def is_launchers(option: Option) -> bool:
    """Whether only a launcher sets an option: the rank of a process, and how many there are."""
    processes = option.dest == "world_size" and "node" not in option.help.lower()
    return processes or option.dest in {"local_rank", "local-rank"}


def is_named(launcher: str, words: Iterable[str]) -> bool:
    """Whether a request names what starts several processes."""
    return bool(launcher) and launcher in {word.lower() for word in words}


def launched(text: str, launcher: str, given: Mapping[str, str]) -> str:
    """A command as a launcher starts it; as it is for one process.

    Args:
        text: the command.
        launcher: what starts it.
        given: by dest: the launcher's own options; "" where it is only named.
    """
    digits = all(value.isdigit() for value in given.values() if value)
    if not launcher or not given or not digits or not re.match(r"python3?\s", text):
        return text
    if not any(given.values()):
        bare = {"accelerate": "accelerate launch "}.get(launcher, f"{launcher} ")
        return bare + (text if launcher == "mpiexec" else _PYTHON.sub("", text))
    said = {PROCESSES.dest: "1"} | dict(given)
    count = said[PROCESSES.dest]
    words = [f"--{option.dest}={said[option.dest]}" for option in _OF_TORCH if option.dest in said]
    start = {
        "mpiexec": f"mpiexec -n {count} python ",
        "accelerate": f"accelerate launch --num_processes={count} ",
        "deepspeed": f"deepspeed --num_gpus={count} ",
    }
    begun = start.get(launcher, f"torchrun {' '.join(words)} ")
    return _PYTHON.sub(begun, text)


def module_of(path: str, source: ast.Module, tops: Set[str]) -> str:
    """The name by which `python -m` runs a file of a sub-folder that imports what lies beside that folder; "" where its file runs as well.

    Python looks for imports beside the file that it is given, and for a module's where it is called from. What a file imports relative
    to its package it finds as a module alone.

    Args:
        path: the file, as seen from where it is called.
        source: its syntax tree.
        tops: the names that can be imported from there.
    """
    folder, parts = posixpath.dirname(path), path.removesuffix(".py").split("/")
    if not folder or not all(part.isidentifier() for part in parts):
        return ""
    if any(isinstance(node, ast.ImportFrom) and node.level for node in source.body):
        return ".".join(parts).removesuffix(".__main__")
    imported = {name.partition(".")[0] for node in ast.walk(source) for name in _imports(node)}
    return ".".join(parts) if parts[0] in imported & tops else ""


def installed_name(module: str, folder: str, files: Set[str]) -> str:
    """A module without the folders that only hold its package ("src"): what is installed is found from anywhere, without them.

    Args:
        module: its name, as seen from where it is called.
        folder: from where it is called.
        files: of the repository.
    """
    parts, start = module.split("."), "" if folder == "." else f"{folder}/"
    packages = [f"{start}{'/'.join(parts[: place + 1])}/__init__.py" in files for place in range(len(parts))]
    return ".".join(parts[packages.index(True) :]) if True in packages else module


def _imports(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
        yield node.module
