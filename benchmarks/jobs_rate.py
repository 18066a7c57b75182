"""How much faster `--jobs 2` is than `--jobs 1`: rows that each burn five seconds of one core in a container.

    python -m benchmarks.jobs_rate [ROWS]

Needs Docker and two idle cores. Prints rows a minute for both and their ratio.
"""

import argparse
import functools
import tempfile
import time
from pathlib import Path

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.engines.local import LocalEngine
from ml_agent.benchmarks.predict.respondent import Respondent
from ml_agent.benchmarks.predict.rows import Result
from ml_agent.benchmarks.predict.run import Plan, predict
from ml_agent.benchmarks.predict.unit import Unit
from ml_agent.sandbox.choose import choose
from ml_agent.sandbox.contract import Command, Policy

BURN = 5.0
"""Seconds of processor time."""
_PROGRAM = f'python3 -c "import time\nwhile time.process_time() < {BURN}: pass"'


def burn(unit: Unit, logs: Path) -> Result:
    """One row: a container of its own that computes."""
    sandbox = choose("docker", Policy(network="none"), logs / unit.label)
    sandbox.start()
    try:
        response = sandbox.run(Command(text=_PROGRAM, timeout=120))
    finally:
        sandbox.stop()
    error = "" if response.ok else f"exit {response.exit_code}"
    return Result(github_id=unit.key[0], id=unit.key[1], attempt=0, output=("done",), error=error)


def rate(rows: int, jobs: int) -> float:
    """Rows a minute."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "repos/sample").mkdir(parents=True)
        tasks = tuple(
            Task(
                github_id=1, id=n, github="https://example.org/o/sample", path=".", arguments={}, instruction="", oracle="",
                kind="bash", output="",
            )
            for n in range(rows)
        )  # fmt: skip
        who = Respondent(
            subject=f"{jobs} at a time",
            fingerprint="rate",
            setting="agent",
            carry_out=functools.partial(burn, logs=folder / "logs"),
        )
        plan = Plan(tasks=tasks, repos=folder / "repos", out=folder / "out.jsonl", who=who)
        began = time.monotonic()
        summary = predict(plan, LocalEngine(jobs))
        seconds = time.monotonic() - began
    if summary.failed:
        raise SystemExit(f"rows failed: {summary.failed[0]}")
    return 60 * rows / seconds


def main(rows: int) -> None:
    """Measure and print."""
    one, two = rate(rows, 1), rate(rows, 2)
    print(f"--jobs 1: {one:.2f} rows a minute; --jobs 2: {two:.2f}; ratio {two / one:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=int, nargs="?", default=12)
    main(parser.parse_args().rows)
