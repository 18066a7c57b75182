"""The published scorer's three rules (gersteinlab/ML-Bench, utils/exec.py), traps included."""

import functools
import os
import re
import shutil
import signal
import subprocess
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks.data import Kind, Task

MARKS = (".sh ", ".py ")
_ENDS_WITH_SCRIPT = re.compile(r"(\.(?:py|sh))$", re.MULTILINE)


class OfficialSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the published scorer fixes."""

    image: str
    outputs: int
    """Rows with another number of outputs are dropped."""
    seconds: Mapping[str, Any]
    environments: Mapping[str, str]

    def timeout(self, github_id: int, kind: Kind) -> float:
        """Seconds after which an answer that still runs passes."""
        return float(self.seconds[kind].get(str(github_id), self.seconds["default"]))

    def environment(self, github_id: int) -> str | None:
        """Name of the conda environment of a repository."""
        return self.environments.get(str(github_id))


@functools.cache
def settings() -> OfficialSettings:
    """The published settings."""
    data = tomllib.loads(files("ml_agent.benchmarks").joinpath("official.toml").read_text())
    return msgspec.convert(data, OfficialSettings)


def validate_arguments(output: str, arguments: Mapping[str, Any]) -> bool:
    """Rule 1: every value, as text, occurs in the output, in whatever case."""
    return all(str(value).lower() in output.lower() for value in arguments.values())


def looks_like_bash(output: str) -> bool:
    """`.sh ` or `.py `, with the blank, makes an output bash; anything else is Python."""
    return any(mark in output for mark in MARKS)


def as_published(command: str) -> str:
    """A command in the form that is taken for bash: where no blank follows `.py` or `.sh`, one is added at the end of a line."""
    return command if looks_like_bash(command) else _ENDS_WITH_SCRIPT.sub(r"\1 ", command, count=1)


def validate_type(output: str, kind: Kind) -> bool:
    """Rule 2: the output is of the kind that is asked for."""
    return looks_like_bash(output) == (kind == "bash")


@functools.cache
def conda() -> str | None:
    """The conda on this machine, or None."""
    return os.environ.get("CONDA_EXE") or shutil.which("conda")


@functools.cache
def has_environment(name: str) -> bool:
    """Whether a conda environment of this name is here."""
    program = conda()
    if program is None:
        return False
    done = subprocess.run([program, "env", "list"], capture_output=True, text=True, timeout=60, check=False)
    return any(line.split()[:1] == [name] for line in done.stdout.splitlines())


def can_execute(tasks: list[Task]) -> bool:
    """Whether rule 3 can be applied to all these rows; without it no Pass@k may be called official."""
    names = {settings().environment(t.github_id) for t in tasks}
    return all(name is not None and has_environment(name) for name in names)


def executes(output: str, task: Task, repos: Path) -> bool:
    """Rule 3: exit status 0, or still running when the time is over.

    As published, standard output is a pipe that nobody reads (a program that prints more than a pipe holds blocks, and passes by
    its timeout), and Python is written to `temp.py` in the task's folder.
    """
    name = settings().environment(task.github_id)
    folder = repos / task.repository / task.folder
    kind: Kind = "bash" if looks_like_bash(output) else "python"
    if kind == "python":
        (folder / "temp.py").write_text(output, encoding="utf-8")
    command = f"cd {folder}; source activate {name}; {output if kind == 'bash' else 'python temp.py'}"
    process = subprocess.Popen(["bash", "-c", command], stdout=subprocess.PIPE, start_new_session=True)
    try:
        return process.wait(timeout=settings().timeout(task.github_id, kind)) == 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=60)
