"""Every setting in one object: flag > environment > ml-agent.toml > default."""

from pathlib import Path
from typing import Literal

from platformdirs import user_cache_path
from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from ml_agent.errors import ConfigurationError

RunMode = Literal["probe", "full", "none"]
SandboxName = Literal["auto", "docker", "local", "none"]


def _named(name: str, *others: str) -> AliasChoices:
    return AliasChoices(f"ML_AGENT_{name.upper()}", *others, name)


class Settings(BaseSettings):
    """What a run is allowed and where it looks; the documented names are those of the flags."""

    model_config = SettingsConfigDict(
        env_prefix="ML_AGENT_", toml_file="ml-agent.toml", extra="forbid", populate_by_name=True, frozen=True
    )

    navigator: Literal["auto", "grounded", "llm"] = "auto"
    model: str = Field("", validation_alias=_named("model", "OPENAI_MODEL"))
    """A model name at the endpoint, or gguf:/path/model.gguf."""
    base_url: str = Field("", validation_alias=_named("base_url", "OPENAI_BASE_URL", "OPENAI_API_BASE"))
    api_key: SecretStr = Field(SecretStr(""), validation_alias=_named("api_key", "OPENAI_API_KEY"))
    model_mode: Literal["auto", "tools", "json", "text"] = "auto"
    """How decisions are asked of the model; auto learns it per endpoint and model."""
    prices: Path | None = None
    """TOML file with USD per million tokens, over the shipped table."""

    github_token: SecretStr = Field(SecretStr(""), validation_alias=_named("github_token", "GITHUB_TOKEN", "GH_TOKEN"))
    github_api: str = "https://api.github.com"
    github_web: str = "https://github.com"
    max_wait: float = 60.0
    """Seconds that GitHub's rate limit may make us wait."""
    clone_timeout: float = 300.0
    """Seconds."""
    clone_bytes: int = 2 * 1024**3
    """Size cap of one repository."""

    sandbox: SandboxName = "auto"
    unisolated: bool = False
    run: RunMode = "probe"
    network: Literal["none", "install", "full"] = "install"
    gpus: str = "none"
    image: str = ""
    """Docker image; empty takes the one of our recipe."""
    memory_gb: float = 4.0
    timeout: float = 1800.0
    """Seconds that one execution may take."""
    probe_seconds: float = 60.0

    max_attempts: int = Field(5, ge=1)
    max_repositories: int = Field(5, ge=1)
    max_readmes: int = Field(8, ge=1)
    max_files: int = Field(8, ge=0)
    max_repairs: int = Field(6, ge=0)
    max_tokens: int | None = Field(None, ge=1)
    max_cost: float | None = Field(None, ge=0)
    """USD."""
    max_calls: int | None = Field(None, ge=1)
    max_seconds: float | None = Field(None, gt=0)

    cache_dir: Path = Field(default_factory=lambda: user_cache_path("ml-agent"))
    runs_dir: Path = Path("runs")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, then the environment, then the project's file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)

    @property
    def thinks_with_model(self) -> bool:
        """Whether decisions go to a model: asked for, or an endpoint is configured."""
        if self.navigator == "auto":
            return bool(
                self.model and (self.api_key.get_secret_value() or self.base_url or self.model.startswith("gguf:"))
            )
        return self.navigator == "llm"


def load_settings(**flags: object) -> Settings:
    """Settings with every flag that was given (not None) above all else.

    Raises ConfigurationError with the name of the setting that is wrong.
    """
    try:
        return Settings(**{name: value for name, value in flags.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(f"setting {name}: {first['msg']}; see ml-agent solve --help") from error
    except ValueError as error:  # a TOML file that does not parse
        raise ConfigurationError(f"ml-agent.toml: {error}") from error
