"""What works on this machine, and what to do about the rest."""

import shutil
import sys
from typing import NamedTuple

from ml_agent.settings import Settings
from sandbox.choose import choose
from sandbox.contract import Policy
from sandbox.errors import SandboxUnavailableError


class Row(NamedTuple):
    """One thing that was looked at."""

    what: str
    ok: bool
    advice: str
    needed: bool = False


def examine_machine(settings: Settings) -> list[Row]:
    """Look at everything a run may need; nothing is changed."""
    return [
        Row("Python >= 3.11", sys.version_info >= (3, 11), sys.version.split()[0], needed=True),
        Row("git", shutil.which("git") is not None, "needed to bring repositories", needed=True),
        _sandbox("docker", settings),
        _sandbox("local", settings),
        _model(settings),
        _github(settings),
    ]


def _sandbox(name: str, settings: Settings) -> Row:
    try:
        choose(name, Policy(), settings.cache_dir / "doctor", unisolated=False)
    except SandboxUnavailableError as error:
        return Row(f"sandbox: {name}", False, str(error))
    return Row(f"sandbox: {name}", True, "")


def _model(settings: Settings) -> Row:
    advice = settings.model if settings.thinks_with_model else "set OPENAI_API_KEY or OPENAI_BASE_URL, and --model"
    return Row("model", settings.thinks_with_model, advice)


def _github(settings: Settings) -> Row:
    ok = bool(settings.github_token.get_secret_value())
    return Row(
        "GitHub token", ok, "" if ok else "optional: GITHUB_TOKEN raises the search limit from 10 to 30 a minute"
    )
