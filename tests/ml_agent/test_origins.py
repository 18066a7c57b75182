"""`config show`: each setting with where it came from, and never a key."""

import json
import os
from pathlib import Path

from tests.command import run


def shown(folder: Path, **environment: str) -> dict[str, dict[str, str]]:
    """The settings as they are shown in a folder."""
    done = run(("config", "show", "--json"), os.environ | environment, folder)
    assert done.returncode == 0, done.stderr
    return {one["name"]: one for one in json.loads(done.stdout)}


def test_numbers_and_spelling_do_not_hide_an_origin(tmp_path: Path) -> None:
    home = tmp_path / "config" / "ml-agent"
    home.mkdir(parents=True)
    (home / "ml-agent.toml").write_text("timeout = 30\nmemory_gb = 4\nmax_wait = 20.0\nmax_cost = 1.50\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "ml-agent.toml").write_text("max_wait = 10\nmax_cost = 2\nclone_timeout = 60\n")
    found = shown(folder, XDG_CONFIG_HOME=str(tmp_path / "config"), ml_agent_probe_seconds="7", Ml_Agent_Model="small")
    said = {name: (one["value"], one["origin"]) for name, one in found.items()}
    assert said["timeout"] == ("30.0", str(home / "ml-agent.toml"))
    assert said["memory_gb"] == ("4.0", str(home / "ml-agent.toml")), "also where it is the default"
    assert said["max_wait"] == ("10.0", "ml-agent.toml of this folder")
    assert said["max_cost"] == ("1.5", str(home / "ml-agent.toml")), "a folder only lowers"
    assert said["clone_timeout"] == ("60.0", "ml-agent.toml of this folder")
    assert said["probe_seconds"] == ("7.0", "ml_agent_probe_seconds")
    assert said["model"] == ("small", "Ml_Agent_Model")


def test_a_variable_of_another_program_is_no_setting(tmp_path: Path) -> None:
    found = shown(tmp_path, MODEL="resnet", BASE_URL="https://shop.invalid", model="resnet")
    assert {found[name]["origin"] for name in ("model", "base_url")} == {"default"}


def test_each_setting_says_where_it_came_from(tmp_path: Path) -> None:
    home = tmp_path / "config" / "ml-agent"
    home.mkdir(parents=True)
    (home / "ml-agent.toml").write_text('model = "mine"\nmax_calls = 50\n')
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "ml-agent.toml").write_text('run = "none"\nmodel = "theirs"\nmax_calls = 7\n')
    key = "sk-canary-0123456789"
    found = shown(folder, XDG_CONFIG_HOME=str(tmp_path / "config"), OPENAI_API_KEY=key, ML_AGENT_TIMEOUT="30")
    assert (found["model"]["value"], found["model"]["origin"]) == ("mine", str(home / "ml-agent.toml"))
    assert (found["run"]["value"], found["run"]["origin"]) == ("none", "ml-agent.toml of this folder")
    assert (found["max_calls"]["value"], found["max_calls"]["origin"]) == ("7", "ml-agent.toml of this folder")
    assert (found["timeout"]["value"], found["timeout"]["origin"]) == ("30.0", "ML_AGENT_TIMEOUT")
    assert (found["api_key"]["value"], found["api_key"]["origin"]) == ("set", "OPENAI_API_KEY")
    assert found["sandbox"]["origin"] == "default"
    assert key not in json.dumps(found)
