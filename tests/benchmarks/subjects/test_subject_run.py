"""A whole run of an agent: in every sandbox there is, within its limits, with its files and records brought out."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.subjects.agents import LeastAgent
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.model import SubjectRun, SubjectTask
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.sandbox.contract import Sandbox
from tests.servers.model_server import Answer, Brain, ModelServer, Seen, answers, completion

Open = Callable[[Place], Sandbox]
KEY = "sk-this-must-stay-outside"
PROCESS = Place(sandbox="local", unisolated=True)
WRITE = "echo 'python main.py --epochs 5' > run.sh"


def bash(*commands: str) -> Brain:
    return answers(*(Answer("bash", {"command": command}) for command in commands))


def run(brain: Brain, sandbox: Sandbox, least: Installed, tmp_path: Path, limits: Limits | None = None) -> SubjectRun:
    """The last of the brain's commands is the word "stop": the model then calls no tool."""

    def stops(seen: Seen, answer: Answer) -> object:
        return completion({"content": "It is done."}, seen) if answer.arguments.get("command") == "stop" else None

    with ModelServer(brain, stops) as server:  # type: ignore[arg-type]
        endpoint = Endpoint(model="m", base_url=server.url, api_key=KEY)
        limits = limits or Limits(calls=5, seconds=300)
        task = SubjectTask(text="Train for 5 epochs.", endpoint=endpoint, folder="toy/examples", limits=limits)
        done = LeastAgent().run(task, sandbox, least, tmp_path / "records")
        assert all(KEY in seen.headers["authorization"] for seen in server.requests)
    return done


@pytest.mark.parametrize(
    "place",
    [
        PROCESS,
        pytest.param(
            Place(sandbox="local"), marks=pytest.mark.skipif(find_bubblewrap() is None, reason="no bubblewrap")
        ),
        pytest.param(Place(sandbox="docker"), marks=pytest.mark.docker),
    ],
    ids=["process", "bubblewrap", "docker"],
)
def test_files_usage_and_records_come_out_of_every_sandbox(
    place: Place, opened: Open, least: Installed, tmp_path: Path
) -> None:
    done = run(bash("env; ls ~", WRITE, "stop"), opened(place), least, tmp_path)
    assert (done.ended, done.error, done.files) == ("finished", "", {"run.sh": "python main.py --epochs 5\n"})
    assert done.usage.calls == 3 and done.usage.prompt_tokens > 20 and done.usage.completion_tokens > 5
    assert done.usage.usd == 0.0
    left = tmp_path / "records"
    assert len((left / "calls.jsonl").read_text().splitlines()) == 3
    assert "HOME=" in (left / "output.log").read_text()


def test_the_key_is_in_no_record_and_no_environment(opened: Open, least: Installed, tmp_path: Path) -> None:
    run(bash("env; cat /proc/self/environ; ps -ef", WRITE, "stop"), opened(PROCESS), least, tmp_path)
    files = [path for path in (tmp_path / "records").rglob("*") if path.is_file()]
    assert len(files) >= 2 and not [path for path in files if KEY.encode() in path.read_bytes()]


def test_time_ends_the_agent_and_everything_it_started(opened: Open, least: Installed, tmp_path: Path) -> None:
    marker = f"sleep {600 + os.getpid() % 1000}.25"
    began = time.monotonic()
    done = run(bash(f"setsid {marker} & {marker}"), opened(PROCESS), least, tmp_path, Limits(seconds=2))
    assert done.ended == "timeout" and time.monotonic() - began < 100
    left = subprocess.run(["pgrep", "-f", f"^{marker}"], capture_output=True, text=True, check=False)
    assert left.stdout == ""


def test_an_agent_that_fails_is_a_run_with_its_reason(opened: Open, least: Installed, tmp_path: Path) -> None:
    done = run(answers(Answer("bash", {"no": "command"})), opened(PROCESS), least, tmp_path)
    assert done.ended == "failed" and "KeyError" in done.error and done.usage.calls == 1


def test_an_environment_that_does_not_work_in_there_is_said_at_once(
    opened: Open, least: Installed, tmp_path: Path
) -> None:
    sandbox = opened(Place(sandbox="local")) if find_bubblewrap() else opened(PROCESS)
    elsewhere = Installed(**{**{n: getattr(least, n) for n in least.__struct_fields__}, "folder": tmp_path / "nowhere"})
    with pytest.raises(AgentMissingError, match=r"does not work in the \w+ sandbox"):
        run(bash("stop"), sandbox, elsewhere, tmp_path)


def test_a_request_that_was_never_answered_counts_as_one(opened: Open, least: Installed, tmp_path: Path) -> None:
    def slow(seen: Seen) -> Answer:
        time.sleep(8)
        return Answer("bash", {"command": "ls"})

    done = run(slow, opened(PROCESS), least, tmp_path, Limits(calls=3, seconds=4))
    assert done.usage.calls == 1
    # the request is given up when the time is over, and then the agent is ended: it may see the one before the other
    assert (done.ended, done.error) == ("budget", "the limit on seconds was reached") or (
        done.ended == "timeout" and done.error.startswith("ended after")
    )
