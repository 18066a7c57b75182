"""Settings: flag > environment > ml-agent.toml > default."""

from pathlib import Path

import pytest

from ml_agent.errors import ConfigurationError
from ml_agent.settings import load_settings


def test_each_source_beats_the_one_below(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings().max_attempts == 5
    (tmp_path / "ml-agent.toml").write_text("max_attempts = 2\nmodel = 'from-file'\n")
    assert load_settings().max_attempts == 2
    monkeypatch.setenv("ML_AGENT_MAX_ATTEMPTS", "3")
    assert load_settings().max_attempts == 3
    assert load_settings(max_attempts=4).max_attempts == 4
    assert load_settings(model=None).model == "from-file"


def test_known_names_of_other_tools_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    monkeypatch.setenv("GITHUB_TOKEN", "ghp-secret")
    settings = load_settings(model="m")
    assert settings.api_key.get_secret_value() == "sk-secret"
    assert settings.thinks_with_model
    assert "secret" not in repr(settings)


@pytest.mark.parametrize("flags", [{"run": "fast"}, {"max_attempts": 0}, {"sandbox": "vm"}, {"max_tokens": -1}])
def test_a_wrong_setting_is_named(flags: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(flags))):
        load_settings(**flags)


def test_a_broken_file_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ml-agent.toml").write_text("max_attempts = = 2")
    with pytest.raises(ConfigurationError, match=r"ml-agent\.toml"):
        load_settings()
