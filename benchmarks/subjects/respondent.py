"""Another agent as a respondent of form L: what it writes into run.sh or answer.py is its answer to a row."""

import functools
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import httpx
import msgspec

from ml_agent.benchmarks.data import Visible
from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.official import as_published
from ml_agent.benchmarks.predict.respondent import Respondent
from ml_agent.benchmarks.predict.rows import Result
from ml_agent.benchmarks.predict.unit import Unit
from ml_agent.benchmarks.predictions import Usage
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.model import DEFAULT_LIMITS, REPLY_TOKENS, SubjectRun, SubjectTask
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.benchmarks.subjects.registry import subject
from ml_agent.benchmarks.subjects.subject import Subject
from ml_agent.benchmarks.subjects.workplace import clear, folder_of, name_of, workplace
from ml_agent.conversation.configured import endpoint_of
from ml_agent.errors import ConfigurationError, ProviderError
from ml_agent.files import write_atomically
from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint
from ml_agent.model.transport import NetworkTransport
from ml_agent.prompts.render import render
from ml_agent.sandbox.errors import SandboxError
from ml_agent.settings import load_settings

COMMAND, CODE = "run.sh", "answer.py"
_ONLY_RUNS_CODE = re.compile(r"(?:exec\s+)?python3?\s+(?:\./)?answer\.py\s*")
LOOK_SECONDS = 60.0


class AgentConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Who answers and how; the key is no part of it, each process takes it from its environment."""

    agent: str
    home: Path
    """Folder in which agents are installed."""
    model: str
    base_url: str = ""
    setting: Literal["agent", "repo"] = "agent"
    attempts: int = 1
    limits: Limits = DEFAULT_LIMITS
    """Of one attempt."""
    reply_tokens: int = REPLY_TOKENS
    place: Place = Place()

    def endpoint(self, with_key: bool = True) -> Endpoint:
        """The model's, with the key of this process's environment, or without one to be sent elsewhere."""
        found = endpoint_of(load_settings(navigator="llm", model=self.model, base_url=self.base_url or None))
        # a slow model may take all of the row's time for one long prompt
        timeout = max(found.timeout, self.limits.seconds or 0.0)
        return msgspec.structs.replace(found, timeout=timeout, api_key=found.api_key if with_key else "")


def with_key(endpoint: Endpoint) -> Endpoint:
    """The endpoint with the key of this process's environment, where it has none."""
    if endpoint.api_key:
        return endpoint
    return msgspec.structs.replace(endpoint, api_key=load_settings().api_key.get_secret_value())


def see_that_it_answers(endpoint: Endpoint) -> None:
    """ProviderError where nothing answers at the endpoint, ConfigurationError where it refuses the key.

    Without it every row would be tried, and be an error.
    """
    headers = {"authorization": f"Bearer {endpoint.api_key or 'none'}"}
    with httpx.Client(transport=NetworkTransport(), timeout=LOOK_SECONDS) as client:
        try:
            status = client.get(f"{endpoint.base_url.rstrip('/')}/models", headers=headers).status_code
        except httpx.HTTPError as error:
            raise ProviderError(f"no endpoint answers at {endpoint.shown}: {type(error).__name__}") from error
    if status in (401, 403):
        raise ConfigurationError(f"{endpoint.shown} refuses the key (OPENAI_API_KEY): status {status}")


def agents_home(home: Path | None = None) -> Path:
    """Where agents are installed: the folder that is given, else one in the cache."""
    return (home or load_settings().cache_dir / "agents").absolute()


def agent(config: AgentConfig, records: Path) -> Respondent:
    """The agent as a respondent; what it leaves behind goes to `records`, one folder an attempt.

    AgentMissingError where it is not installed.
    """
    found, installed = find_agent(config.agent, config.home)
    return Respondent(
        subject=f"{found.name} {installed.version}, {config.endpoint().model}",
        fingerprint=_fingerprint(config, installed),
        setting=config.setting,
        carry_out=functools.partial(answer, config=config, records=records.absolute()),
        attempts=config.attempts,
        apart=True,
    )


