"""`config show`: each setting with where it came from, and never a key."""

import json
import os
import subprocess
import sys
from pathlib import Path


def shown(folder: Path, **environment: str) -> dict[str, dict[str, str]]:
    """The settings as they are shown in a folder."""
    done = subprocess.run(
        [sys.executable, "-m", "ml_agent", "config", "show", "--json"],
        capture_output=True, text=True, timeout=60, check=True, cwd=folder, env={**os.environ, **environment},
    )  # fmt: skip
    return {one["name"]: one for one in json.loads(done.stdout)}


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
