"""Credentials that stand in an endpoint's address are neither shown nor kept."""

import json
from pathlib import Path

import pytest

from ml_agent.errors import ConfigurationError, EndpointError
from ml_agent.key_mask import MASK, has_credentials, shown_address
from ml_agent.model.endpoint import Endpoint, ask_endpoint
from ml_agent.request import Job
from ml_agent.run_job import config_of
from ml_agent.settings import load_settings
from tests.command import ml_agent

SECRETS = ("canary-user", "canary-pass", "canary-key")
DEAD = "http://canary-user:canary-pass@127.0.0.1:9/v1?key=canary-key"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (DEAD, f"http://127.0.0.1:9/v1?key={MASK}"),
        ("canary-user:canary-pass@host/v1", "host/v1"),
        ("https://canary-user:canary-pass?/x@host:8/v1", "https://host:8/v1"),
        ("https://host/v1?canary-key&a=1&b=#canary-key", f"https://host/v1?{MASK}&a={MASK}&{MASK}"),
    ],
)
def test_only_the_place_of_an_address_is_shown(address: str, shown: str) -> None:
    assert shown_address(address) == shown and has_credentials(address)
    assert not any(secret in repr(Endpoint(model="m", base_url=address)) for secret in SECRETS)
    assert not any(secret in Endpoint(model="m", base_url=address).identity for secret in SECRETS)


@pytest.mark.parametrize(
    "address", ["", "https://api.openai.com/v1", "http://localhost:8080/v1/@cf/x", "http://[::1]:80/v1", "host:80/a@b"]
)
def test_other_addresses_stay(address: str) -> None:
    assert shown_address(address) == address and not has_credentials(address)


@pytest.mark.parametrize(
    "address", [DEAD, DEAD.replace(":9", ":none"), "http://canary-user:canary-pass@[::1/v1?key=canary-key"]
)
def test_errors_name_the_place_alone(address: str) -> None:
    with pytest.raises((EndpointError, ConfigurationError)) as caught:
        ask_endpoint(Endpoint(model="m", base_url=address))
    assert not any(secret in str(caught.value) for secret in SECRETS)


def test_no_command_shows_them_and_no_run_keeps_them(tmp_path: Path) -> None:
    for words in (("config", "show", "--json"), ("doctor", "--model", "m", "--json")):
        said = ml_agent(*words, OPENAI_BASE_URL=DEAD)
        assert "127.0.0.1:9" in said.stdout, said.stderr
        assert not any(secret in said.stdout + said.stderr for secret in SECRETS)
    kept = json.dumps(config_of(Job(instruction="x"), load_settings(base_url=DEAD, cache_dir=tmp_path)))
    assert not any(secret in kept for secret in SECRETS)
    assert "http://host/v1" in json.dumps(config_of(Job(instruction="x"), load_settings(base_url="http://host/v1")))


def test_an_address_is_shown_whole_on_a_narrow_terminal() -> None:
    address = f"http://127.0.0.1:9/{'a' * 60}/{'b' * 60}"
    said = ml_agent("config", "show", ML_AGENT_BASE_URL=address, OPENAI_BASE_URL=address, COLUMNS="80").stdout
    assert "…" not in said and said.count("a" * 10) >= 4 and "b" * 5 in said
