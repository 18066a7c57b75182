"""Environments of agents: made once, made again when their needs change, and one line when they cannot be made."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.subjects import agents, install
from ml_agent.benchmarks.subjects.install import Needs
from tests.wheels import make_wheel

HERE = ((3, 11), (3, 12), (3, 13), (3, 10), (3, 14))


def wheel(folder: Path, version: str) -> Path:
    """A package that says its version."""
    return folder / make_wheel(folder, "toyagent", version, {"toyagent.py": f"VERSION = '{version}'\n"})


def needs(folder: Path, version: str = "1.0", **changes: object) -> Needs:
    told = {"requirements": (str(wheel(folder, version)),), "pythons": HERE}
    return Needs(**{**told, "check": "import toyagent; print(toyagent.VERSION)", **changes})  # type: ignore[arg-type]


@pytest.mark.slow
def test_is_made_once_and_found_again(tmp_path: Path) -> None:
    said: list[str] = []
    first = install.install(tmp_path / "home", "toy", needs(tmp_path), said.append)
    assert first.version == "1.0" and said and (first.venv / "bin/python").exists()
    assert first.venv in first.mounts()
    lines = len(said)
    assert install.install(tmp_path / "home", "toy", needs(tmp_path), said.append) == first
    assert len(said) == lines and install.find(tmp_path / "home", "toy", needs(tmp_path)) == first


def test_a_python_that_is_not_here_is_named(tmp_path: Path) -> None:
    with pytest.raises(AgentMissingError, match=r"toy needs Python 3\.99 with venv"):
        install.install(tmp_path, "toy", needs(tmp_path, pythons=((3, 99),)), print)


@pytest.mark.slow
def test_the_environment_is_told_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    leaky = needs(tmp_path, check="import os; print(os.environ.get('OPENAI_API_KEY', 'none'))")
    assert install.install(tmp_path / "home", "toy", leaky, print).version == "none"


def test_a_checkout_is_wanted_and_copied(tmp_path: Path) -> None:
    wanting = needs(tmp_path, wants_source=True)
    with pytest.raises(AgentMissingError, match="give a checkout"):
        install.install(tmp_path / "home", "toy", wanting, print)
    (tmp_path / "empty").mkdir()
    with pytest.raises(AgentMissingError, match=r"no pyproject\.toml"):
        install.install(tmp_path / "home", "toy", needs(tmp_path, wants_source=True, source=tmp_path / "empty"), print)


def test_where_every_subject_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path))
    standing = {name: here for name, _, here, _, _ in agents.statuses()}
    assert set(standing) == {*agents.names(), "least"} and set(standing.values()) == {"not installed"}
