"""The real agents, installed and run against a scripted model: minutes and gigabytes, so only when asked for.

ML_AGENT_TEST_AGENTS names the folder that they are installed in (and stay in); ML_AGENT_TEST_SWE_AGENT a checkout of SWE-agent.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from ml_agent.benchmarks.subjects import agents
from ml_agent.benchmarks.subjects.model import SubjectTask
from ml_agent.benchmarks.subjects.places import Place, lay, open_place
from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint
from tests.servers.model_server import Answer, ModelServer, Response, Seen, completion

HOME = os.environ.get("ML_AGENT_TEST_AGENTS", "")
CHECKOUT = os.environ.get("ML_AGENT_TEST_SWE_AGENT", "")
KEY = "sk-this-must-stay-outside"
COMMAND = "python main.py --epochs 5"
WRITE = f"echo '{COMMAND}' > run.sh"
DONE = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
STEPS: dict[str, list[Any]] = {
    "mini-swe-agent": [Answer("bash", {"command": WRITE}), Answer("bash", {"command": DONE})],
    "aider": [f"Here it is.\n\nrun.sh\n```\n{COMMAND}\n```\n"],
    "autogen": [Answer("bash", {"command": WRITE}), "TERMINATE"],
    "openhands": [Answer("terminal", {"command": WRITE}), Answer("finish", {"message": "done"})],
    "swe-agent": [Answer("bash", {"command": WRITE}), Answer("submit", {}), Answer("submit", {})],
}


def played(steps: list[Any]) -> ModelServer:
    """A model that takes these steps in order, the last one for ever."""

    def step(seen: Seen) -> Any:
        return steps[min(seen.number, len(steps)) - 1]

    def text(seen: Seen, answer: Answer) -> Response | None:
        return completion({"content": step(seen)}, seen) if isinstance(step(seen), str) else None

    return ModelServer(lambda seen: step(seen) if isinstance(step(seen), Answer) else Answer("", {}), text)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not HOME, reason="installs gigabytes: set ML_AGENT_TEST_AGENTS to a folder")
@pytest.mark.parametrize("place", ["local", pytest.param("docker", marks=pytest.mark.docker)])
@pytest.mark.parametrize("name", STEPS)
def test_a_real_agent_writes_its_answer(name: str, place: str, tmp_path: Path) -> None:
    subject = agents.subject(name, Path(CHECKOUT) if name == "swe-agent" and CHECKOUT else None)
    if name == "swe-agent" and not CHECKOUT and subject.find(Path(HOME)) is None:
        pytest.skip("set ML_AGENT_TEST_SWE_AGENT to a checkout")
    installed = subject.find(Path(HOME)) or subject.install(Path(HOME), print)
    assert installed.version == subject.version
    (tmp_path / "toy/examples").mkdir(parents=True)
    (tmp_path / "toy/examples/main.py").write_text("import argparse\n")
    sandbox = open_place(Place(sandbox=place), tmp_path / "logs", installed.mounts())
    sandbox.start()
    try:
        lay(sandbox, tmp_path / "toy", "toy")
        with played(STEPS[name]) as server:
            endpoint = Endpoint(model="scripted", base_url=server.url, api_key=KEY)
            limits = Limits(calls=8, seconds=120)
            task = SubjectTask(text="Train it.", endpoint=endpoint, folder="toy/examples", limits=limits)
            run = subject.run(task, sandbox, installed, tmp_path / "records")
    finally:
        sandbox.stop()
    assert (run.ended, run.files) == ("finished", {"run.sh": f"{COMMAND}\n"}), run
    assert run.usage.calls == len(server.requests)
    assert not [p for p in (tmp_path / "records").rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()]
