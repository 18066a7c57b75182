"""How long anybody waits for a repository: `python -m benchmarks.index_speed DIR… [--graph FILE.svg]`.

Each of a repository's four measurements runs in a process of its own, the first two with an empty cache: `ml_agent explain DIR` and the first message
of a conversation, then both again. Wall seconds count from the start of the process; those of the first message from the end of the imports.
"""

import argparse
import gc
import math
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
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.files import Tree
from ml_agent.understanding import understood
from ml_agent.workspaces import open_index

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
    """Print a row for each repository; `--graph` also draws the cold waits against the number of files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", metavar="DIR", help="a repository")
    parser.add_argument("--graph", type=Path, metavar="FILE.svg")
    parser.add_argument("--only-message", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.only_message:
        print(msgspec.json.encode(write_first_message(options.folders[0])).decode())
        return
    print(f"{'':34}{'explain: cold':>24}{'warm':>12}{'message: cold':>20}{'warm':>12}")
    print(
        f"{'repository':24}{'py':>5}{'all':>5}{'1st s':>8}{'s':>8}{'cpu':>8}{'s':>6}{'cpu':>6}{'s':>12}{'cpu':>8}{'s':>6}{'cpu':>6}"
    )
    rows = []
    for folder in map(Path, options.folders):
        rows.append(measure(folder.resolve()))
        print(_line(rows[-1]), flush=True)
    if options.graph:
        options.graph.write_text(draw(rows), encoding="utf-8")


def write_first_message(folder: str) -> Waits:
    """Make the first message about a repository, with the cache of the settings and without garbage collection, as the command line does."""
    gc.disable()
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


def draw(rows: Sequence[Row]) -> str:
    """An SVG of seconds to the first message against files, cold and warm, on logarithmic axes (10 to 10,000 files, 0.1 to 10 s)."""

    def place(files: int, seconds: float) -> str:
        x, y = math.log10(max(files, 10)), math.log10(max(seconds, 0.1))
        return f'cx="{60 + 200 * (x - 1):.0f}" cy="{300 - 130 * (y + 1):.0f}"'

    dots = [
        f'<circle {place(row.files, wait.whole)} r="4" fill="{colour}"><title>{row.name}: {wait.whole:.2f} s</title></circle>'
        for row in rows
        for wait, colour in zip(row.message, ("#b5483a", "#30638e"), strict=True)
    ]
    lines = [
        f'<line x1="60" x2="660" y1="{300 - 130 * (tick + 1)}" y2="{300 - 130 * (tick + 1)}" stroke="#ccd"/>'
        f'<text x="50" y="{304 - 130 * (tick + 1)}" text-anchor="end">{10.0**tick:g} s</text>'
        for tick in (-1, 0, 1)
    ] + [f'<text x="{60 + 200 * (tick - 1)}" y="320" text-anchor="middle">{10**tick:,}</text>' for tick in (1, 2, 3, 4)]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 350" font-family="system-ui, sans-serif" font-size="12">'
        + "".join((*lines, *dots))
        + '<text x="360" y="342" text-anchor="middle">files of the repository; first message cold (red) and warm (blue)</text></svg>\n'
    )


if __name__ == "__main__":
    main()
