"""Who does delivery rows: ML-Agent itself, or another agent in a sandbox that holds the repository."""

import io
import shlex
import shutil
import time
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import msgspec

from ml_agent.benchmarks.form_d.row import Attempt, Terms
from ml_agent.benchmarks.form_d.rows import Row
from ml_agent.benchmarks.predict.config import program_version
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.model import SubjectRun, SubjectTask, own_run
from ml_agent.benchmarks.subjects.places import index_variables
from ml_agent.benchmarks.subjects.subject import Subject
from ml_agent.benchmarks.subjects.workplace import workplace
from ml_agent.endings import Ending
from ml_agent.errors import AgentError
from ml_agent.job import Job
from ml_agent.run_job import run_job
from ml_agent.runs import new_run
from ml_agent.sandbox.contract import Command, Sandbox
from ml_agent.sandbox.errors import SandboxError
from ml_agent.sandbox.interpreters import find_interpreters
from ml_agent.sandbox.unpack import unpack_tar
from ml_agent.sandbox.uv_program import uv_program
from ml_agent.settings import Settings, load_settings
from ml_agent.tools.errors import ToolError

SCRIPT, CLAIM = "run.sh", "claim.txt"
SCRIPT_SECONDS = 900.0
MOST_BYTES = 64 * 1024**2
"""Of the outputs; more is not brought out."""
_PACK = "tar -czf {0} -C {1} outputs && [ $(stat -c %s {0}) -le {2} ]"


class OwnAgent:
    """The whole program, as `ml-agent solve` runs it; it is told the instruction and the repository's folder."""

    def __init__(self, navigator: Literal["offline", "llm"]) -> None:
        self.label = f"ml-agent {navigator} {program_version()[:8]}"
        self._navigator = navigator

    def work(self, row: Row, root: Path, terms: Terms, records: Path) -> Attempt:
        """Solve; what came out is what the program hands over."""
        records.mkdir(parents=True, exist_ok=True)
        began = time.monotonic()
        folder = new_run(records, records / "run", {})
        job = Job(instruction=row.instruction, repository=str(root))
        outputs = records / "outputs"
        try:
            result = run_job(job, self._settings(terms), folder)
        except SandboxError:
            raise
        except (AgentError, ToolError) as error:
            outputs.mkdir(exist_ok=True)
            return Attempt(run=self._run({}, records, began, f"{type(error).__name__}: {error}"), claim=None)
        made = folder.outputs / outputs.name
        shutil.copytree(made, outputs, symlinks=True) if made.is_dir() else outputs.mkdir()
        ending = Ending.named(result["ending"])
        claim = None if ending in (Ending.BUDGET, Ending.MODEL_GONE) else ending.exit_code == 0
        run = self._run(result, records, began, "" if claim else f"{ending.label}: {result['message']}")
        return Attempt(run=run, claim=claim, cached_tokens=result["budget"]["cached_tokens"])

    def _settings(self, terms: Terms) -> Settings:
        limits, endpoint = terms.limits, terms.endpoint
        return load_settings(
            navigator=self._navigator,
            model=endpoint.model or None,
            base_url=endpoint.base_url,
            api_key=endpoint.api_key or None,
            sandbox=terms.place.sandbox,
            unisolated=terms.place.unisolated,
            image=terms.place.image or "",
            max_calls=limits.calls,
            max_tokens=limits.tokens,
            max_cost=limits.usd,
            max_seconds=limits.seconds,
        )

    def _run(self, result: dict[str, Any], records: Path, began: float, error: str) -> SubjectRun:
        done = own_run(self.label, result, records, time.monotonic() - began, error)
        gone = result.get("ending") == Ending.MODEL_GONE.label
        return msgspec.structs.replace(done, trouble=error if gone else "")


