"""How each agent is started, and what is read from the files it leaves."""

import json
from pathlib import Path

import pytest

from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.subjects import registry
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.model import Inside, Launch, Reported, SubjectTask
from ml_agent.benchmarks.subjects.places import Place, open_place
from ml_agent.benchmarks.subjects.subject import PackagedSubject
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


def agent(name: str) -> PackagedSubject:
    found = registry.subject(name)
    assert isinstance(found, PackagedSubject)
    return found


def launch(name: str) -> Launch:
    endpoint = Endpoint(model="some-model", base_url="http://elsewhere/v1", api_key=KEY)
    task = SubjectTask(text='It\'s a task; "quoted".', endpoint=endpoint, limits=Limits(calls=12), folder="r/x")
    return agent(name).launch(task, INSIDE)


@pytest.mark.parametrize("name", registry.names())
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


@pytest.mark.parametrize("name", ["mini-swe-agent", "autogen", "openhands", "swe-agent"])
def test_knows_how_many_requests_it_has(name: str) -> None:
    assert "12" in repr(launch(name))


def test_drivers_compile() -> None:
    for name in ("autogen", "openhands"):
        for file, text in launch(name).files.items():
            if file.endswith(".py"):
                compile(text, file, "exec")


def test_swe_agent_keeps_off_this_machine(tmp_path: Path, least: Installed) -> None:
    sandbox = open_place(Place(sandbox="local", unisolated=True), tmp_path)
    task = SubjectTask(text="x", endpoint=Endpoint(model="m"))
    with pytest.raises(AgentMissingError, match="container or a namespace only"):
        registry.subject("swe-agent").run(task, sandbox, least, tmp_path / "records")


def left(tmp_path: Path, name: str, content: object) -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return tmp_path


def test_mini_trajectory(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 7}
    said = {"role": "assistant", "content": "ls", "extra": {"response": {"usage": usage}}}
    info = {"exit_status": "LimitsExceeded", "submission": "", "model_stats": {"instance_cost": 0.0, "api_calls": 2}}
    whole = {
        "info": info,
        "messages": [{"role": "user", "content": "x"}, said, said],
        "trajectory_format": "mini-swe-agent-1.1",
    }
    assert agent("mini-swe-agent").read(left(tmp_path, "records/run.traj.json", whole)) == Reported(
        status="LimitsExceeded",
        limited=True,
        calls=2,
        prompt_tokens=200,
        completion_tokens=14,
        trajectory="records/run.traj.json",
    )


AIDER = """
# aider chat started at 2026-11-20 07:20:00

> Model: openai/m with whole edit format
> Added run.sh to the chat.

#### Train for 5 epochs.

run.sh
```
python main.py --epochs 5
```

> Tokens: 1.6k sent, 28 received. Cost: $0.0021 message, $0.0021 session.
> Applied edit to run.sh

#### yes

Done.

> Tokens: 745 sent, 1,028 received. Cost: $0.0040 message, $0.0061 session.
"""


def test_aider_history(tmp_path: Path) -> None:
    reported = agent("aider").read(left(tmp_path, "records/aider.chat.history.md", AIDER))
    assert (reported.calls, reported.prompt_tokens, reported.completion_tokens) == (2, 2345, 1056)
    assert (reported.usd, reported.answer) == (0.0061, "Done.")


def test_autogen_messages(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 50, "completion_tokens": 5}
    messages = [
        {"source": "user", "models_usage": None, "content": "x"},
        {"source": "coder", "models_usage": usage, "content": [{"name": "bash"}]},
        {"source": "coder", "models_usage": usage, "content": "TERMINATE"},
    ]
    whole = {"stop_reason": "Maximum number of turns 2 reached.", "messages": messages}
    reported = agent("autogen").read(left(tmp_path, "records/messages.json", whole))
    assert (reported.calls, reported.prompt_tokens, reported.answer, reported.limited) == (2, 100, "TERMINATE", True)


def test_openhands_events(tmp_path: Path) -> None:
    result = {"status": "finished", "accumulated_cost": 0.0, "calls": 2, "prompt_tokens": 9, "completion_tokens": 3}
    events = "records/conversation/abc/events"
    left(
        tmp_path,
        f"{events}/event-00000-a.json",
        {"source": "user", "llm_message": {"content": [{"type": "text", "text": "x"}]}},
    )
    left(
        tmp_path,
        f"{events}/event-00001-b.json",
        {"source": "agent", "tool_name": "finish", "action": {"message": "It is done."}},
    )
    left(tmp_path, f"{events}/event-00002-c.json", {"source": "environment", "tool_name": "finish", "observation": {}})
    reported = agent("openhands").read(left(tmp_path, "records/openhands.json", result))
    assert (reported.status, reported.calls, reported.usd, reported.answer) == ("finished", 2, None, "It is done.")


def test_openhands_last_message_where_it_never_finishes(tmp_path: Path) -> None:
    result = {"status": "error", "accumulated_cost": 0.5, "calls": 1, "prompt_tokens": 9, "completion_tokens": 3}
    events = "records/conversation/abc/events"
    message = {"content": [{"type": "text", "text": "What now?"}]}
    left(tmp_path, f"{events}/event-00001-b.json", {"source": "agent", "llm_message": message})
    left(tmp_path, f"{events}/event-00002-b.json", {"source": "environment", "code": "MaxIterationsReached"})
    reported = agent("openhands").read(left(tmp_path, "records/openhands.json", result))
    assert reported.limited and (reported.answer, reported.usd) == ("What now?", 0.5)


def test_swe_trajectory(tmp_path: Path) -> None:
    stats = {"instance_cost": 0.25, "tokens_sent": 900, "tokens_received": 40, "api_calls": 3}
    info = {"exit_status": "submitted (exit_cost)", "submission": "diff --git a/x b/x", "model_stats": stats}
    reported = agent("swe-agent").read(left(tmp_path, "records/swe-agent/task/task.traj", {"info": info}))
    assert (reported.limited, reported.calls, reported.prompt_tokens, reported.usd) == (True, 3, 900, 0.25)
