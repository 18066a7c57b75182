"""Checks the delivery rows: brings each repository, makes the inputs, runs the reference, judges what came out.

    python -m ml_agent.benchmarks.form_d [NAME...] --work DIR [--keep]

The references are ours and run on this machine, each in a fresh environment. Prints a line for each row, with the seconds of
processor time that environment and reference took; ends with 1 where a reference did not deliver.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from ml_agent.benchmarks.form_d.rows import FOLDER, Row, bring_repository, load_rows
from ml_agent.sandbox.interpreters import pick_interpreter
from ml_agent.sandbox.uv_program import uv_program

LIMIT = 900.0
"""Seconds that a reference may take, its environment included."""


def make_environment(folder: Path, python: str, *packages: str) -> dict[str, str]:
    """Make a virtual environment with these packages; give the variables of a process in it, uv among its programs."""
    major, minor = map(int, python.split("."))
    interpreter = pick_interpreter((major, minor))
    if interpreter is None:
        raise SystemExit(f"Python {python} is needed; install it and try again")
    uv = uv_program()
    subprocess.run([uv, "venv", "-q", "--clear", "-p", interpreter.executable, folder], check=True)
    path = os.pathsep.join([str(folder / "bin"), str(uv.parent), os.environ["PATH"]])
    environment = {**os.environ, "VIRTUAL_ENV": str(folder), "PATH": path}
    if packages:
        subprocess.run([uv, "pip", "install", "-q", *packages], check=True, env=environment)
    return environment


def check_row(row: Row, work: Path, judge: dict[str, str]) -> str:
    """Deliver a row by its reference and judge it; what is wrong, empty where nothing is."""
    place = work / row.name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    repository, inputs = place / "repository", place / "inputs"
    bring_repository(row, repository, work / "archives")
    subprocess.run(["python", FOLDER / "inputs.py", row.name, inputs], check=True, env=judge)
    shutil.copytree(inputs, repository / "inputs")
    (repository / "outputs").mkdir()
    environment = make_environment(place / "environment", row.python)
    script: list[str | Path] = ["bash", "-euo", "pipefail", FOLDER / "references" / f"{row.name}.sh"]
    with (place / "log").open("w") as log:
        done = subprocess.run(script, cwd=repository, env=environment, stdout=log, stderr=log, timeout=LIMIT)
    if done.returncode:
        return f"the reference ended with {done.returncode}, see {place / 'log'}"
    words: list[str | Path] = ["python", FOLDER / "judges.py", row.name, inputs, repository / "outputs"]
    judged = subprocess.run(words, env=judge, capture_output=True, text=True, timeout=120)
    return judged.stderr.strip() or ("the judge failed" if judged.returncode else "")


def check_rows(names: Iterable[str], work: Path, keep: bool) -> list[str]:
    """Check these rows, one line each; the names of those that failed. Environments are removed unless they are kept."""
    rows, failed = load_rows(), []
    (work / "archives").mkdir(parents=True, exist_ok=True)
    judge = make_environment(work / "judge", "3.11", "numpy", "pillow")
    for name in names:
        before = _processor_seconds()
        wrong = check_row(rows[name], work, judge)
        print(f"{name}: {wrong or 'delivered'}, {_processor_seconds() - before:.0f} s", flush=True)
        if wrong:
            failed.append(name)
        if not keep:
            shutil.rmtree(work / name / "environment", ignore_errors=True)
    return failed


def _processor_seconds() -> float:
    """What this process's children have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Check the rows that were named, or all."""
    parser = argparse.ArgumentParser(prog="python -m ml_agent.benchmarks.form_d", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--work", type=Path, required=True, help="folder for archives, repositories and environments")
    parser.add_argument("--keep", action="store_true", help="keep the environments")
    options = parser.parse_args()
    names = options.names or list(load_rows())
    if unknown := set(names) - set(load_rows()):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    return 1 if check_rows(names, options.work.resolve(), options.keep) else 0


if __name__ == "__main__":
    sys.exit(main())
