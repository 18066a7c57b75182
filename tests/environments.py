"""Virtual environments for tests."""

import ensurepip
import subprocess
import venv
from pathlib import Path

from ml_agent.sandbox.uv_program import uv_program


def make_environment(folder: Path) -> Path:
    """An environment with pip in a new folder; its interpreter."""
    venv.create(folder, symlinks=True)
    bundled = sorted(Path(ensurepip.__file__).with_name("_bundled").glob("*.whl"))
    command = [
        str(uv_program()),
        "-q",
        "pip",
        "install",
        "--offline",
        "--no-deps",
        "--python",
        str(folder / "bin/python"),
    ]
    subprocess.run([*command, *map(str, bundled)], check=True, timeout=100)
    return folder / "bin" / "python"
