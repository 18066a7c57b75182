"""Where each setting came from."""

import os
import tomllib
from collections.abc import Set
from pathlib import Path
from typing import Any

import msgspec
from pydantic import AliasChoices, SecretStr

from ml_agent.folder_settings import FILE
from ml_agent.keys import held
from ml_agent.settings import Settings, taken_from_folder, user_file
from ml_agent.shown_address import shown_address

_ADDRESSES = frozenset({"base_url", "github_api", "github_web"})


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
    own, folder = set(_read_file(user_file())), set(taken_from_folder(settings))
    return [
        Origin(name=name, value=_printable(name, getattr(settings, name)), origin=_origin(name, own, folder))
        for name in Settings.model_fields
    ]


def _origin(name: str, own: Set[str], folder: Set[str]) -> str:
    said = _environment()
    if variable := next((said[one] for one in variables(name) if one in said), None):
        return variable
    if name in folder:
        return f"{FILE} of this folder"
    return str(user_file()) if own & {name, *variables(name)} else "default"


def _environment() -> dict[str, str]:
    """The variables that there are, each as it is spelled; letters may be of either case, but for keys."""
    return {name.upper(): name for name in os.environ} | {name: name for name in held()}


def variables(name: str) -> tuple[str, ...]:
    """The environment variables that set a setting, the strongest first."""
    alias = Settings.model_fields[name].validation_alias
    named = [choice for choice in alias.choices if isinstance(choice, str)] if isinstance(alias, AliasChoices) else []
    return tuple(dict.fromkeys([*named, f"ML_AGENT_{name.upper()}"]))


def _printable(name: str, value: Any) -> str:
    if isinstance(value, SecretStr):
        return "set" if value.get_secret_value() else "not set"
    text = "" if value is None else str(value)
    return shown_address(text) if name in _ADDRESSES else text


def _read_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    return tomllib.loads(path.read_text(encoding="utf-8"))
