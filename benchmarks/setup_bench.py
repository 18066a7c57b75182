"""How environments come about by rules alone: broken repositories that we made, and real ones.

    python -m benchmarks.setup_bench cases tests/setup_bench/cases
    python -m benchmarks.setup_bench real --mirrors FOLDER

A case is a folder with `case.toml` and `repository/`. Nothing of it but the repository and the command may reach what is being
tested; the rest belongs to the judge.
"""

import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from ml_agent.benchmarks.results import KeptRows
from ml_agent.sandbox.abilities import EnvironmentSandbox
from ml_agent.sandbox.choose import choose
from ml_agent.sandbox.contract import Command, Limits, Policy, Response, Sandbox
from ml_agent.sandbox.diagnosis import Diagnosis
from ml_agent.sandbox.errors import SandboxError
from ml_agent.sandbox.repair import MAX_REPAIRS, Repair
from ml_agent.sandbox.repair_rules import next_repair
from ml_agent.sandbox.session import Session
from ml_agent.sandbox.task import Source, Task
from ml_agent.tools.versions import commit_date, head_commit
from ml_agent.tools.work_tree import WorkTree

SandboxKind = Literal["docker", "local", "process"]
TIMEOUT = 120.0
"""Seconds for one run of a case's command; each takes a moment."""
ROWS = Path(__file__).with_name("setup_real.jsonl")
MOST_BYTES = 2 * 1024**3
"""Of a work tree."""
SECONDS = 300.0
"""For one run of an entry."""
CODE = "ml_agent_answer.py"
DEFAULT_DATE = "2023-06-01"

Ends = Literal["completed", "diagnosed"]


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One broken repository and the right end."""

    folder: Path
    title: str
    thread: str
    """The public thread that it reproduces."""
    command: str
    """What the user asks to run, from the repository's root."""
    error: str
    """Regular expression for the output of the naive way."""
    diagnosis: tuple[str, ...]
    """Codes of `sandbox.diagnosis`, any of which names the first failure rightly."""
    names: tuple[str, ...]
    """Words that a good message contains, whatever their case."""
    ends: Ends
    """How the run must end by rules alone."""
    also: Literal["", "completed"] = ""
    """A better end that is right, too, where the sandbox can reach it."""
    needs: str = ""
    """An interpreter, such as python3.9, without which a case that ends `completed` must end `diagnosed`."""
    naive: str = ""
    """What a user would type first; empty for the command alone."""
    remedy: str = ""
    """One way to run it by hand, which shows that `completed` is possible."""
    result: str = "result.json"
    """File that the program writes."""
    expect: dict[str, Any] = {}
    """What the file must hold."""
    date: str = DEFAULT_DATE
    """Date of the repository's last commit."""

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.name

    @property
    def repository(self) -> Path:
        """The folder of the repository."""
        return self.folder / "repository"

    def mismatches(self, content: dict[str, Any]) -> list[str]:
        """Where what the program wrote is not what it must be."""
        return [f"{key}: {content.get(key)!r}, expected {value!r}" for key, value in self.expect.items()
                if content.get(key) != value]  # fmt: skip


def load(folder: Path) -> list[Case]:
    """All cases of a folder by name."""
    return [_read(path) for path in sorted(folder.resolve().glob("*/case.toml"))]


def lay(case: Case, folder: Path) -> Path:
    """Copy the repository into `folder` and commit it under the case's date; the path of the copy."""
    copy = Path(shutil.copytree(case.repository, folder / case.name))
    environment = {
        **os.environ,
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _identity(case).items()},
    }
    for arguments in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-q", "-m", case.title]):
        options = ["-c", "commit.gpgsign=false", "-c", "core.autocrlf=false", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *options, *arguments], cwd=copy, env=environment, check=True, capture_output=True)
    return copy


def _read(path: Path) -> Case:
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return msgspec.convert({"folder": path.parent, **content}, Case)


