"""Another agent as a respondent of form L: what the runner needs to answer rows with it, here or in another process."""

import functools
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import httpx
import msgspec

from ml_agent.benchmarks.data import Visible
from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.predict.respondent import Respondent
from ml_agent.benchmarks.predict.rows import Result
from ml_agent.benchmarks.predict.unit import Unit
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.model import DEFAULT_LIMITS, REPLY_TOKENS, Calling
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.benchmarks.subjects.predict import Trial, attempt, task_text
from ml_agent.benchmarks.subjects.registry import subject
from ml_agent.benchmarks.subjects.subject import Subject
from ml_agent.conversation.configured import endpoint_of
from ml_agent.errors import ConfigurationError, ProviderError
from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint
from ml_agent.model.transport import NetworkTransport
from ml_agent.settings import load_settings

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
    calling: Calling = "native"
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
    trial = _trial(config)
    return Respondent(
        subject=trial.label,
        fingerprint=_fingerprint(config, trial.installed),
        setting=config.setting,
        carry_out=functools.partial(answer, config=config, records=records.absolute()),
        attempts=config.attempts,
        apart=True,
    )


def answer(unit: Unit, config: AgentConfig, records: Path) -> Result:
    """One attempt at one row; whatever goes wrong with it becomes its error. AgentMissingError ends them all."""
    fields: dict[str, Any] = {"github_id": unit.key[0], "id": unit.key[1], "attempt": unit.attempt}
    try:
        found = attempt(_trial(config), unit.shown, unit.root, records / unit.label)
    except AgentMissingError:
        raise
    except Exception as problem:  # noqa: BLE001 - a full disk or a defect in one row must not stop the others; it is the row's
        return Result(**fields, error=f"defect: {type(problem).__name__}: {problem}")
    return Result(**fields, output=(found.text,) if found.text else (), usage=found.usage, error=found.error)


@functools.lru_cache(maxsize=8)
def find_agent(name: str, home: Path) -> tuple[Subject, Installed]:
    """An agent and its environment; AgentMissingError where it is not installed."""
    found = subject(name)
    installed = found.find(home)
    if installed is None:
        raise AgentMissingError(f"{name} is not installed: ml-agent bench agents install {name}")
    return found, installed


def _trial(config: AgentConfig) -> Trial:
    found, installed = find_agent(config.agent, config.home)
    return Trial(
        subject=found, installed=installed, endpoint=config.endpoint(), limits=config.limits,
        reply_tokens=config.reply_tokens, calling=config.calling, place=config.place,
    )  # fmt: skip


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
