"""How environments of real repositories come about by rules alone, without a model.

    python -m benchmarks.setup_bench real --mirrors FOLDER
    python -m benchmarks.setup_bench time --mirrors FOLDER --only OWNER/NAME

`setup_real.jsonl` lists repositories at a commit, each with its documented entry or smallest documented call. `real` makes the environment
of each, runs the entry and repairs what fails (`prove`); right is what ends well and prints what the row expects. `time` compares with pip.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import typer
from rich.console import Console

from ml_agent.benchmarks.results import KeptRows
from ml_agent.sandbox.choose import choose
from ml_agent.sandbox.contract import Limits, Policy, Response
from ml_agent.sandbox.diagnosis import Diagnosis
from ml_agent.sandbox.errors import SandboxError
from ml_agent.sandbox.interpreters import find_interpreters
from ml_agent.sandbox.repair import MAX_REPAIRS, Repair
from ml_agent.sandbox.repair_rules import next_repair
from ml_agent.sandbox.session import Session
from ml_agent.sandbox.task import Source, Task
from ml_agent.tools.work_tree import WorkTree

SandboxKind = Literal["docker", "local", "process"]
LISTED = Path(__file__).with_name("setup_real.jsonl")
MOST_BYTES = 2 * 1024**3
"""Of a work tree."""
SECONDS = 300.0
"""For one run of an entry."""
CODE = "ml_agent_answer.py"
Note = Callable[[str], None] | None
"""Gets each step of a set-up."""


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """How far a task came."""

    response: Response
    diagnosis: Diagnosis
    """Of the last failure; `no-error` when there is none."""
    repairs: tuple[Repair, ...] = ()
    failures: tuple[Diagnosis, ...] = ()
    """All that were met on the way, in order."""

    @property
    def ok(self) -> bool:
        """Whether it ended well, or was at work when its probe ended it."""
        return self.response.ok or self.response.ended == "probe"


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one repository, or of one case of `tests/setup_bench`."""

    name: str
    right: bool
    ended: str
    """completed, or the code of the last failure."""
    message: str = ""
    failures: tuple[str, ...] = ()
    """Codes of all failures in order; none where the set-up averted them."""
    repairs: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    """What speaks against the end."""
    set_up_seconds: float = 0.0
    seconds: float = 0.0


def result_of(name: str, proof: Proof, wrong: Sequence[str]) -> Result:
    """The result, without its time, for a proof and what speaks against it."""
    return Result(
        name=name,
        right=not wrong,
        ended="completed" if proof.ok else proof.diagnosis.code,
        message="" if proof.ok else proof.diagnosis.message,
        failures=tuple(found.code for found in proof.failures),
        repairs=tuple(f"{repair.kind} {' '.join(repair.arguments)}" for repair in proof.repairs),
        wrong=tuple(wrong),
    )


@contextmanager
def open_session(source: Source, place: Path, kind: SandboxKind, note: Note = None) -> Iterator[Session]:
    """A sandbox for a repository, closed at the end."""
    policy = Policy(network="install", run_id="setup-bench", limits=Limits(memory_bytes=8 * 1024**3))
    sandbox = choose("docker" if kind == "docker" else "local", policy, place / "logs", kind == "process")
    session = Session(sandbox, source, note=note)
    try:
        yield session
    finally:
        session.close()


class Repository(msgspec.Struct, frozen=True, kw_only=True):
    """A repository at a commit and its documented entry."""

    name: str
    """OWNER/NAME."""
    commit: str
    entry: str = ""
    """The documented command; it, or `code`, needs no data from outside."""
    code: str = ""
    """The smallest documented call, as Python."""
    folder: str = "."
    expect: str = ""
    """A regular expression for what it prints."""


def repositories() -> list[Repository]:
    """All rows of the list."""
    return [
        msgspec.json.decode(line, type=Repository) for line in LISTED.read_text("utf-8").splitlines() if line.strip()
    ]


def run_repository(row: Repository, mirrors: Path, kind: SandboxKind, note: Note = None) -> Result:
    """Make the environment of a repository and run its entry."""
    began = time.monotonic()
    try:
        with _laid(row, mirrors, kind, note) as (session, task):
            session.prepare(task)
            ready = round(time.monotonic() - began, 1)
            proof = prove(session, task)
    except SandboxError as error:
        return Result(name=row.name, ended="sandbox", right=False, message=str(error))
    said = proof.response.stdout + proof.response.stderr
    wrong = (
        [proof.diagnosis.message] if not proof.ok else [] if re.search(row.expect, said) else [f"says {said[-200:]}"]
    )
    seconds = round(time.monotonic() - began, 1)
    return msgspec.structs.replace(result_of(row.name, proof, wrong), set_up_seconds=ready, seconds=seconds)


