"""Every setting in one object: flag > environment > ml-agent.toml of the working folder > the user's file > default."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal
from urllib.parse import urlsplit

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
    """Who writes the answer: llm (a model), offline (no model), auto (a model if one is configured), or a navigator that an installed package adds."""
    model: str = Field("", validation_alias=_aliases("model", "OPENAI_MODEL"))
    """Name of the model."""
    base_url: str = Field("", validation_alias=_aliases("base_url", "OPENAI_BASE_URL", "OPENAI_API_BASE"))
    """Address of the model's endpoint; if it is empty, OpenAI's."""
    api_key: SecretStr = Field(SecretStr(""), validation_alias=_aliases("api_key", "OPENAI_API_KEY"))
    """Key of the model's endpoint."""
    model_mode: Literal["auto", "tools", "text"] = "auto"
    """How the model is called: with tool calls (tools), with JSON in text (text), or as its first reply shows (auto)."""
    model_timeout: float = Field(300.0, gt=0, allow_inf_nan=False)
    """Seconds that one request to the model may take; it is repeated once. A large model on a CPU may need more."""
    pictures: Literal["auto", "yes", "no"] = "auto"
    """Whether small copies of pictures that a run made are sent to the model; auto does so for OpenAI's models."""
    fallback: Literal["", "offline"] = ""
    """What to do if the model stops answering: `offline` continues without it. If this is not set, the run ends."""
    prices: Path | None = None
    """TOML file with prices in USD per million tokens, which replace the included prices."""

    github_token: SecretStr = Field(
        SecretStr(""), validation_alias=_aliases("github_token", "GITHUB_TOKEN", "GH_TOKEN")
    )
    """GitHub token; it allows more searches per minute, and private repositories."""
    github_api: str = "https://api.github.com"
    """Address of GitHub's API, or of GitHub Enterprise."""
    github_web: str = "https://github.com"
    """Address of the host from which OWNER/NAME is cloned."""
    package_api: str = "https://pypi.org/pypi"
    """JSON API of the package index, which says where a package's repository is; if it is empty, it is not asked."""
    max_wait: float = Field(60.0, ge=0, allow_inf_nan=False)
    """Seconds that a search waits if GitHub's rate limit is reached."""
    clone_timeout: float = Field(300.0, gt=0, allow_inf_nan=False)
    """Seconds that a clone may take."""
    clone_bytes: int = Field(2 * 1024**3, gt=0)
    """Largest repository that is cloned, in bytes."""

    sandbox: str = "auto"
    """Where the answer runs: docker, local (bubblewrap), none (nowhere), auto (Docker, else bubblewrap), or a sandbox that an installed package adds."""
    unisolated: bool = False
    """Run without isolation if neither Docker nor bubblewrap works."""
    run: RunMode = "probe"
    """How far the answer is run: none (only checked), probe (for `probe_seconds`) or full (to the end)."""
    network: Literal["none", "install", "full"] = "install"
    """Which network the sandbox has: none, install (only the package index, only during set-up) or full (all of it, also during the run)."""
    # The length stands apart: as {0,64} in the pattern it took 30 ms of each start to compile.
    gpus: str = Field("none", pattern=r"^(none|all|\d{1,3}(,\d{1,3})*)$")
    """GPUs to use: none, all, or device numbers."""
    image: str = ""
    """Docker image of the sandbox; if it is empty, ML-Agent builds one."""
    memory_gb: float = Field(4.0, gt=0, allow_inf_nan=False)
    """Memory limit of the sandbox in GB."""
    timeout: float = Field(1800.0, gt=0, allow_inf_nan=False)
    """Seconds that one execution of the answer may take."""
    probe_seconds: float = Field(60.0, gt=0, allow_inf_nan=False)
    """Seconds after which `run = "probe"` stops a program that has not failed."""

    max_attempts: int = Field(5, ge=1)
    """How many answers the model may try for one repository."""
    max_repositories: int = Field(5, ge=1)
    """How many repositories are tried."""
    max_repairs: int = Field(6, ge=0)
    """How often the environment is repaired for one answer."""
    max_tokens: int | None = Field(None, ge=1)
    """How many tokens the model may use, prompts and replies together."""
    max_cost: float | None = Field(None, ge=0, allow_inf_nan=False)
    """The most that the model may cost in one run, in USD."""
    max_calls: int | None = Field(None, ge=1)
    """How many requests may be sent to the model."""
    max_seconds: float | None = Field(None, gt=0, allow_inf_nan=False)
    """Seconds that the whole run may take."""

    trust_folder: bool = False
    """Use all settings of ml-agent.toml in the working folder; by default only those count that restrict a run further."""
    cache_dir: Path = Field(default_factory=own_cache)
    """Folder in which clones, indexes and environments are cached."""
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
    def shows_pictures(self) -> bool:
        """Whether the model is to see pictures."""
        known = not self.base_url or urlsplit(self.base_url).hostname == "api.openai.com"
        return self.thinks_with_model and (self.pictures == "yes" or (self.pictures == "auto" and known))

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
