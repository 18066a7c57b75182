"""Runs rows for real, one after the other: `python -m benchmarks.run_rows --tasks FILE --repos DIR --repo NAME --out FILE`.

Each row is one `ml-agent solve` in a process of its own; what comes of it is one line of the output file, and a row that has
a line there is not run again, unless it crashed. Words after `--` go to `ml-agent solve`, such as `-- --run full --navigator grounded`.
"""

import argparse
import json
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from ml_agent.benchmarks.data import Task, load_tasks, repository_folder
from ml_agent.benchmarks.kept_rows import KeptRows
from ml_agent.keys import handed_over
from ml_agent.trajectory import read_trajectory

SANDBOX = ("--sandbox", "docker", "--network", "install")
TO_ITS_END = ("completed", "delivered")
RAN = ("started", *TO_ITS_END)
GRACE = 60.0
"""Seconds after Ctrl-C until a row's process is killed."""
_SHAPE = re.compile(r"(?:torch\.Size|TensorShape)?\(?\[\d+(?:, \d+)*\]\)?|\(\d+(?:, \d+)+,?\)")
_OWN_LINE = re.compile(r"^\[\.\.\. \d+ lines")


class RowRun(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one row."""

    key: str
    """"github_id-id"."""
    repository: str
    ending: str
    """As in run.json; `crashed` where there is none, `too-long` where it had to be stopped."""
    evidence: str = "none"
    message: str = ""
    diagnosis: str = ""
    """Code of the last failure."""
    shape: str = ""
    """The last shape of an array that the program printed."""
    last_line: str = ""
    """The last line that the program printed."""
    drafts: int = 0
    repairs: int = 0
    lost: tuple[str, ...] = ()
    """Values of the row that are not in the answer; for reading, not a score."""
    seconds: float = 0.0
    folder: str = ""


def main(arguments: list[str] | None = None) -> int:
    """Run what has not been run, then print the table; 1 when a row got to no evidence beyond the check."""
    words, extra = _split(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", required=True, metavar="FILE", help="rows, as `ml-agent bench` takes them")
    parser.add_argument("--repos", required=True, type=Path, metavar="DIR", help="folder of the repositories")
    parser.add_argument("--repo", action="append", metavar="NAME", help="only rows of this repository; repeatable")
    parser.add_argument("--key", action="append", metavar="KEY", help="only this row (github_id-id); repeatable")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="one line of JSON a row; added to")
    parser.add_argument("--runs", type=Path, metavar="DIR", help="where the run folders go (default: beside --out)")
    parser.add_argument("--limit", type=float, default=1800.0, metavar="SECONDS", help="wall time of one row")
    options = parser.parse_args(words)
    tasks = _choose(load_tasks(options.tasks, options.key).tasks, options.repo)
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # ignored in the background of a shell, and so in a row's process
    kept = KeptRows(options.out, RowRun)
    done = {ran.key: ran for ran in kept.rows if ran.ending != "crashed"}
    runs = options.runs or options.out.with_suffix(".runs")
    for task in tasks:
        if str(task.key) not in done:
            ran = run_row(task, options.repos, runs / f"{task.key}-{time.strftime('%H%M%S')}", options.limit, extra)
            kept.add(ran)
            done[ran.key] = ran
            print(f"{ran.key:8} {ran.evidence:10} {ran.seconds:7.1f} s  {ran.message[:150]}", flush=True)
    rows = [done[str(task.key)] for task in tasks]
    show(rows)
    return int(any(ran.evidence not in RAN for ran in rows))


def run_row(task: Task, repos: Path, folder: Path, limit: float, extra: Sequence[str] = ()) -> RowRun:
    """Solve one row in a process of its own; its run folder is `folder`, `limit` is in seconds."""
    root = repository_folder(task, repos)
    if root is None:
        return RowRun(key=str(task.key), repository=task.repository, ending="no-folder", message="not below --repos")
    command = [sys.executable, "-m", "ml_agent", "solve", task.instruction, "--repo", str(root.resolve())]
    command += ["--path", task.folder, *SANDBOX, "--out", str(folder.resolve()), "--quiet", *extra]
    began = time.monotonic()
    said, too_long = _run(command, limit)
    seconds = time.monotonic() - began
    try:
        result = json.loads((folder / "run.json").read_text())
    except (OSError, ValueError):
        ending = "too-long" if too_long else "crashed"
        lines = [line for line in said.splitlines() if line.strip()]
        return RowRun(
            key=str(task.key), repository=task.repository, ending=ending, message=lines[-1] if lines else "",
            seconds=round(seconds, 1), folder=str(folder),
        )  # fmt: skip
    ran = _ran(task, result, folder, seconds)
    return msgspec.structs.replace(ran, ending="too-long") if too_long else ran


def show(rows: Sequence[RowRun]) -> None:
    """Print the table and the counts."""
    table = Table("row", "repository", "evidence", "s", "drafts", "repairs", "shape", "why", "not in the answer")
    for ran in rows:
        named = "" if ran.message.startswith(ran.diagnosis) else f"{ran.diagnosis}: "
        why = "" if ran.evidence in TO_ITS_END else named + ran.message
        table.add_row(
            ran.key, ran.repository, ran.evidence, f"{ran.seconds:.0f}", str(ran.drafts), str(ran.repairs), ran.shape,
            why[:200], ", ".join(ran.lost),
        )  # fmt: skip
    console = Console(width=max(Console().width, 180), markup=False, highlight=False)
    console.print(table)
    counts = Counter(ran.evidence for ran in rows)
    shapes = sum(ran.evidence in TO_ITS_END and bool(ran.shape) for ran in rows)
    counted = ", ".join(f"{number} {name}" for name, number in counts.most_common())
    console.print(f"{counted}; {shapes} with a shape")


def _ran(task: Task, result: dict[str, Any], folder: Path, seconds: float) -> RowRun:
    events = list(read_trajectory(folder / "trajectory.jsonl"))
    failures = [event for event in events if event["event"] == "diagnosis"]
    log = result["sandbox"].get("log", "")
    text = Path(log).read_text(errors="replace") if log and Path(log).is_file() else ""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not _OWN_LINE.match(line)]
    shapes = [match[0] for line in lines for match in _SHAPE.finditer(line)]
    answer = (result["answer"] or {}).get("text", "")
    return RowRun(
        key=str(task.key),
        repository=task.repository,
        ending=result["ending"],
        evidence=result["evidence"],
        message=result["message"],
        diagnosis=failures[-1].get("code", "") if failures else "",
        shape=shapes[-1] if shapes else "",
        last_line=lines[-1][:300] if lines else "",
        drafts=sum(event["event"] == "draft" for event in events),
        repairs=sum(event["event"] == "setup" and event.get("line", "").startswith("repairing") for event in events),
        lost=tuple(value for value in map(str, task.arguments.values()) if _plain(value) not in _plain(answer)),
        seconds=round(seconds, 1),
        folder=str(folder),
    )


def _run(command: Sequence[str], limit: float) -> tuple[str, bool]:
    """What it said on stderr, and whether it had to be stopped."""
    with handed_over() as (environment, descriptors):
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment, pass_fds=descriptors
        )
    try:
        return process.communicate(timeout=limit)[1], False
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        return _end(process), True
    except BaseException:  # Ctrl-C reaches the row's process, too
        _end(process)
        raise


def _end(process: "subprocess.Popen[str]") -> str:
    """What a process said that was told to end; it is given time to remove its container."""
    try:
        return process.communicate(timeout=GRACE)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate(timeout=GRACE)[1]


def _choose(tasks: Sequence[Task], names: Sequence[str] | None) -> list[Task]:
    wanted = {name.lower() for name in names or ()}
    return [task for task in tasks if not wanted or task.repository in wanted]


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", text.lower())


if __name__ == "__main__":
    raise SystemExit(main())
