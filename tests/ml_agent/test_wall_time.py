"""`--max-seconds` ends what is waited for: programs in every sandbox, set-ups, clones."""

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from ml_agent.errors import BudgetExceededError
from ml_agent.model.budget import Budget, Limits
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.sandbox.contract import SYSTEM_SECONDS, Command, Response
from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.wall_time import within_wall_time
from tests.command import ml_agent
from tests.ml_agent.replay.test_tape import Echo
from tests.servers.github_server import Fault, GitHubServer

WALKS = """import argparse, os, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()
for step in range(600 if os.path.exists("long") else 3):
    print("step", step, flush=True)
    open("steps.txt", "a").write(f"{step}\\n")
    time.sleep(0.1)
"""
WAYS = {
    "docker": ("--sandbox", "docker"),
    "bubblewrap": ("--sandbox", "local"),
    "process": ("--sandbox", "local", "--unisolated"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "way",
    [
        pytest.param("docker", marks=pytest.mark.docker),
        "bubblewrap",
        "process",
    ],
)
def test_a_program_ends_with_the_run_and_what_it_made_is_kept(way: str, tmp_path: Path) -> None:
    if way == "bubblewrap" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    root, out = tmp_path / "walking", tmp_path / "out"
    root.mkdir()
    (root / "walk.py").write_text(WALKS)
    (root / "long").write_text("x")
    (root / "README.md").write_text("# Walk\n\nWalk on:\n\n```bash\npython walk.py --lr 0.5\n```\n")
    words = ("--repo", str(root), *WAYS[way], "--run", "full", "--network", "none", "--out", str(out), "-q")
    for seconds in (5, 20, 60):  # on a busy machine the first may be over before the program begins
        shutil.rmtree(out, ignore_errors=True)
        began = time.monotonic()
        done = ml_agent("solve", "walk on with lr 0.25", *words, "--max-seconds", str(seconds))
        assert time.monotonic() - began < seconds + 35
        assert done.returncode == 5 and "--max-seconds" in done.stderr
        result = json.loads((out / "run.json").read_text())
        if "ended" in result["sandbox"]:
            break
    assert (result["ending"], result["sandbox"]["ended"]) == ("budget", "timeout")
    assert (out / "outputs/steps.txt").read_text().startswith("0\n")
    (root / "long").unlink()
    again = ml_agent("resume", str(out), "--max-seconds", "600", "-q")
    assert (again.returncode, again.stdout) == (0, "python walk.py --lr 0.25\n"), again.stderr


def test_a_search_that_stalls_ends_with_the_run(tmp_path: Path) -> None:
    with GitHubServer(tmp_path / "github") as host:
        host.fail(Fault(stall=True, path="/search"))
        hosts = {"ML_AGENT_GITHUB_API": host.url, "ML_AGENT_GITHUB_WEB": host.url}
        done = ml_agent("solve", "fit the model with lr 0.25", "--run", "none", "--max-seconds", "1", **hosts)
    assert done.returncode == 5 and "raise --max-seconds" in done.stderr


class Bench(Echo):
    """One that notes what it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.commands: list[Command] = []
        self.seconds = 0.0

    def run(self, command: Command, on_output: Any = None) -> Response:
        self.commands.append(command)
        return super().run(command)

    def install_system(self, packages: tuple[str, ...], seconds: float = SYSTEM_SECONDS) -> Response:
        self.seconds = seconds
        return super().install_system(packages, seconds)


def test_no_command_is_longer_than_the_time_that_is_left() -> None:
    now = [0.0]
    inner = Bench()
    limited = within_wall_time(inner, Budget(Limits(seconds=100), clock=lambda: now[0]))
    limited.run(Command(text="pip install x", timeout=1800, install=True))
    limited.run(Command(text="ls", timeout=30))
    now[0] = 60.0
    limited.install_system(("git",))
    assert [one.timeout for one in inner.commands] == [100, 30] and inner.seconds == 40
    now[0] = 101.0
    for act in (limited.start, lambda: limited.run(Command(text="ls")), lambda: limited.install_system(("git",))):
        with pytest.raises(BudgetExceededError):
            act()
    assert len(inner.commands) == 2
    limited.stop()


def test_what_the_end_of_the_time_brought_about_is_told_as_that() -> None:
    now = [0.0]

    class Lost(Echo):
        def run(self, command: Command, on_output: Any = None) -> Response:
            now[0] += 60.0
            raise SandboxLostError("cut")

    limited = within_wall_time(Lost(), Budget(Limits(seconds=100), clock=lambda: now[0]))
    with pytest.raises(SandboxLostError):
        limited.run(Command(text="ls"))
    with pytest.raises(BudgetExceededError):
        limited.run(Command(text="ls"))


def test_without_a_limit_the_sandbox_is_as_it_was() -> None:
    inner = Bench()
    assert within_wall_time(inner, Budget()) is inner
