"""The installer's program, uv, and what it is told of this host: the same index as pip has, and nothing of its own configuration."""

from functools import cache
from pathlib import Path

from ml_agent.sandbox.environment import PATHS, UV
from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.pip_settings import PipSettings, Place

NO_INDEX = "ML_AGENT_NO_INDEX"
"""A variable whose value is the option that uv has no variable for."""


@cache
def uv_program() -> Path:
    """The program of the installed package. Raises SandboxUnavailableError."""
    import uv  # only where something is installed

    try:
        return Path(uv.find_uv_bin())
    except FileNotFoundError as error:
        raise SandboxUnavailableError("the program uv is missing: run pip install --force-reinstall uv") from error


def uv_variables(settings: PipSettings, place: Place, cache: str, program: str = f"{UV}/uv") -> dict[str, str]:
    """Variables for a step of the installer.

    Args:
        settings: Of this host.
        place: Where a folder of the host is found inside.
        cache: Folder of downloads, as it is found inside.
        program: uv itself, as it is found inside.
    """
    known = settings.environment(place)
    values = {
        "UV_DEFAULT_INDEX": known.get("PIP_INDEX_URL", ""),
        "UV_INDEX": known.get("PIP_EXTRA_INDEX_URL", ""),
        "UV_FIND_LINKS": ",".join(known.get("PIP_FIND_LINKS", "").split()),
        "UV_INSECURE_HOST": known.get("PIP_TRUSTED_HOST", ""),
        NO_INDEX: "--no-index" if settings.no_index else "",
    }
    fixed = {
        "ML_AGENT_UV": program,
        "PATH": PATHS,  # none of the environment: what lies there came with packages
        "UV_CACHE_DIR": cache,
        "UV_LINK_MODE": "copy",  # a build may write into its environment, and a link's other end is what all runs are given
        "UV_INDEX_STRATEGY": "unsafe-best-match",  # pip's
        "UV_NO_CONFIG": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_NO_PROGRESS": "1",
        "UV_HTTP_TIMEOUT": "60",
    }
    return {**fixed, **{name: value for name, value in values.items() if value}}
