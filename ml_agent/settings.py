"""Every setting in one object: flag > environment > ml-agent.toml of the working folder > the user's file > default."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from platformdirs import user_config_path
from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from ml_agent import keys
from ml_agent.errors import ConfigurationError, WrongSettingError
from ml_agent.folder_settings import read_folder_file, taken
from ml_agent.tools import plugins
from ml_agent.tools.own_cache import own_cache

RunMode = Literal["probe", "full", "none"]
NAVIGATORS = ("auto", "offline", "llm")
SANDBOXES = ("auto", "docker", "local", "none")


_GONE = {
    "model_profile": "removed: models are called with tools, or with JSON in text (model_mode)",
    "encoder": "removed with the sentence encoder",
}
"""Settings of earlier versions, and what is in their place."""


def _aliases(name: str, *others: str) -> AliasChoices:
    return AliasChoices(f"ML_AGENT_{name.upper()}", *others)


def _one_of(name: str, known: Sequence[str]) -> str:
    if name not in known:
        raise ValueError(f"{name!r} is not one of {', '.join(known)}")
    return name


class Settings(BaseSettings):
    """What a run is allowed and where it looks; the documented names are those of the flags."""

    model_config = SettingsConfigDict(env_prefix="ML_AGENT_", extra="forbid", populate_by_name=True, frozen=True)

    navigator: str = "auto"
    """auto, offline (no model), llm, or one that an installed package adds."""
    model: str = Field("", validation_alias=_aliases("model", "OPENAI_MODEL"))
    """Name of the model."""
    base_url: str = Field("", validation_alias=_aliases("base_url", "OPENAI_BASE_URL", "OPENAI_API_BASE"))
    """Address of the model's endpoint; OpenAI's if empty."""
    api_key: SecretStr = Field(SecretStr(""), validation_alias=_aliases("api_key", "OPENAI_API_KEY"))
    """The endpoint's key."""
    model_mode: Literal["auto", "tools", "text"] = "auto"
    """How the model is called: with tools, or with JSON in text; auto learns it from the first reply."""
    fallback: Literal["", "offline"] = ""
    """offline: continue without the model if it stops answering; empty: the run ends."""
    prices: Path | None = None
    """TOML file with USD per million tokens; its entries replace those of the table that comes with the program."""

    github_token: SecretStr = Field(
        SecretStr(""), validation_alias=_aliases("github_token", "GITHUB_TOKEN", "GH_TOKEN")
    )
    """A token for GitHub: more searches a minute, and private repositories."""
    github_api: str = "https://api.github.com"
    """Address of GitHub's API, or of GitHub Enterprise."""
    github_web: str = "https://github.com"
    """Address that OWNER/NAME is cloned from."""
    package_api: str = "https://pypi.org/pypi"
    """The package index's JSON API, asked for the repository of a package. Leave it empty to turn this off."""
    max_wait: float = Field(60.0, ge=0, allow_inf_nan=False)
    """Seconds to wait for GitHub's rate limit."""
    clone_timeout: float = Field(300.0, gt=0, allow_inf_nan=False)
    """Seconds that a clone may take."""
    clone_bytes: int = Field(2 * 1024**3, gt=0)
    """Largest repository that is cloned, in bytes."""

    sandbox: str = "auto"
    """auto, docker, local, none, or one that an installed package adds."""
    unisolated: bool = False
    """Allow running without isolation if there is no sandbox."""
    run: RunMode = "probe"
    """probe: run for a while; full: to the end; none: only check."""
    network: Literal["none", "install", "full"] = "install"
    """none; install: the package index during set-up; full: the network during the run, too."""
    # The length stands apart: as {0,64} in the pattern it took 30 ms of each start to compile.
    gpus: str = Field("none", pattern=r"^(none|all|\d{1,3}(,\d{1,3})*)$")
    """none, all, or device numbers."""
    image: str = ""
    """Docker image; empty: built from ML-Agent's recipe."""
    memory_gb: float = Field(4.0, gt=0, allow_inf_nan=False)
    """Memory limit of the sandbox in GB."""
    timeout: float = Field(1800.0, gt=0, allow_inf_nan=False)
    """Time limit of one execution in seconds."""
    probe_seconds: float = Field(60.0, gt=0, allow_inf_nan=False)
    """Seconds after which a probe ends a healthy program."""

    max_attempts: int = Field(5, ge=1)
    """Commands that the model may try for one repository."""
    max_repositories: int = Field(5, ge=1)
    """Repositories to try."""
    max_repairs: int = Field(6, ge=0)
    """Repairs of the environment for one answer."""
    max_tokens: int | None = Field(None, ge=1)
    """Limit of prompt and output tokens together."""
    max_cost: float | None = Field(None, ge=0, allow_inf_nan=False)
    """Limit in USD."""
    max_calls: int | None = Field(None, ge=1)
    """Limit of requests to the model."""
    max_seconds: float | None = Field(None, gt=0, allow_inf_nan=False)
    """Time limit of the run in seconds."""

    trust_folder: bool = False
    """Use all of ml-agent.toml in the working folder, including settings that allow more; by default only restrictions are taken from it."""
    cache_dir: Path = Field(default_factory=own_cache)
    """Folder of clones, indexes and environments."""
    runs_dir: Path = Path("runs")
    """Folder in which run folders are created."""

    @field_validator("navigator", "fallback", mode="before")
    @classmethod
    def _by_its_present_name(cls, name: object) -> object:
        return "offline" if name == "grounded" else name

    @field_validator("cache_dir")
    @classmethod
    def _is_this_users(cls, folder: Path) -> Path:
        try:
            return own_cache(folder)
        except PermissionError as error:
            raise ValueError(str(error)) from error

    @field_validator("model")
    @classmethod
    def _is_served(cls, name: str) -> str:
        if name.startswith("gguf:"):
            raise ValueError("serve the model file with llama-server and set OPENAI_BASE_URL to its address")
        return name

    @field_validator("navigator")
    @classmethod
    def _is_navigator(cls, name: str) -> str:
        return _one_of(name, (*NAVIGATORS, *plugins.names(plugins.NAVIGATORS)))

    @field_validator("sandbox")
    @classmethod
    def _is_sandbox(cls, name: str) -> str:
        return _one_of(name, (*SANDBOXES, *plugins.names(plugins.SANDBOXES)))

    @model_validator(mode="before")
    @classmethod
    def _nothing_runs_without_a_sandbox(cls, values: dict[str, object]) -> dict[str, object]:
        return {**values, "run": "none"} if values.get("sandbox") == "none" else values

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, then the environment, then the working folder's file as far as it counts, then the user's."""
        folder = InitSettingsSource(settings_cls, init_kwargs=getattr(settings_cls, "FOLDER", {}))
        held = InitSettingsSource(settings_cls, init_kwargs=dict(keys.as_settings()))
        return init_settings, env_settings, held, folder, TomlConfigSettingsSource(settings_cls, user_file())

    @property
    def thinks_with_model(self) -> bool:
        """Whether decisions are to go to a model: one is named, or `llm` is. It may be that it cannot be had."""
        return bool(self.model) if self.navigator == "auto" else self.navigator == "llm"

    @property
    def has_endpoint(self) -> bool:
        """Whether there is somebody to ask: a key, or an address of one's own."""
        return bool(self.api_key.get_secret_value() or self.base_url)


def user_file() -> Path:
    """The user's own settings, in the folder that the system keeps for them."""
    return user_config_path("ml-agent") / "ml-agent.toml"


def taken_from_folder(settings: Settings) -> Mapping[str, object]:
    """What counted of the working folder's file."""
    found: Mapping[str, object] = getattr(type(settings), "FOLDER", {})
    return found


def load_settings(**flags: object) -> Settings:
    """Settings with every flag that was given (not None) above all else.

    Raises ConfigurationError with the name of the setting that is wrong.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    settings = _settings(Settings, given, str(user_file()))
    said = read_folder_file()
    if not said:
        return settings

    class WithFolder(Settings):
        """The same settings, with what the working folder's file may say."""

        FOLDER: ClassVar[dict[str, object]] = taken(said, settings, settings.trust_folder)

    return _settings(WithFolder, given, "ml-agent.toml")


def _settings(kind: type[Settings], given: dict[str, object], file: str) -> Settings:
    try:
        return kind(**given)  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise WrongSettingError(name, _GONE.get(name, first["msg"].removeprefix("Value error, "))) from error
    except (ValueError, OSError) as error:  # a TOML file that does not parse
        raise ConfigurationError(f"{file}: {error}") from error
