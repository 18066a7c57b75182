"""Settings: flag > environment > ml-agent.toml of the working folder > the user's own file > default."""

from pathlib import Path

import pytest

from ml_agent.errors import ConfigurationError
from ml_agent.settings import load_settings, user_file


def test_each_source_beats_the_one_below(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings().max_attempts == 5
    (tmp_path / "ml-agent.toml").write_text("max_attempts = 2\nmodel = 'from-file'\n")
    assert load_settings().max_attempts == 2
    monkeypatch.setenv("ML_AGENT_MAX_ATTEMPTS", "3")
    assert load_settings().max_attempts == 3
    assert load_settings(max_attempts=4).max_attempts == 4
    assert load_settings(model=None).model == "", "a folder does not choose the model"
    assert load_settings(trust_folder=True).model == "from-file"
    user_file().parent.mkdir(parents=True)
    user_file().write_text("max_attempts = 9\nmodel = 'mine'\nbase_url = 'http://localhost:1/v1'\n")
    monkeypatch.delenv("ML_AGENT_MAX_ATTEMPTS")
    assert (load_settings().max_attempts, load_settings().model) == (2, "mine")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("max_attempts = 2", {"max_attempts": 2}),
        ("max_attempts = 50", {"max_attempts": 5}),
        ("max_cost = 0.5", {"max_cost": 0.5}),
        ("max_attempts = true", {"max_attempts": 5}),
        ("timeout = -1", {"timeout": 1800.0}),
        ("run = 'none'\nnetwork = 'none'", {"run": "none", "network": "none"}),
        ("run = 'full'\nnetwork = 'full'", {"run": "probe", "network": "install"}),
        ("unisolated = true\nprobe_seconds = 0.001", {"unisolated": False, "probe_seconds": 60.0}),
        ("base_url = 'https://foreign.invalid/v1'\napi_key = 'x'", {"base_url": ""}),
        ("github_api = 'https://foreign.invalid'\ngithub_web = 'https://foreign.invalid'", {"github_api": "https://api.github.com"}),
        ("trust_folder = true\nmodel = 'x'", {"trust_folder": False, "model": ""}),
        ("cache_dir = '/'\nruns_dir = '/'\nprices = '/etc/passwd'", {"prices": None}),
        ("no_such_setting = 1", {}),
    ],
)  # fmt: skip
def test_the_working_folder_only_makes_a_run_more_careful(
    said: str, kept: dict[str, object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ml-agent.toml").write_text(said)
    settings = load_settings()
    assert {name: getattr(settings, name) for name in kept} == kept
    assert settings.cache_dir == tmp_path / "cache"


def test_what_was_read_of_the_folder_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ml-agent.toml").write_text('max_attempts = 3\nbase_url = "x"\n"\\u001b]0;x" = 1\n')
    load_settings()
    assert "used max_attempts; ignored" in caplog.text and "base_url" in caplog.text
    assert "\x1b" not in caplog.text


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
    (tmp_path / "ml-agent.toml").unlink()
    (tmp_path / "ml-agent.toml").symlink_to("/proc/self/mem")
    with pytest.raises(ConfigurationError, match=r"ml-agent\.toml"):
        load_settings()
