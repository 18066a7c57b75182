"""`python -m benchmarks.load`: many sample tasks in one process of several workers, watched from outside.

Memory after the first tasks must stay flat, and no descriptor, thread, process, container or folder may be left.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ml_agent import samples
from ml_agent.benchmarks.kills.left import MARK, of_engine, processes

WARM = 50
"""Tasks until everything is loaded that is loaded once."""
GROWTH_MB = 50.0
_WELL = ("completed", "delivered")
SECONDS = 0.5
"""Between two looks."""


class ProcessSample(msgspec.Struct, frozen=True, kw_only=True):
    """The process at one moment."""

    done: int
    megabytes: float
    descriptors: int
    threads: int


def main(arguments: list[str] | None = None) -> int:
    """Run, watch, report; 1 where memory grew or something was left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--sandbox", default="local")
    parser.add_argument("--run", default="full")
    parser.add_argument("--looks", type=Path, help="JSON Lines file of what was seen")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="ml-agent-load-") as folder:
        work = Path(folder)
        looks, pid, code = _watch(
            work, options.tasks, options.jobs, ["--sandbox", options.sandbox, "--run", options.run]
        )
        rows = [json.loads(line) for line in (work / "results.jsonl").read_text().split("\n") if line]
        places = work / "cache/sandboxes"
        left = [
            *processes(str(os.getpid()), "no mark"),
            *of_engine({pid}),
            *(places.iterdir() if places.is_dir() else ()),
        ]
    if options.looks:
        options.looks.write_bytes(b"".join(msgspec.json.encode(look) + b"\n" for look in looks))
    report = _report(looks, options.tasks)
    endings = {name: sum(row["ending"] == name for row in rows) for name in sorted({row["ending"] for row in rows})}
    messages = [f"{row['id']}: {row.get('message', '')}"[:300] for row in rows if row["ending"] not in _WELL]
    report |= {"exit code": code, "results": len(rows), "endings": endings, "told": messages}
    report |= {"left": [str(one)[:120] for one in left]}
    print(json.dumps(report, indent=1))
    return int(bool(left) or len(rows) != options.tasks or not report["flat"])


def _watch(work: Path, tasks: int, jobs: int, words: Sequence[str]) -> tuple[list[ProcessSample], int, int]:
    """What was seen of the process while it worked, its number, and its exit code."""
    every = samples.tasks()
    lines = [
        {"id": str(n), "instruction": every[n % len(every)].instruction, "catalog": "sample"} for n in range(tasks)
    ]
    (work / "list.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = work / "results.jsonl"
    environment = {
        **os.environ,
        "ML_AGENT_CACHE_DIR": str(work / "cache"),
        "ML_AGENT_RUNS_DIR": str(work / "runs"),
        MARK: str(os.getpid()),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "ml_agent", "solve-many", "list.jsonl", "--out", str(out), "--jobs", str(jobs), "--quiet", *words],
        cwd=work, env=environment, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    looks: list[ProcessSample] = []
    while process.poll() is None:
        look = _look(process.pid, out)
        if look is not None:
            looks.append(look)
        time.sleep(SECONDS)
    return looks, process.pid, process.returncode


def _look(pid: int, out: Path) -> ProcessSample | None:
    place = Path(f"/proc/{pid}")
    try:
        status = dict(line.split(":", 1) for line in (place / "status").read_text().splitlines())
        descriptors = len(list((place / "fd").iterdir()))
        return ProcessSample(
            done=out.read_bytes().count(b"\n") if out.exists() else 0,
            megabytes=int(status["VmRSS"].split()[0]) / 1024,
            descriptors=descriptors,
            threads=int(status["Threads"]),
        )
    except (OSError, KeyError, ValueError):
        return None  # it ended meanwhile


def _report(looks: Sequence[ProcessSample], tasks: int) -> dict[str, object]:
    """Two windows: the one after everything is loaded, and the last of the same length."""
    warm = [look for look in looks if WARM <= look.done < 2 * WARM]
    late = [look for look in looks if look.done >= tasks - WARM]
    if not warm or not late:
        return {"flat": False, "said": f"fewer than {2 * WARM} tasks were seen"}
    growth = max(look.megabytes for look in late) - max(look.megabytes for look in warm)
    kinds = ("megabytes", "descriptors", "threads")
    windows = {
        name: {
            kind: [round(min(seen), 1), round(max(seen), 1)]
            for kind in kinds
            if (seen := [getattr(one, kind) for one in part])
        }
        for name, part in (("after the first tasks", warm), ("at the end", late))
    }
    more = {
        kind: min(getattr(one, kind) for one in late) - max(getattr(one, kind) for one in warm) for kind in kinds[1:]
    }
    return {
        "tasks": tasks, "growth of memory (MB)": round(growth, 1), **windows,
        "flat": growth <= GROWTH_MB and all(value <= 0 for value in more.values()),
    }  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
