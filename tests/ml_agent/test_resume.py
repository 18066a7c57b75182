"""A run that is killed in any node ends, after a resume, with the answer it would have had."""

import json
from pathlib import Path
from typing import Any

import pytest

from ml_agent.phases import PHASES
from tests.command import ml_agent
from tests.command import start as start_command
from tests.ml_agent import killed_run

INSTRUCTION = "fit the model with a learning rate of 0.25"
FAILING = (
    "import argparse\n"
    "parser = argparse.ArgumentParser()\n"
    'parser.add_argument("--lr", type=float, default=0.1)\n'
    "args = parser.parse_args()\n"
    'raise RuntimeError(f"no step could be made with {args.lr}")\n'
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One script that passes every check and fails when run, so that all eight nodes are reached."""
    root = tmp_path_factory.mktemp("repository")
    (root / "fit.py").write_text(FAILING)
    (root / "README.md").write_text("# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n")
    return root


def start(phase: str, moment: str, out: Path, repository: Path) -> int:
    """Run until the process kills itself; its exit status."""
    with start_command([phase, moment, str(out), str(repository), INSTRUCTION], program=killed_run.main) as process:
        return process.wait()


def resume(out: Path) -> dict[str, Any]:
    """Go on by the command line; the result."""
    done = ml_agent("resume", str(out), "--json", "--quiet")
    assert done.stdout, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


QUICK = (("generate", "leave"), ("execute", "enter"), ("diagnose", "leave"))
"""Kills that `make test` does; `make test-slow` does one at each end of every node."""
KILLS = [
    pytest.param(phase, moment, marks=[] if (phase, moment) in QUICK else [pytest.mark.slow])
    for phase in PHASES
    for moment in ("enter", "leave")
]


@pytest.mark.parametrize(("phase", "moment"), KILLS)
def test_a_run_killed_in_any_node_goes_on_to_the_same_answer(
    phase: str, moment: str, repository: Path, tmp_path: Path
) -> None:
    assert start(phase, moment, tmp_path / "killed", repository) == -9
    assert not (tmp_path / "killed" / "run.json").exists()
    killed = resume(tmp_path / "killed")
    assert killed["answer"]["text"].strip().startswith("python fit.py --lr 0.25")
    assert (killed["ending"], killed["evidence"]) == ("not-reached", "checked")
    events = [json.loads(line) for line in (tmp_path / "killed" / "trajectory.jsonl").read_text().splitlines()]
    done = [event["phase"] for event in events if event["event"] == "phase"]
    # At most the node that was cut is repeated.
    assert done.count("understand") <= (2 if phase == "understand" else 1)
    assert {"execute", "diagnose"} <= set(done)


def test_a_finished_run_is_told_again(repository: Path, tmp_path: Path) -> None:
    assert start("none", "enter", tmp_path / "whole", repository) == 0
    first = (tmp_path / "whole" / "run.json").read_text()
    assert resume(tmp_path / "whole") == json.loads(first)
    assert (tmp_path / "whole" / "run.json").read_text() == first