def _identity(case: Case) -> dict[str, str]:
    return {"NAME": "bench", "EMAIL": "bench@localhost", "DATE": f"{case.date}T12:00:00+0000"}


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


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one case."""

    case: str
    sandbox: str = ""
    expected: Ends
    ended: Ends
    right: bool
    """The end is right, and so are the values of a program that completed, or the diagnosis of one that did not."""
    diagnosis: str
    """Code of the last failure, no-error where there is none."""
    message: str
    failures: tuple[str, ...] = ()
    """Codes of all failures in order; none where the set-up averted them."""
    repairs: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    """What speaks against the end."""
    seconds: float = 0.0


def run_case(case: Case, kind: SandboxKind, note: Callable[[str], None] | None = None) -> Row:
    """Set up, run, diagnose and repair by rules. Raises SandboxUnavailableError, SandboxLostError."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="setup-bench-") as place:
        root = lay(case, Path(place) / "repositories")
        source = Source(root=root, version=head_commit(root), date=commit_date(root))
        policy = Policy(network="install", run_id=f"setup-bench-{case.name}")
        sandbox = choose("docker" if kind == "docker" else "local", policy, Path(place) / "logs", kind == "process")
        session = Session(sandbox, source, note=note)
        try:
            proof = prove(session, Task(text=case.command, timeout=TIMEOUT))
            written = _read_result(sandbox, case.result) if proof.ok else None
            row = judge(case, proof, written, ends_here(case, sandbox))
            return msgspec.structs.replace(row, sandbox=kind, seconds=round(time.monotonic() - began, 1))
        finally:
            session.close()


def judge(case: Case, proof: Proof, written: dict[str, Any] | None, expected: Ends) -> Row:
    """The row, without place and time, for a proof; `written` is what the program's result file holds, None where there is none."""
    ended: Ends = "completed" if proof.ok else "diagnosed"
    wrong = _wrong_result(case, written) if ended == "completed" else _wrong_diagnosis(case, proof.diagnosis)
    if ended != expected and not (ended == "completed" == case.also):
        wrong = [f"ended {ended}, expected {expected}", *wrong]
    return Row(
        case=case.name,
        expected=expected,
        ended=ended,
        right=not wrong,
        diagnosis=proof.diagnosis.code,
        message=proof.diagnosis.message,
        failures=tuple(found.code for found in proof.failures),
        repairs=tuple(f"{repair.kind} {' '.join(repair.arguments)}" for repair in proof.repairs),
        wrong=tuple(wrong),
    )


def ends_here(case: Case, sandbox: Sandbox) -> Ends:
    """The right end in this sandbox, which may lack the interpreter that the case needs."""
    if not case.needs:
        return case.ends
    major, minor = case.needs.removeprefix("python").split(".")
    pythons = sandbox.pythons() if isinstance(sandbox, EnvironmentSandbox) else ()
    return case.ends if (int(major), int(minor)) in pythons else "diagnosed"


def _wrong_result(case: Case, written: dict[str, Any] | None) -> list[str]:
    if not case.expect:
        return []
    return [f"{case.result}: not written"] if written is None else case.mismatches(written)


def _wrong_diagnosis(case: Case, diagnosis: Diagnosis) -> list[str]:
    wrong = [] if diagnosis.code in case.diagnosis else [f"{diagnosis.code}, expected {' or '.join(case.diagnosis)}"]
    missing = [name for name in case.names if name.lower() not in diagnosis.message.lower()]
    return wrong + [f"the message does not say {name}" for name in missing]


def _read_result(sandbox: Sandbox, result: str) -> dict[str, Any] | None:
    """The newest file of the result's name, wherever the command ran."""
    name = shlex.quote(PurePosixPath(result).name)
    found = sandbox.run(Command(text=f"find . -name {name} -type f -printf '%T@ %p\\n' | sort -n | tail -n 1"))
    path = found.stdout.strip().partition(" ")[2]
    return dict(json.loads(sandbox.get(path))) if path else None


class Repository(msgspec.Struct, frozen=True, kw_only=True):
    """A repository at a commit and its documented entry."""

    name: str
    """OWNER/NAME."""
    commit: str
    field: str
    entry: str = ""
    """The documented command; it, or `code`, needs no data from outside."""
    code: str = ""
    """The smallest documented call, as Python."""
    folder: str = "."
    expect: str = ""
    """A regular expression for what it prints."""
    compiled: bool = False
    """Whether parts of it must be compiled."""
    batch: int = 1
    """With which it was brought."""


