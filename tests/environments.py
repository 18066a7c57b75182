"""Virtual environments for tests."""

import os
import subprocess
import venv
from pathlib import Path

from ml_agent.sandbox.pip_start import START_PIP


def make_environment(folder: Path) -> Path:
    """An environment with pip in a new folder; its interpreter."""
    venv.create(folder, symlinks=True)
    path = f"{folder}/bin:{os.environ['PATH']}"
    subprocess.run(["bash", "-c", START_PIP], env={"PATH": path}, check=True, timeout=100)
    return folder / "bin" / "python"
