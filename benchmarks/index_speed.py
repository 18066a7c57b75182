"""How long anybody waits for a repository: `python -m benchmarks.index_speed DIR…`.

Each of a repository's four measurements runs in a process of its own, the first two with an empty cache: `ml_agent explain DIR` and the first message
of a conversation, then both again. Wall seconds count from the start of the process; those of the first message from the end of the imports.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ml_agent.conversation.first_message import open_thread
from ml_agent.navigator import Given, Workspace
from ml_agent.repositories import open_index
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.files import Tree
from ml_agent.understanding import understood

SENTENCE = "Train a small model for 3 epochs with a batch size of 16 and a learning rate of 0.001 on my data in data/ and save it to out/."


class Waits(msgspec.Struct, frozen=True):
    """Wall seconds to a process's first line and to its end, and seconds of processor time, its children's included."""

    first: float
    whole: float
    cpu: float


class Row(msgspec.Struct, frozen=True):
    """The waits for one repository."""

    name: str
    files: int
    python: int
    explain: tuple[Waits, Waits]
    """Cold, then warm."""
    message: tuple[Waits, Waits]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each repository."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", metavar="DIR", help="a repository")
    parser.add_argument("--only-message", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.only_message:
        print(msgspec.json.encode(write_first_message(options.folders[0])).decode())
        return
    print(f"{'':34}{'explain: cold':>24}{'warm':>12}{'message: cold':>20}{'warm':>12}")
    print(
        f"{'repository':24}{'py':>5}{'all':>5}{'1st s':>8}{'s':>8}{'cpu':>8}{'s':>6}{'cpu':>6}{'s':>12}{'cpu':>8}{'s':>6}{'cpu':>6}"
    )
    for folder in map(Path, options.folders):
        print(_line(measure(folder.resolve())), flush=True)


def write_first_message(folder: str) -> Waits:
    """Make the first message about a repository, with the cache of the settings."""
    began = time.perf_counter()
    index = open_index(folder)
    candidate = Candidate(full_name=Path(folder).name, url=folder, commit=index.version)
    request = understood(SENTENCE, Given(repository=folder))
    open_thread(request, Workspace(index=index, candidate=candidate, path="."))
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = time.perf_counter() - began
    return Waits(seconds, seconds, sum(one.ru_utime + one.ru_stime for one in used))


def measure(folder: Path) -> Row:
    """Cold and warm waits for one repository."""
    explain = ["-m", "ml_agent", "explain", str(folder)]
    message = ["-m", "ml_agent.benchmarks.index_speed", "--only-message", str(folder)]
    files = Tree(folder).files()
    with tempfile.TemporaryDirectory() as cache:
        explained = _run(explain, cache)[0], _run(explain, cache)[0]
    with tempfile.TemporaryDirectory() as cache:
        made = [msgspec.json.decode(_run(message, cache)[1], type=Waits) for _ in range(2)]
    return Row(folder.name, len(files), sum(name.endswith(".py") for name in files), explained, (made[0], made[1]))


def _run(command: Sequence[str], cache: str) -> tuple[Waits, bytes]:
    began = time.perf_counter()
    environment = {**os.environ, "ML_AGENT_CACHE_DIR": cache}
    with subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        assert process.stdout is not None
        text = process.stdout.readline()
        first = time.perf_counter() - began
        text += process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    return Waits(first, time.perf_counter() - began, used.ru_utime + used.ru_stime), text


def _line(row: Row) -> str:
    (cold, warm), (message, again) = row.explain, row.message
    return (
        f"{row.name[:24]:24}{row.python:>5}{row.files:>5}{cold.first:>8.2f}{cold.whole:>8.2f}{cold.cpu:>8.2f}{warm.whole:>6.2f}{warm.cpu:>6.2f}"
        f"{message.whole:>12.2f}{message.cpu:>8.2f}{again.whole:>6.2f}{again.cpu:>6.2f}"
    )


if __name__ == "__main__":
    main()
