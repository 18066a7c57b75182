"""Drives one case through the project's own session and judges the end."""

import json
import shlex
import tempfile
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import msgspec

from ml_agent.benchmarks.setup_bench.cases import Case, Ends, lay
from ml_agent.sandbox.abilities import EnvironmentSandbox
from ml_agent.sandbox.choose import choose
from ml_agent.sandbox.contract import Command, Policy, Response, Sandbox
from ml_agent.sandbox.diagnosis import Diagnosis
from ml_agent.sandbox.repair import MAX_REPAIRS, Repair
from ml_agent.sandbox.repair_rules import next_repair
from ml_agent.sandbox.session import Session
from ml_agent.sandbox.task import Source, Task
from ml_agent.tools.versions import commit_date, head_commit

SandboxKind = Literal["docker", "local", "process"]
TIMEOUT = 120.0
"""Seconds for one run of a case's command; each takes a moment."""


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
    model_tokens: int = 0
    """No model takes part."""
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