@contextmanager
def _laid(row: Repository, mirrors: Path, kind: SandboxKind, note: Note = None) -> Iterator[tuple[Session, Task]]:
    """The commit of a mirror (`OWNER+NAME/repo`, a git directory) for a new sandbox, and the entry as a task."""
    with tempfile.TemporaryDirectory(prefix="setup-bench-") as place:
        mirror = mirrors / row.name.replace("/", "+") / "repo"
        work = WorkTree(mirror / ".git" if (mirror / ".git").is_dir() else mirror, bare=True)
        root = Path(place) / "repositories" / row.name.partition("/")[2]
        root.mkdir(parents=True)
        work.write_held(row.commit, root, MOST_BYTES)
        if row.code:
            (root / row.folder / CODE).write_text(row.code)
        source = Source(root=root, version=row.commit, url=f"https://github.com/{row.name}", date=work.date(row.commit))
        task = Task(text=row.entry or f"python {CODE}", folder=row.folder, code=row.code, timeout=SECONDS)
        with open_session(source, Path(place), kind, note) as session:
            yield session, task


def time_repository(row: Repository, mirrors: Path) -> str:
    """Seconds to its environment with nothing cached, then again, and by venv and pip with the same packages, nothing cached."""
    with tempfile.TemporaryDirectory(prefix="setup-bench-") as cache:
        os.environ["ML_AGENT_CACHE_DIR"] = cache
        seconds = []
        for _ in range(2):
            with _laid(row, mirrors, "local") as (session, task):
                began = time.monotonic()
                session.prepare(task)
                seconds.append(time.monotonic() - began)
                record = session.record(task)
                words = [package.pin for package in record.packages]
                words += [str(session.source.root / record.project)] if record.project else []
                if len(seconds) == 2:
                    python = next(
                        one for one in find_interpreters() if f"{one.version[0]}.{one.version[1]}" == record.python
                    )
                    began = time.monotonic()
                    subprocess.run([python.executable, "-m", "venv", f"{cache}/by-pip"], check=True)
                    pip = [f"{cache}/by-pip/bin/pip", "install", "-q", "--no-cache-dir", *words]
                    done = subprocess.run(pip, capture_output=True, check=False)
                    seconds.append(time.monotonic() - began)
    cold, warm, by_pip = seconds
    said = f"{cold:.1f} s, again {warm:.2f} s; pip {by_pip:.1f} s" + (" (fails)" if done.returncode else "")
    return f"{row.name}, {len(words)} packages: {said}; {cold / by_pip:.2f}"


def prove(session: Session, task: Task) -> Proof:
    """Run the task, repairing by rules. Raises SandboxUnavailableError, SandboxLostError."""
    repairs: list[Repair] = []
    failures: list[Diagnosis] = []
    while True:
        response = session.run(task, repairs)
        diagnosis = session.diagnose(response, task, repairs)
        if diagnosis.code == "no-error":
            break
        failures.append(diagnosis)
        if len(repairs) >= MAX_REPAIRS:
            break
        repair = next_repair(diagnosis, repairs, session.scene(task, repairs))
        if repair is None:
            break
        repairs.append(repair)
    return Proof(response=response, diagnosis=diagnosis, repairs=tuple(repairs), failures=tuple(failures))


app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.command()
def real(
    mirrors: Annotated[Path, typer.Option(help="Folder with OWNER+NAME/repo, a git directory each.", exists=True)],
    only: Annotated[list[str] | None, typer.Option(help="A name; may be repeated.")] = None,
    sandbox: Annotated[SandboxKind, typer.Option(help="local: bubblewrap; process: without isolation.")] = "local",
    out: Annotated[Path | None, typer.Option(help="One JSON line each; those that stand there are not run.")] = None,
    verbose: Annotated[bool, typer.Option(help="Every step of the set-ups on stderr.")] = False,
) -> None:
    """Make the environment of each real repository and run its documented entry; nothing but the package index is reached."""
    runs = {one.name: one for one in repositories()}
    if unknown := set(only or ()) - set(runs):
        raise typer.BadParameter(f"there is no {', '.join(sorted(unknown))}")
    kept, console, rows = KeptRows(out, Result) if out else None, Console(width=180), []
    done = {row.name: row for row in kept.rows} if kept else {}
    steps = Console(stderr=True)
    note = (lambda line: steps.print(f"  {line}", markup=False)) if verbose else None
    for name in only or runs:
        row = done.get(name) or run_repository(runs[name], mirrors, sandbox, note)
        if kept and name not in done:
            kept.add(row)
        rows.append(row)
        way = " > ".join((*row.failures, *row.repairs))
        said = f"{'ok ' if row.right else 'NOT'} {name} {row.seconds:.0f} s: {row.ended} {'; '.join(row.wrong)[:300]} {way}"
        console.print(said, markup=False)
    right, completed = sum(row.right for row in rows), sum(row.ended == "completed" for row in rows)
    seconds = sum(row.seconds for row in rows)
    console.print(f"{right} of {len(rows)} end as they must, {completed} completed, {seconds:.0f} s")
    sys.exit(0 if right == len(rows) else 1)


@app.command("time")
def time_(
    mirrors: Annotated[Path, typer.Option(help="Folder with OWNER+NAME/repo, a git directory each.", exists=True)],
    only: Annotated[list[str], typer.Option(help="A name; may be repeated.")],
) -> None:
    """How long an environment takes, cold and warm, against venv and pip; bubblewrap, for an idle machine."""
    for row in (row for row in repositories() if row.name in only):
        print(time_repository(row, mirrors), flush=True)


if __name__ == "__main__":
    app()
