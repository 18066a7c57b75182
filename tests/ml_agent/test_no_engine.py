"""Which sandbox a run ends up in where there is no container engine, and that the result says so."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ml_agent.sandbox.bubblewrap import find_bubblewrap
from tests.command import run as command_line


@pytest.fixture
def solve(repository: Path, tmp_path: Path) -> Any:
    """Runs the command line where no engine answers; with `bare` also without bubblewrap."""

    def run(*arguments: str, bare: bool = False) -> "subprocess.CompletedProcess[str]":
        environment = {**os.environ, "DOCKER_HOST": f"unix://{tmp_path}/no.sock"}
        if bare:
            folder = tmp_path / "bin"
            folder.mkdir(exist_ok=True)
            for name in ("git", "cp", "bash"):
                if not (folder / name).exists():
                    (folder / name).symlink_to(str(shutil.which(name)))
            environment["PATH"] = str(folder)
        words = (
            "solve",
            "fit with learning rate 0.25",
            "--repo",
            str(repository),
            "--run",
            "full",
            "--network",
            "none",
        )
        return command_line((*words, "--json", "--quiet", *arguments), environment)

    return run


def test_docker_was_asked_for(solve: Any) -> None:
    done = solve("--sandbox", "docker")
    assert (done.returncode, done.stdout) == (3, "")
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    assert "no container engine answers" in lines[0] and "no.sock" in lines[0], "what is wrong"
    assert "start Docker or set DOCKER_HOST" in lines[0] and "--sandbox none" in lines[0], "how to get on"


@pytest.mark.skipif(find_bubblewrap() is None, reason="bubblewrap does not work here")
def test_auto_falls_to_bubblewrap_and_says_so(solve: Any) -> None:
    done = solve()
    result = json.loads(done.stdout)
    assert (done.returncode, result["evidence"]) == (0, "completed")
    assert (result["sandbox"]["name"], result["sandbox"]["isolated"]) == ("bubblewrap", True)
    assert "bubblewrap" in (Path(result["folder"]) / "report.html").read_text()


def test_without_bubblewrap_it_stops_at_checked(solve: Any) -> None:
    done = solve(bare=True)
    result = json.loads(done.stdout)
    assert (done.returncode, result["ending"], result["evidence"]) == (1, "not-reached", "checked")
    assert "no container engine answers" in result["message"] and "--unisolated" in result["message"]
    assert not list((Path(result["folder"]) / "logs").glob("*")), "nothing was run"


def test_local_without_bubblewrap_is_an_error(solve: Any) -> None:
    done = solve("--sandbox", "local", bare=True)
    assert (done.returncode, done.stdout) == (3, "")
    assert len(done.stderr.strip().splitlines()) == 1 and "--unisolated" in done.stderr


def test_only_in_so_many_words_without_isolation(solve: Any) -> None:
    done = solve("--unisolated", bare=True)
    result = json.loads(done.stdout)
    assert (done.returncode, result["evidence"]) == (0, "completed"), result["message"]
    assert (result["sandbox"]["name"], result["sandbox"]["isolated"]) == ("process", False)
    assert "not isolated" in (Path(result["folder"]) / "report.html").read_text()
