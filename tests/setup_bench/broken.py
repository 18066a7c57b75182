"""Broken repositories that we made: each is a folder of `cases` with `case.toml` and `repository/`.

Nothing of a case but the repository and the command may reach what is being tested; the rest belongs to the judge.
"""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import msgspec

from ml_agent.benchmarks.setup_bench import Proof, Result, SandboxKind, open_session, prove, result_of
from ml_agent.sandbox.contract import Command, Sandbox
from ml_agent.sandbox.diagnosis import Diagnosis
from ml_agent.sandbox.task import Source, Task
from ml_agent.tools.versions import commit_date, head_commit

TIMEOUT = 120.0
"""Seconds for one run of a case's command; each takes a moment."""
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
    date: str = "2023-06-01"
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
        differing = [(key, value) for key, value in self.expect.items() if content.get(key) != value]
        return [f"{key}: {content.get(key)!r}, expected {value!r}" for key, value in differing]


def load(folder: Path) -> list[Case]:
    """All cases of a folder by name."""
    paths = sorted(folder.resolve().glob("*/case.toml"))
    return [msgspec.convert({"folder": path.parent, **tomllib.loads(path.read_text("utf-8"))}, Case) for path in paths]


def lay(case: Case, folder: Path) -> Path:
    """Copy the repository into `folder` and commit it under the case's date; the path of the copy."""
    copy = Path(shutil.copytree(case.repository, folder / case.name))
    identity = {"NAME": "bench", "EMAIL": "bench@localhost", "DATE": f"{case.date}T12:00:00+0000"}
    named = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in identity.items()}
    for arguments in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-q", "-m", case.title]):
        options = ["-c", "commit.gpgsign=false", "-c", "core.autocrlf=false", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *options, *arguments], cwd=copy, env=os.environ | named, check=True, capture_output=True)
    return copy


def run_case(case: Case, kind: SandboxKind) -> Result:
    """Set up, run, diagnose and repair by rules. Raises SandboxUnavailableError, SandboxLostError."""
    with tempfile.TemporaryDirectory(prefix="setup-bench-") as place:
        root = lay(case, Path(place) / "repositories")
        source = Source(root=root, version=head_commit(root), date=commit_date(root))
        with open_session(source, Path(place), kind) as session:
            proof = prove(session, Task(text=case.command, timeout=TIMEOUT))
            written = _read_result(session.sandbox, case.result) if proof.ok else None
            return judge(case, proof, written, ends_here(case, session.sandbox))


def judge(case: Case, proof: Proof, written: dict[str, Any] | None, expected: Ends) -> Result:
    """The row, without its time, for a proof; `written` is what the program's result file holds, None where there is none."""
    ended: Ends = "completed" if proof.ok else "diagnosed"
    wrong = _wrong_result(case, written) if proof.ok else _wrong_diagnosis(case, proof.diagnosis)
    if ended != expected and not (ended == "completed" == case.also):
        wrong = [f"ended {ended}, expected {expected}", *wrong]
    return result_of(case.name, proof, wrong)


def ends_here(case: Case, sandbox: Sandbox) -> Ends:
    """The right end in this sandbox, which may lack the interpreter that the case needs."""
    if not case.needs:
        return case.ends
    major, minor = case.needs.removeprefix("python").split(".")
    return case.ends if (int(major), int(minor)) in sandbox.pythons() else "diagnosed"


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
