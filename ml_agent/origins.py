"""Where each setting came from."""

import os
import tomllib
from pathlib import Path
from typing import Any

import msgspec
from pydantic import AliasChoices, SecretStr

from ml_agent.folder_settings import FILE
from ml_agent.keys import held
from ml_agent.settings import Settings, user_file


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """One setting in force."""

    name: str
    value: str
    """As text; a key only as whether there is one."""
    origin: str
    """The environment variable, the file, or "default"."""


def origins(settings: Settings) -> list[Origin]:
    """Every setting with its value and where that came from.

    Args:
        settings: as they hold in this folder, without flags.
    """
    own = _said(user_file())
    shown = []
    for name in Settings.model_fields:
        value = getattr(settings, name)
        shown.append(Origin(name=name, value=_shown(value), origin=_origin(name, value, own)))
    return shown


def _origin(name: str, value: Any, own: dict[str, Any]) -> str:
    variable = next((one for one in variables(name) if one in os.environ or one in held()), None)
    if variable is not None:
        return variable
    if name in own and str(own[name]) == str(value):
        return str(user_file())
    return "default" if value == _default(name) else f"{FILE} of this folder"


def variables(name: str) -> tuple[str, ...]:
    """The environment variables that set a setting, the strongest first."""
    alias = Settings.model_fields[name].validation_alias
    named = [choice for choice in alias.choices if isinstance(choice, str)] if isinstance(alias, AliasChoices) else []
    return tuple(dict.fromkeys([*(one for one in named if one.isupper()), f"ML_AGENT_{name.upper()}"]))


def _default(name: str) -> Any:
    return Settings.model_fields[name].get_default(call_default_factory=True)


def _shown(value: Any) -> str:
    if isinstance(value, SecretStr):
        return "set" if value.get_secret_value() else "not set"
    return "" if value is None else str(value)


def _said(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    return tomllib.loads(path.read_text(encoding="utf-8"))
