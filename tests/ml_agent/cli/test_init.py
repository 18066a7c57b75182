"""`ml-agent init` writes a file that says what every setting does, and tests the endpoint."""

import json
import re
from pathlib import Path

import pytest

from ml_agent.settings import Settings, load_settings
from tests.command import ml_agent
from tests.servers.model_server import ModelServer


def init(folder: Path, *arguments: str, **environment: str) -> tuple[int, str, Path]:
    """Exit code, what was said, and the file."""
    done = ml_agent("init", *arguments, XDG_CONFIG_HOME=str(folder), **environment)
    return done.returncode, done.stdout + done.stderr, folder / "ml-agent" / "ml-agent.toml"


def test_the_file_explains_every_setting_and_changes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, said, file = init(tmp_path)
    assert code == 0 and str(file) in said and "No model" in said
    assert file.stat().st_mode & 0o777 == 0o600
    text = file.read_text()
    assert re.findall(r"^# (\w+) =", text, re.MULTILINE) == list(Settings.model_fields)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    before = load_settings()
    file.write_text(re.sub(r"^# (\w+ = .+)$", r"\1", text, flags=re.MULTILINE).replace('prices = ""\n', ""))
    assert load_settings() == before, "what is written as a comment is the default"


def test_a_model_that_answers_is_written_and_used_without_options(tmp_path: Path) -> None:
    with ModelServer() as server:
        code, said, file = init(tmp_path, "--model", "m", "--base-url", server.url)
        assert code == 0 and "answers" in said
    shown = json.loads(ml_agent("config", "show", "--json", XDG_CONFIG_HOME=str(tmp_path)).stdout)
    assert {(row["value"], row["origin"]) for row in shown} >= {("m", str(file)), (server.url, str(file))}
    assert '\nmodel = "m"\n' in file.read_text() and f'\nbase_url = "{server.url}"\n' in file.read_text()


def test_a_model_that_does_not_answer_is_one_line_and_the_key_stays_out(tmp_path: Path) -> None:
    key = "sk-canary-0123456789"
    code, said, file = init(tmp_path, "--model", "m", OPENAI_API_KEY="", OPENAI_BASE_URL="")
    assert (code, file.exists()) == (2, False) and "give --base-url" in said
    code, said, file = init(tmp_path, "--model", "m", "--base-url", "http://127.0.0.1:9/v1", OPENAI_API_KEY=key)
    assert code == 3 and "does not answer" in said and key not in said + file.read_text()
    code, said, _ = init(tmp_path)
    assert code == 2 and "--force" in said
    assert init(tmp_path, "--force", "--model", "")[0] == 0 and "\nmodel =" not in file.read_text()
