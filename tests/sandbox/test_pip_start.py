"""pip is put into an environment that has none, from the interpreter's own wheels, or by ensurepip where they lie elsewhere."""

import ensurepip
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from ml_agent.sandbox.pip_start import START_PIP


def run(environment: Path, command: str, **variables: str) -> str:
    path = f"{environment}/bin:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command],
        env={"PATH": path, **variables},
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    ).stdout


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """A virtual environment without pip, in a folder with a blank."""
    made = tmp_path / "an environment"
    venv.create(made)
    return made


def test_what_ensurepip_would_install_is_there(environment: Path) -> None:
    run(environment, START_PIP)
    for name in ("pip", "pip3", "python -m pip"):
        assert run(environment, f"{name} --version").startswith(f"pip {ensurepip.version()} from {environment}")
    listed = run(environment, "pip list --format=freeze").split()
    assert [line.split("==")[0] for line in listed] == ["pip", "setuptools"][: 2 if sys.version_info < (3, 12) else 1]


def test_pip_that_was_put_there_replaces_itself(environment: Path) -> None:
    run(environment, START_PIP)
    wheels = Path(ensurepip.__file__).with_name("_bundled")
    run(environment, f"pip install --no-index --find-links '{wheels}' --force-reinstall pip")
    assert ensurepip.version() in run(environment, "pip --version")


def test_modules_of_the_folder_take_no_part(environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("zipfile", "ensurepip", "pathlib"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('ran')")
    monkeypatch.chdir(tmp_path)
    assert "ran" not in run(environment, START_PIP, PYTHONPATH=str(tmp_path))
    assert ensurepip.version() in run(environment, "pip --version")


def test_where_the_wheels_lie_elsewhere_ensurepip_does_it(environment: Path) -> None:
    program = environment / "bin/python"
    program.unlink()
    program.write_text('#!/bin/sh\n[ "$2" != -c ] && echo "asked $@"\n')
    program.chmod(0o755)
    assert run(environment, START_PIP) == "asked -I -m ensurepip --upgrade --default-pip\n"
