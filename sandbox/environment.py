"""The environment variables of a command: a fixed list, nothing of the host's."""

PATHS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Where programs of the system are looked up; none of the environment, in which a repository's code may have put its own."""
WORKSPACE = "/workspace"
VENV = "/opt/venv"
BUILD_FOLDER = ".build"
"""Folder of an environment for what is needed while it is made."""
HOME = "/home/agent"
SETUPS = "/mnt/setups"
"""Where the installer alone finds environments and what was downloaded."""
UV = "/opt/uv"
"""Where the installer alone finds its program."""
HOST_FOLDERS = "/mnt/host"
"""Below it, folders of the host's package index, numbered."""


def base_environment(venv: str, home: str, processors: int) -> dict[str, str]:
    """What every command gets, whichever sandbox it runs in.

    `venv` and `home` are folders as the command sees them; `processors` bounds the threads of numeric libraries.
    """
    threads = str(processors)
    return {
        "PATH": f"{venv}/bin:{PATHS}",
        "VIRTUAL_ENV": venv,
        "HOME": home,
        "USER": "agent",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "PYTHONUNBUFFERED": "1",
        "PYTHONFAULTHANDLER": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        "PIP_PROGRESS_BAR": "off",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        "DEBIAN_FRONTEND": "noninteractive",
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "MKL_NUM_THREADS": threads,
        "WANDB_MODE": "offline",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "ORT_DISABLE_TELEMETRY": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
