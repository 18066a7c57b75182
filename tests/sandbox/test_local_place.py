"""Environments that are kept for later runs, and copies of places."""

import shutil
from pathlib import Path

import pytest

from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.sandbox.local_place import copy, keep, kept, make_place, setups


def test_an_environment_that_cannot_be_copied_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path))
    place = make_place("run", "process")
    keep(place, "whole", "note")
    shutil.rmtree(place / "home")
    keep(place, "half", "note")
    assert kept("whole") and [path.name for path in setups().iterdir()] == ["whole"]


def test_a_copy_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(SandboxLostError, match=r"cannot be copied.*No such file"):
        copy(tmp_path / "none", tmp_path / "target")
