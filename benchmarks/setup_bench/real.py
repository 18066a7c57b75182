"""Real repositories: whether the documented entry of each ends as documented in the environment that the ladder makes for it."""

import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ml_agent.benchmarks.setup_bench.run import SandboxKind, prove
from ml_agent.sandbox.choose import choose
from ml_agent.sandbox.contract import Limits, Policy
from ml_agent.sandbox.errors import SandboxError
from ml_agent.sandbox.session import Session
from ml_agent.sandbox.task import Source, Task
from ml_agent.tools.work_tree import WorkTree

ROWS = Path(__file__).with_name("real.jsonl")
MOST_BYTES = 2 * 1024**3
"""Of a work tree."""
SECONDS = 300.0
"""For one run of an entry."""
CODE = "ml_agent_answer.py"


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
