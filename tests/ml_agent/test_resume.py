"""A run that is killed in any node, or ended by a limit, ends after a resume with the answer it would have had."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from ml_agent.phases import PHASES
from ml_agent.request import Job
from ml_agent.run_job import begin_job
from ml_agent.settings import load_settings
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


def resume(out: Path, *limits: str) -> dict[str, Any]:
    """Go on by the command line; the result."""
    done = ml_agent("resume", str(out), *limits, "--json", "--quiet")
    assert done.stdout, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


QUICK = (("generate", "leave"), ("diagnose", "leave"))
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


@pytest.mark.slow
def test_a_folder_that_changed_in_between_is_planned_anew_and_that_is_said(tmp_path: Path) -> None:
    root, out = tmp_path / "repository", tmp_path / "killed"
    root.mkdir()
    (root / "fit.py").write_text(FAILING)
    assert start("check", "leave", out, root) == -9
    (first,) = {str(event["note"]) for event in events_of(out, "phase") if event["phase"] == "plan"}
    (root / "fit.py").write_text(FAILING.replace("--lr", "--rate").replace("args.lr", "args.rate"))
    result = resume(out)
    assert result["answer"]["text"] == "python fit.py --rate 0.25"
    repository = result["repository"]
    assert repository["changed_from"] != repository["version"] and repository["changed_from"][:12] in first
    plans = [str(event["note"]) for event in events_of(out, "phase") if event["phase"] == "plan"]
    assert plans[-1].startswith(f"repository at {repository['version'][:12]} (changed: the run began at files-")


def test_a_finished_run_is_told_again(repository: Path, tmp_path: Path) -> None:
    assert start("none", "enter", tmp_path / "whole", repository) == 0
    first = (tmp_path / "whole" / "run.json").read_text()
    told = json.loads(first)
    assert told.pop("seal") and resume(tmp_path / "whole") == told
    assert (tmp_path / "whole" / "run.json").read_text() == first


class Sleeper(killed_run.Killer):
    """Lets the wall time pass before one phase."""

    SECONDS = 3.0

    def on_phase(self, name: str, moment: str, _note: str) -> None:
        if (name, moment) == self._when:
            time.sleep(self.SECONDS)


def events_of(out: Path, kind: str) -> list[dict[str, Any]]:
    events = [json.loads(line) for line in (out / "trajectory.jsonl").read_text().splitlines()]
    return [event for event in events if event["event"] == kind]


@pytest.mark.slow
@pytest.mark.parametrize("phase", ["understand", "check"])
def test_a_run_that_reached_a_limit_goes_on_with_more_to_the_same_answer(
    phase: str, repository: Path, tmp_path: Path
) -> None:
    job = Job(instruction=INSTRUCTION, repository=str(repository))
    begin_job(job, load_settings(run="none"), tmp_path / "whole")
    without = json.loads((tmp_path / "whole/run.json").read_text())
    settings = load_settings(run="none", max_seconds=Sleeper.SECONDS)
    ended = begin_job(job, settings, tmp_path / "ended", Sleeper(phase, "enter"))
    assert (ended["ending"], ended["exit_code"], ended["answer"]) == ("budget", 5, None)
    assert resume(tmp_path / "ended") == ended, "with the same limit there is nothing to go on with"
    result = resume(tmp_path / "ended", "--max-seconds", "600")
    assert (result["ending"], result["answer"]) == (without["ending"], without["answer"])
    assert result["budget"]["seconds"] > Sleeper.SECONDS, "what was spent before counts"
    phases = [event["phase"] for event in events_of(tmp_path / "ended", "phase")]
    (resumed,) = events_of(tmp_path / "ended", "resumed")
    assert [phases.count(name) for name in set(phases) - set(resumed["at"])] == [1] * (len(set(phases)) - 1)
    assert resume(tmp_path / "ended") == result, "it is finished now"


def test_a_limit_that_is_still_too_low_is_reached_again(repository: Path, tmp_path: Path) -> None:
    words = ("solve", INSTRUCTION, "--repo", str(repository), "--run", "none", "--out", str(tmp_path / "out"), "-q")
    assert ml_agent(*words, "--max-seconds", "0.001").returncode == 5
    again = ml_agent("resume", str(tmp_path / "out"), "--max-seconds", "0.002", "-q")
    assert (again.returncode, again.stdout) == (5, "")
    assert "0.002 seconds" in json.loads((tmp_path / "out/run.json").read_text())["message"]
    assert ml_agent("resume", str(tmp_path / "out"), "--max-seconds", "600", "-q").stdout == "python fit.py --lr 0.25\n"


def test_a_run_that_ended_otherwise_takes_no_other_limits(repository: Path, tmp_path: Path) -> None:
    words = ("solve", INSTRUCTION, "--repo", str(repository), "--run", "none", "--out", str(tmp_path / "out"), "-q")
    assert ml_agent(*words).returncode == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir() if path.suffix == ".json"}
    done = ml_agent("resume", str(tmp_path / "out"), "--max-seconds", "600")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1) and "ended as checked" in done.stderr
    assert {name: (tmp_path / "out" / name).read_bytes() for name in before} == before
