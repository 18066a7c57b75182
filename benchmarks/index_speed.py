"""How fast and how large the index of a repository is: `python -m benchmarks.index_speed DIR…`.

Each measurement runs in a fresh process: cold with an empty cache, warm with what the cold run left.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from ml_agent.tools.index import RepoIndex


def main(arguments: list[str] | None = None) -> None:
    """Print files, seconds cold (and of processor time, which other load does not change) and warm, the longest time without progress, memory and disk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="a repository")
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.cache is not None:
        print(json.dumps(measure(options.folders[0], options.cache)))
        return
    print(
        f"{'repository':32}{'files':>7}{'cold s':>8}{'cpu s':>8}{'warm s':>8}{'still s':>8}{'peak MB':>9}{'disk MB':>9}"
    )
    for folder in options.folders:
        with tempfile.TemporaryDirectory() as cache:
            cold, warm = (_in_own_process(folder.resolve(), Path(cache)) for _ in range(2))
            disk = sum(file.stat().st_size for file in Path(cache).rglob("*") if file.is_file()) / 1e6
        print(
            f"{folder.resolve().name:32}{cold['files']:>7}{cold['seconds']:>8.2f}{cold['cpu']:>8.2f}{warm['seconds']:>8.3f}"
            f"{cold['still']:>8.2f}{cold['megabytes']:>9.0f}{disk:>9.1f}"
        )


def measure(folder: Path, cache: Path) -> dict[str, Any]:
    """Open an index and take every part of it.

    Returns: number of files; wall seconds, and the most of them between two reports of progress; seconds of processor time and peak memory in MB, of this process and its
    worker together.
    """
    start = time.perf_counter()
    times = [start]
    index = RepoIndex.open(folder, "measured", cache, lambda _: times.append(time.perf_counter()))
    parts = (index.passages, index.examples, index.signatures, index.api)
    times.append(time.perf_counter())
    seconds = times[-1] - start
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        "files": len(index.files),
        "parts": len(parts),
        "seconds": seconds,
        "still": max(later - earlier for earlier, later in pairwise(times)),
        "cpu": sum(one.ru_utime + one.ru_stime for one in used),
        "megabytes": sum(one.ru_maxrss for one in used) / 1024,
    }


def _in_own_process(folder: Path, cache: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "ml_agent.benchmarks.index_speed", str(folder), "--cache", str(cache)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1])
    result: dict[str, Any] = json.loads(done.stdout)
    return result


if __name__ == "__main__":
    main()
