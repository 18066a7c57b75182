"""The scripted server answers as a real endpoint does, and keeps account."""

import json
import urllib.request
from typing import Any

import pytest

from tests.servers.misbehaviours import MISBEHAVIOURS, first
from tests.servers.model_server import Answer, ModelServer, answers, first_choice, refusal

SCHEMA = {
    "type": "object",
    "properties": {
        "script": {"type": "string", "enum": ["b.py", "a.py"]},
        "lr": {"type": ["number", "null"]},
        "mode": {"anyOf": [{"enum": ["x"]}, {"type": "null"}]},
        "layers": {"type": "array", "items": {"type": "integer"}},
        "epochs": {"type": "integer"},
    },
    "required": ["script", "lr", "mode", "layers", "epochs"],
}
LEAST: dict[str, Any] = {"script": "b.py", "lr": None, "mode": None, "layers": [], "epochs": 1}


def ask(server: ModelServer, **parts: Any) -> dict[str, Any]:
    body = {"model": "m", "messages": [{"role": "user", "content": "hello there"}], "max_tokens": 50, **parts}
    request = urllib.request.Request(
        f"{server.url}/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        reply: dict[str, Any] = json.load(response)
    return reply


def tools(*names: str) -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in names]


def test_tool_calls() -> None:
    with ModelServer() as server:
        message = ask(server, tools=tools("run", "stop"))["choices"][0]["message"]
    call = message["tool_calls"][0]["function"]
    assert call["name"] == "run" and json.loads(call["arguments"]) == LEAST


def test_text_replies() -> None:
    with ModelServer(answers(Answer("run", {"a": 1}))) as server:
        content = ask(server)["choices"][0]["message"]["content"]
    assert content == '```json\n{"call": {"name": "run", "arguments": {"a": 1}}}\n```'


def test_scripted_answers_come_in_order_and_the_last_one_stays() -> None:
    with ModelServer(answers(Answer("run", {"n": 1}), Answer("run", {"n": 2}))) as server:
        said = [
            ask(server, tools=tools("run"))["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]
            for _ in range(3)
        ]
    assert said == ['{"n": 1}', '{"n": 2}', '{"n": 2}']


def test_requests_are_kept_and_counted() -> None:
    with ModelServer() as server:
        usage = ask(server, tools=tools("run"))["usage"]
        seen = server.requests[0]
    assert usage["prompt_tokens"] == seen.prompt_tokens > 30 and seen.output_tokens == 50
    assert (
        server.most_tokens == seen.prompt_tokens + 50
        and "hello there" in seen.text
        and seen.functions == {"run": SCHEMA}
    )


def test_first_holds_for_the_first_requests_only() -> None:
    with ModelServer(first_choice, first(1, lambda _seen, _answer: refusal(500, "broken"))) as server:
        with pytest.raises(urllib.error.HTTPError):
            ask(server, tools=tools("run"))
        assert ask(server, tools=tools("run"))["choices"]


def test_there_are_enough_ways_to_misbehave() -> None:
    assert len(MISBEHAVIOURS) >= 20
