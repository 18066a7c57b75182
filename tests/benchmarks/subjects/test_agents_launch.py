"""How each agent is started, and what is read from the files it leaves."""

import json
from pathlib import Path

import pytest

from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.subjects import agents
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.model import Inside, Launch, SubjectTask
from ml_agent.benchmarks.subjects.places import Place, open_place
from ml_agent.benchmarks.subjects.subject import Subject
from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint

KEY = "sk-this-must-stay-outside"
TOKEN = "run-token"
INSIDE = Inside(
    workspace="/w",
    programs="/agents/bin",
    source="/agents/source",
    own="/w/.subject",
    base_url="http://10.0.0.1:9/v1",
    token=TOKEN,
)


def agent(name: str) -> Subject:
    found = agents.subject(name)
    assert isinstance(found, Subject)
    return found


def launch(name: str) -> Launch:
    endpoint = Endpoint(model="some-model", base_url="http://elsewhere/v1", api_key=KEY)
    task = SubjectTask(text='It\'s a task; "quoted".', endpoint=endpoint, limits=Limits(calls=12), folder="r/x")
    return agent(name).launch(task, INSIDE)


@pytest.mark.parametrize("name", agents.names())
def test_is_told_of_the_meter_and_nothing_of_the_endpoint(name: str) -> None:
    started = launch(name)
    everything = repr(started)
    assert KEY not in everything and "elsewhere" not in everything
    assert INSIDE.base_url in everything and "some-model" in everything
    assert TOKEN in started.environment.values() and TOKEN not in repr(started.arguments) + repr(started.files)
    assert started.environment["HOME"] == "/w/.subject/home"
    told = [
        *started.arguments,
        *(json.dumps(json.loads(t)) for n, t in started.files.items() if n.endswith((".json", ".yaml"))),
    ]
    assert any('It\'s a task; "quoted".' in part or 'It\'s a task; \\"quoted\\".' in part for part in told)


def test_swe_agent_keeps_off_this_machine(tmp_path: Path, least: Installed) -> None:
    sandbox = open_place(Place(sandbox="local", unisolated=True), tmp_path)
    task = SubjectTask(text="x", endpoint=Endpoint(model="m"))
    with pytest.raises(AgentMissingError, match="runs only in a sandbox"):
        agents.subject("swe-agent").run(task, sandbox, least, tmp_path / "records")