class PeerAgent:
    """Another agent: it works in the row's sandbox, which shows its environment."""

    def __init__(self, subject: Subject, installed: Installed) -> None:
        self.label = f"{subject.name} {installed.version}"
        self._subject, self._installed = subject, installed

    def work(self, row: Row, root: Path, terms: Terms, records: Path) -> Attempt:
        """Let it work; a script that it leaves is run where there are no outputs."""
        task = _task(row, terms)
        mounts = tuple(dict.fromkeys((*self._installed.mounts(), *python_mounts())))
        with workplace(terms.place, records, mounts, root, task.folder) as sandbox:
            sandbox.run(Command(text=f"mkdir -p {task.folder}/outputs"))
            run = self._subject.run(task, sandbox, self._installed, records)
            if SCRIPT in run.files:
                text = f'[ -n "$(ls -A outputs)" ] || bash {SCRIPT}'
                sandbox.run(
                    Command(text=text, folder=task.folder, timeout=SCRIPT_SECONDS, environment=index_variables())
                )
            bring_out(sandbox, task.folder, records)
        word = run.files.get(CLAIM, "").strip().lower()
        claim = {"done": True, "failed": False}.get(word)
        return Attempt(run=run, claim=claim, cached_tokens=_cached(records / "calls.jsonl"))


def python_mounts() -> tuple[Path, ...]:
    """uv, and the interpreters of this machine that a sandbox can show under their own names."""
    prefixes = [one.prefix for one in find_interpreters() if not one.prefix.is_relative_to("/usr")]
    return (uv_program(), *dict.fromkeys(prefixes))


def _pythons() -> Iterable[str]:
    return (str(one.executable) for one in find_interpreters() if not one.prefix.is_relative_to("/usr"))


def told(row: Row) -> str:
    """All that another agent is told of a row."""
    package, version = row.source.removeprefix("pypi:").split("==")
    return (
        f"{row.instruction}\n\n"
        f"You are in the source repository of {package} {version}. Its folder inputs/ holds the input files; leave the results"
        f" as {', '.join(row.outputs)}. Packages can be installed from the package index, with pip or with {uv_program()}; there"
        f" are these interpreters besides python3: {', '.join(_pythons()) or 'none'}. Who cannot run commands leaves a script"
        f" {SCRIPT} here, which is run where outputs/ is empty at the end. Last of all write one word into {CLAIM}: `done` where"
        " every result is there and right as far as you have seen, otherwise `failed`.\n"
    )


def _task(row: Row, terms: Terms) -> SubjectTask:
    return SubjectTask(
        text=told(row),
        endpoint=terms.endpoint,
        folder=row.name,
        writes=(SCRIPT, CLAIM),
        limits=terms.limits,
        reply_tokens=terms.reply_tokens,
        installs=True,
    )


def bring_out(sandbox: Sandbox, folder: str, records: Path) -> None:
    """Copy the folder outputs/ of the repository to `records`; what cannot be brought out stays where it was."""
    packed, target = ".outputs.tgz", records / "outputs"
    target.mkdir(parents=True, exist_ok=True)
    if not sandbox.run(Command(text=_PACK.format(packed, shlex.quote(folder), MOST_BYTES))).ok:
        return
    try:
        archive = io.BytesIO(sandbox.get(packed, MOST_BYTES))
        unpack_tar(archive, records, lambda name: PurePosixPath(name).parts[:1] == ("outputs",), 4 * MOST_BYTES)
    except ValueError as error:
        (records / "outputs.error").write_text(f"{error}\n", encoding="utf-8")


def _cached(journal: Path) -> int:
    """Cached prompt tokens, as the endpoint told them in its replies."""
    if not journal.is_file():
        return 0
    with journal.open("rb") as lines:
        replies = (msgspec.json.decode(line).get("reply") for line in lines)
        return sum(_cached_of(reply) for reply in replies)


def _cached_of(reply: object) -> int:
    usage = reply.get("usage") if isinstance(reply, dict) else None
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    return cached if isinstance(cached, int) and cached > 0 else 0
