"""How long commands take as whole processes, beside an interpreter that does nothing: `python -m benchmarks.start_up`.

Processor time of the process and its children, the least of several; the ratio to `python -c pass` hardly depends on the machine,
the seconds do. Bars: `import ml_agent` 0.3 s, `--help` and `--version` 0.5 s, `solve` on an indexed repository 0.8 s.
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
from typing import NamedTuple

from ml_agent.samples import repository_path

TIMES = 5
_AGENT = ("-m", "ml_agent")
_TASK = "train the perceptron for 25 epochs with learning rate 0.05"
CASES: dict[str, tuple[str, ...]] = {
    "python -c pass": ("-c", "pass"),
    "import ml_agent": ("-c", "import ml_agent"),
    "ml-agent --version": (*_AGENT, "--version"),
    "ml-agent --help": (*_AGENT, "--help"),
    "ml-agent check": (*_AGENT, "check", "python train/fit_mlp.py --lr 0.1", "--repo", "REPOSITORY"),
    "ml-agent explain": (*_AGENT, "explain", "REPOSITORY:train/fit_mlp.py"),
    "ml-agent solve, indexed": (*_AGENT, "solve", _TASK, "--repo", "REPOSITORY", "--run", "none", "--quiet"),
}


class Cost(NamedTuple):
    """What one process took, in seconds."""

    processor: float
    wall: float


def cost(arguments: Sequence[str], environment: dict[str, str]) -> Cost:
    """One call of the interpreter. Raises CalledProcessError where it fails."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall)


def measure(times: int, folder: Path) -> dict[str, Cost]:
    """The least cost of each case over so many calls; one call before warms caches, byte code and the index."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"ML_AGENT_CACHE_DIR": str(folder / "cache"), "ML_AGENT_RUNS_DIR": str(folder / "runs")}
    repository = str(repository_path("planar-nets"))
    found = {}
    for name, words in CASES.items():
        arguments = [word.replace("REPOSITORY", repository) for word in words]
        cost(arguments, environment)
        costs = [cost(arguments, environment) for _ in range(times)]
        found[name] = Cost(min(one.processor for one in costs), min(one.wall for one in costs))
    return found


def table(costs: dict[str, Cost]) -> str:
    """The costs as a Markdown table, with ratios to the first."""
    nothing = next(iter(costs.values())).processor
    lines = ["| process | processor s | wall s | times `pass` |", "|---|---|---|---|"]
    lines += [
        f"| `{name}` | {one.processor:.2f} | {one.wall:.2f} | {one.processor / max(nothing, 0.001):.0f} |"
        for name, one in costs.items()
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=TIMES, help="calls of each, of which the least counts")
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as folder:
        print(table(measure(times, Path(folder))))


if __name__ == "__main__":
    main()