def answer(unit: Unit, config: AgentConfig, records: Path) -> Result:
    """One attempt at one row, in a sandbox of its own; whatever goes wrong with it becomes its error. AgentMissingError ends them all."""
    fields: dict[str, Any] = {"github_id": unit.key[0], "id": unit.key[1], "attempt": unit.attempt}
    place = records / unit.label
    clear(place)
    try:
        run = _run(config, unit, place)
        write_atomically(place / "run.json", msgspec.json.encode(run, enc_hook=str).decode())
    except AgentMissingError:
        raise
    except SandboxError as error:
        return Result(**fields, error=f"{type(error).__name__}: {error}")
    except Exception as problem:  # noqa: BLE001 - a full disk or a defect in one row must not stop the others; it is the row's
        return Result(**fields, error=f"defect: {type(problem).__name__}: {problem}")
    text = answer_of(run.files)
    spent = {name: getattr(run, name) for name in ("prompt_tokens", "completion_tokens", "calls", "seconds")}
    usage = Usage(**spent, usd=run.usd or 0.0)  # 0 where the price is unknown
    return Result(**fields, output=(text,) if text else (), usage=usage, error="" if text else _problem(run))


def _run(config: AgentConfig, unit: Unit, records: Path) -> SubjectRun:
    """The repository's folder is copied, never written to; `records` gets everything that the agent left."""
    found, installed = find_agent(config.agent, config.home)
    name = name_of(unit.shown.github)
    task = SubjectTask(
        text=task_text(unit.shown),
        endpoint=config.endpoint(),
        folder=folder_of(name, unit.shown.path),
        limits=config.limits,
        reply_tokens=config.reply_tokens,
    )
    with workplace(config.place, records, installed.mounts(), unit.root, name) as sandbox:
        return found.run(task, sandbox, installed, records)


def answer_of(files: Mapping[str, str]) -> str:
    """The command in run.sh, or the code in answer.py where run.sh is missing or only runs it; empty where both are."""
    command = re.sub(r"\A#![^\n]*\n?", "", files.get(COMMAND, "")).strip()
    code = files.get(CODE, "").strip()
    lines = [line.strip() for line in command.splitlines() if line.strip() and not line.strip().startswith("#")]
    if code and all(_ONLY_RUNS_CODE.fullmatch(line) or line.startswith("set -") for line in lines):
        return code
    return as_published(command)


def task_text(seen: Visible) -> str:
    """What every agent is told."""
    fields = {"github": seen.github, "folder": seen.path or ".", "instruction": seen.instruction}
    return "\n\n".join(render("bench_task", prefix_code=seen.prefix_code, **fields).values())


def _problem(run: SubjectRun) -> str:
    if run.trouble:
        return f"the endpoint failed: {run.trouble}"
    said = run.error or (f"it ended as {run.reported.status}" if run.reported.status else "")
    return f"no answer was written ({run.ended}{': ' + said if said else ''})"


@functools.lru_cache(maxsize=8)
def find_agent(name: str, home: Path) -> tuple[Subject, Installed]:
    """An agent and its environment; AgentMissingError where it is not installed."""
    found = subject(name)
    installed = found.find(home)
    if installed is None:
        raise AgentMissingError(f"{name} is not installed: ml-agent bench agents install {name}")
    return found, installed


def _fingerprint(config: AgentConfig, installed: Installed) -> str:
    """Everything that shapes an answer, the words of the task among it; the endpoint's address and key are no part of it."""
    shaping: Mapping[str, Any] = {
        name: msgspec.to_builtins(getattr(config, name))
        for name in AgentConfig.__struct_fields__
        if name not in ("home", "base_url", "attempts")
    }
    text = task_text(Visible(instruction="x", github="y", path="z", prefix_code="p"))
    versions = [installed.version, installed.commit, installed.fingerprint]
    return hashlib.sha256(json.dumps([shaping, versions, text], sort_keys=True).encode()).hexdigest()[:16]
