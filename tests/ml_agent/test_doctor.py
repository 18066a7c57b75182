"""`doctor` and `models` against endpoints that answer, refuse, and are not there."""

import json
import platform
import time
from pathlib import Path
from typing import Any

import pytest

from ml_agent.doctor import examine_machine, examine_model
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.settings import load_settings
from tests.command import ml_agent
from tests.servers.github_server import GitHubServer
from tests.servers.model_server import ModelServer


def doctor(*arguments: str, **environment: str) -> tuple[int, dict[str, dict[str, Any]]]:
    """Exit code and what was found, by what was looked at."""
    done = ml_agent("doctor", "--json", *arguments, **environment)
    return done.returncode, {row["what"]: row for row in json.loads(done.stdout)}


@pytest.mark.slow
def test_a_model_that_answers_is_ok_and_its_absence_ends_in_one() -> None:
    with ModelServer() as server:
        code, rows = doctor("--model", "m", OPENAI_BASE_URL=server.url)
    assert code == 0 and rows["model"]["ok"], rows["model"]
    began = time.monotonic()
    code, rows = doctor("--model", "m", OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert code == 1 and "does not answer" in rows["model"]["advice"]
    assert time.monotonic() - began < 100


def test_only_what_is_missing_for_a_model_is_named() -> None:
    settings = load_settings(base_url="http://127.0.0.1:9/v1", model="")
    advice = {"": examine_model(settings).advice, "m": examine_model(load_settings(model="m", base_url="")).advice}
    assert "--model" in advice[""] and "OPENAI" not in advice[""]
    assert "OPENAI_BASE_URL" in advice["m"] and "--model" not in advice["m"]


def test_github_says_what_is_left_of_its_limit(tmp_path: Path) -> None:
    with GitHubServer(tmp_path) as server:
        _, rows = doctor(ML_AGENT_GITHUB_API=server.url)
    assert rows["GitHub"]["ok"] and "left" in rows["GitHub"]["found"]
    _, rows = doctor(ML_AGENT_GITHUB_API="http://127.0.0.1:9")
    assert not rows["GitHub"]["ok"]


def test_nothing_secret_is_printed() -> None:
    key = "sk-canary-0123456789"
    _, rows = doctor("--model", "m", OPENAI_BASE_URL="http://127.0.0.1:9/v1", OPENAI_API_KEY=key)
    assert key not in json.dumps(rows)


def test_a_machine_without_a_filter_of_system_calls_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    settings = load_settings(cache_dir=tmp_path)
    for machine, filtered in (("x86_64", True), ("aarch64", True), ("riscv64", False)):
        monkeypatch.setattr(platform, "machine", lambda name=machine: name)
        (row,) = [row for row in examine_machine(settings) if row.what == "sandbox: local"]
        assert row.ok and (f"no system call filter for {machine}" in row.found) is not filtered
        assert ("docker" in row.tip) is not filtered


@pytest.mark.parametrize("listed", [True, False])
def test_models_lists_prices_also_where_the_endpoint_says_nothing(listed: bool) -> None:

    with ModelServer() as server:
        url = server.url if listed else "http://127.0.0.1:9/v1"
        done = ml_agent("models", "--json", OPENAI_BASE_URL=url, OPENAI_API_KEY="none")
    assert ("does not answer" in done.stderr) is not listed and "endpoint" in done.stderr
    assert done.returncode == 0
    rows = {row["model"]: row for row in json.loads(done.stdout)}
    assert rows["gpt-4o"]["price"]["input"] > 0
