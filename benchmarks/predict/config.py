"""Who answers, how, and the fingerprint under which results are kept."""

import functools
import hashlib
from pathlib import Path
from typing import Literal

import msgspec

import ml_agent
import ml_agent.prompts
import ml_agent.tools
from ml_agent.benchmarks.data import Setting
from ml_agent.benchmarks.errors import BenchError
from ml_agent.settings import Settings, load_settings

NavigatorName = Literal["offline", "llm", "raw"]


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that shapes an answer; secrets are not part of it, they come from the environment of each worker."""

    navigator: NavigatorName = "offline"
    setting: Setting = "agent"
    attempts: int = 1
    model: str = ""
    base_url: str = ""
    context_tokens: int = 12000
    """How much of a repository the raw navigator is shown; the retrieval is not cut."""
    max_tokens: int | None = None
    """Per row, prompt and output together."""
    max_cost: float | None = None
    """Per row, USD."""
    max_calls: int | None = None
    max_seconds: float | None = None

    @property
    def subject(self) -> str:
        """Who answers, in one word for tables."""
        name = self.navigator if self.navigator != "raw" else f"raw ({self.setting})"
        return f"{name} {self.model}".strip() if self.navigator != "offline" else name

    def fingerprint(self) -> str:
        """Changes whenever an answer might: configuration, or the agent's own source."""
        data = msgspec.json.encode(self) + program_version().encode()
        return hashlib.sha256(data).hexdigest()[:16]

    def settings(self) -> Settings:
        """The agent's settings for this configuration; ConfigurationError where they are wrong."""
        return load_settings(
            navigator="offline" if self.navigator == "offline" else "llm",
            model=self.model or None,
            base_url=self.base_url or None,
            max_tokens=self.max_tokens,
            max_cost=self.max_cost,
            max_calls=self.max_calls,
            max_seconds=self.max_seconds,
        )

    def checked(self) -> "Config":
        """This configuration, with model and endpoint filled in; BenchError where the parts do not go together."""
        if self.navigator == "raw" and self.setting == "repo":
            raise BenchError(
                "--setting repo hides the task's folder: raw, which reads its README, cannot answer without it"
            )
        if self.navigator != "raw" and self.setting in ("retrieval", "code"):
            raise BenchError(
                f"--setting {self.setting} shapes the prompt of --navigator raw; {self.navigator} reads the repository itself"
            )
        settings = self.settings()
        if self.navigator == "offline":
            return msgspec.structs.replace(self, model="", base_url="")
        if not settings.model:
            raise BenchError(f"--navigator {self.navigator} needs --model (or ML_AGENT_MODEL)")
        return msgspec.structs.replace(self, model=settings.model, base_url=settings.base_url)


@functools.cache
def program_version() -> str:
    """Hash of the sources that make answers."""
    digest = hashlib.sha256()
    for root in (
        *(Path(package.__path__[0]) for package in (ml_agent, ml_agent.tools, ml_agent.prompts)),
        Path(__file__).parent,
    ):
        for path in sorted(p for p in root.rglob("*") if p.suffix in (".py", ".toml", ".j2", ".txt", ".md")):
            if "samples" not in path.parts and "testing" not in path.parts and "cli" not in path.parts:
                digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()
