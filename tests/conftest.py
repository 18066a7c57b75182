"""What every test starts from: no settings of the machine, own cache and runs folders, no real model."""

import gc
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REQUIRE_DOCKER = bool(os.environ.get("ML_AGENT_TEST_REQUIRE_DOCKER"))
"""Set by continuous integration: a Docker test that cannot run is then a failure, not a skip."""

# How long one example takes is the machine's; what must be cheap is measured by `tests.processor_time`.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

_SETTING_PREFIXES = ("ML_AGENT_", "OPENAI_")
_KEYS = ("GITHUB_TOKEN", "GH_TOKEN")


@pytest.fixture(autouse=True)
def own_settings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep the machine's settings out of the tests and the tests' files out of the machine."""
    for name in list(os.environ):
        if (name.startswith(_SETTING_PREFIXES) and not name.startswith("ML_AGENT_TEST_")) or name in _KEYS:
            monkeypatch.delenv(name)
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("ML_AGENT_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)


def docker_answers() -> bool:
    """Whether an engine is up."""
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, timeout=20, check=False).returncode == 0


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[None]:
    """An engine that answers; without one the test is skipped, or fails where Docker is required."""
    if not docker_answers():
        if REQUIRE_DOCKER:
            pytest.fail("a Docker engine is required here and none answers")
        pytest.skip("no Docker engine answers")
    yield


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C works as at a terminal, here and in child processes, also where the tests run in a shell's background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_collection_finish() -> None:
    """What was imported for all tests lives to the end: the garbage collector, which looks again and again, need not look there."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """The marker `docker` brings the engine's fixture with it."""
    if item.get_closest_marker("docker") and "docker_engine" not in item.fixturenames:  # type: ignore[attr-defined]
        item.fixturenames.insert(0, "docker_engine")  # type: ignore[attr-defined]
