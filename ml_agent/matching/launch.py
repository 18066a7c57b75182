"""How many processes a launcher starts: a slot that no parser has."""

import re
from collections.abc import Iterable

from tools.signatures.model import Option, Signature

PROCESSES = Option(
    dest="nproc_per_node",
    flags=("--nproc_per_node",),
    type="int",
    help="number of processes, GPUs, graphics cards, devices or ranks that work on one machine",
)
_TORCH = re.compile(r"\btorchrun\b|torch\.distributed\.(?:launch|run)\b|\baccelerate launch\b|\bdeepspeed\b")
_MPI = re.compile(r"\b(?:mpiexec|mpirun|horovodrun)\b")
_OF_LAUNCHERS = frozenset({"local_rank", "world_size", "dist_url", "dist_backend"})
_STARTED = re.compile(
    r"(?:nproc[_-]per[_-]node|num[_-]processes|(?:mpiexec|mpirun|horovodrun)\s+-np?)[\s=]+(?P<count>\d+)"
)


def launcher_of(signature: Signature, texts: Iterable[str]) -> str:
    """What starts several processes of an entry point: as its examples do, or as options show that only launchers set."""
    if not signature.path.endswith(".py") or signature.kind == "console":
        return ""
    texts = list(texts)
    if any(_MPI.search(text) for text in texts):
        return "mpiexec"
    ruled = {option.dest for option in signature.options} & _OF_LAUNCHERS
    return "torchrun" if ruled or any(_TORCH.search(text) for text in texts) else ""


def is_launchers(option: Option) -> bool:
    """Whether only a launcher sets an option: the rank of a process."""
    return option.dest in {"local_rank", "local-rank"}


def launched(text: str, launcher: str, count: str) -> str:
    """A command started by so many processes; as it is for one."""
    if not launcher or not count.isdigit() or not re.match(r"python3?\s", text):
        return text
    if launcher == "mpiexec":
        return f"mpiexec -n {count} {text}"
    return re.sub(r"^python3?\s+(?:-u\s+)?", f"torchrun --nproc_per_node={count} ", text)


def started(text: str) -> str:
    """How many processes a command starts by a launcher; "" where it says nothing of that."""
    match = _STARTED.search(text)
    return match["count"] if match else ""