class RealRow(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one repository."""

    name: str
    date: str = ""
    ended: str
    right: bool
    message: str = ""
    way: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    set_up_seconds: float = 0.0
    seconds: float = 0.0


def repositories(file: Path = ROWS) -> list[Repository]:
    """All rows of the list."""
    return [msgspec.json.decode(line, type=Repository) for line in file.read_text("utf-8").splitlines() if line.strip()]


def run_repository(
    row: Repository, mirrors: Path, kind: SandboxKind, note: Callable[[str], None] | None = None
) -> RealRow:
    """Lay the commit of a mirror (`OWNER+NAME/repo`, a git directory), make the environment and run the entry."""
    began, notes = time.monotonic(), list[str]()

    def say(line: str) -> None:
        notes.append(line)
        if note is not None:
            note(line)

    with laid(row, mirrors, kind, say) as (session, task):
        try:
            session.prepare(task)
            ready = time.monotonic() - began
            proof = prove(session, task)
            said = proof.response.stdout + proof.response.stderr
            right = proof.ok and re.search(row.expect, said) is not None
            ended = "right" if right else "ended well, but says something else" if proof.ok else proof.diagnosis.code
            record = session.record(task, proof.repairs)
            return RealRow(
                name=row.name,
                date=session.source.date,
                ended=ended,
                right=right,
                message=proof.diagnosis.message if not proof.ok else said[-200:] if not right else "",
                way=tuple(f"{one.way}: {one.ended}" for one in record.attempts),
                repairs=tuple(f"{one.kind} {' '.join(one.arguments)}" for one in proof.repairs),
                notes=tuple(notes),
                set_up_seconds=round(ready, 1),
                seconds=round(time.monotonic() - began, 1),
            )
        except SandboxError as error:
            return RealRow(name=row.name, ended="sandbox", right=False, message=str(error), notes=tuple(notes))


def prove(session: Session, task: Task, max_repairs: int = MAX_REPAIRS) -> Proof:
    """Run the task, repairing by rules. Raises SandboxUnavailableError, SandboxLostError."""
    repairs: list[Repair] = []
    failures: list[Diagnosis] = []
    while True:
        response = session.run(task, repairs)
        diagnosis = session.diagnose(response, task, repairs)
        if diagnosis.code == "no-error":
            break
        failures.append(diagnosis)
        if len(repairs) >= max_repairs:
            break
        repair = next_repair(diagnosis, repairs, session.scene(task, repairs))
        if repair is None:
            break
        repairs.append(repair)
    return Proof(response=response, diagnosis=diagnosis, repairs=tuple(repairs), failures=tuple(failures))


@contextmanager
def laid(
    row: Repository, mirrors: Path, kind: SandboxKind, note: Callable[[str], None] | None = None
) -> Iterator[tuple[Session, Task]]:
    """A session for the commit of a mirror, and the task that runs its entry."""
    with tempfile.TemporaryDirectory(prefix="setup-bench-") as place:
        work = mirror_of(mirrors, row.name)
        root = Path(place) / "repositories" / row.name.partition("/")[2]
        root.mkdir(parents=True)
        work.write_held(row.commit, root, MOST_BYTES)
        if row.code:
            (root / row.folder / CODE).write_text(row.code)
        source = Source(root=root, version=row.commit, url=f"https://github.com/{row.name}", date=work.date())
        policy = Policy(network="install", run_id="setup-bench", limits=Limits(memory_bytes=8 * 1024**3))
        sandbox = choose("docker" if kind == "docker" else "local", policy, Path(place) / "logs", kind == "process")
        session = Session(sandbox, source, note=note)
        text = row.entry or f"python {CODE}"
        try:
            yield session, Task(text=text, folder=row.folder, code=row.code, timeout=SECONDS)
        finally:
            session.close()


def mirror_of(mirrors: Path, name: str) -> WorkTree:
    """The git directory of a repository among the mirrors."""
    place = mirrors / name.replace("/", "+") / "repo"
    return WorkTree(place / ".git" if (place / ".git").is_dir() else place, bare=True)


app = typer.Typer(add_completion=False, no_args_is_help=True)
Only = Annotated[list[str] | None, typer.Option(help="Name of a case; may be repeated.")]
Kind = Annotated[SandboxKind, typer.Option(help="local: bubblewrap; process: without isolation.")]
Out = Annotated[Path | None, typer.Option(help="One JSON line a case; those that stand there are not run.")]
Verbose = Annotated[bool, typer.Option(help="Every step of the set-ups on stderr.")]


@app.command()
def cases(
    folder: Annotated[Path, typer.Argument(help="Folder of the cases.", exists=True, file_okay=False)],
    only: Only = None,
    sandbox: Kind = "docker",
    out: Out = None,
    verbose: Verbose = False,
) -> None:
    """Run each case by rules alone, without a model; exit with 1 where an end is not the right one."""
    wanted = [case for case in load(folder) if not only or case.name in only]
    if only and len(wanted) < len(set(only)):
        raise typer.BadParameter(f"no such case: {', '.join(sorted(set(only) - {case.name for case in wanted}))}")
    kept, console, note = KeptRows(out, Row), Console(stderr=True), _note(verbose)
    rows = []
    for case in wanted:
        row = kept.done(functools.partial(run_case, case, sandbox, note), case=case.name, sandbox=sandbox)
        console.print(f"{'ok ' if row.right else 'NOT'} {row.case}: {'; '.join(row.wrong) or row.ended}", markup=False)
        rows.append(row)
    _show(rows)
    sys.exit(0 if all(row.right for row in rows) else 1)


@app.command()
def real(
    mirrors: Annotated[Path, typer.Option(help="Folder with OWNER+NAME/repo, a git directory each.", exists=True)],
    only: Only = None,
    batch: Annotated[list[int] | None, typer.Option(help="Only the repositories that came with it.")] = None,
    sandbox: Kind = "local",
    out: Out = None,
    verbose: Verbose = False,
) -> None:
    """Make the environment of each real repository and run its documented entry; nothing but the package index is reached."""
    wanted = [row for row in repositories() if (not only or row.name in only) and (not batch or row.batch in batch)]
    kept, console, note = KeptRows(out, RealRow), Console(stderr=True), _note(verbose)
    rows = []
    for one in wanted:
        row = kept.done(functools.partial(run_repository, one, mirrors, sandbox, note), name=one.name)
        said = "ok " if row.right else "NOT"
        console.print(f"{said} {row.name} {row.set_up_seconds} s: {row.ended} {row.message[:200]}", markup=False)
        rows.append(row)
    right = sum(row.right for row in rows)
    console.print(f"{right} of {len(rows)} end as documented, {sum(row.seconds for row in rows):.0f} s", markup=False)


def _note(verbose: bool) -> Callable[[str], None] | None:
    console = Console(stderr=True)
    return (lambda line: console.print(f"  {line}", markup=False)) if verbose else None


def _show(rows: list[Row]) -> None:
    table = Table("case", "expected", "ended", "failures", "repairs", "s", "right")
    for row in rows:
        codes = " > ".join(row.failures) or "averted"
        right = "yes" if row.right else "; ".join(row.wrong)
        table.add_row(row.case, row.expected, row.ended, codes, "\n".join(row.repairs), f"{row.seconds:.0f}", right)
    console = Console(width=180)
    console.print(table)
    completed = [row for row in rows if row.ended == "completed" and row.right]
    diagnosed = [row for row in rows if row.ended == "diagnosed" and row.right]
    console.print(
        f"{len(rows)} cases: {len(completed)} completed ({sum(r.expected == 'completed' for r in rows)} should), "
        f"{len(diagnosed)} rightly diagnosed, {sum(not row.right for row in rows)} wrong; "
        f"{sum(row.seconds for row in rows):.0f} s"
    )


if __name__ == "__main__":
    app()
