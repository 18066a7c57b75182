"""Conversations of form D that are kept and given again."""

import json
from pathlib import Path
from typing import Any

from ml_agent.benchmarks.replay import collect
from ml_agent.sandbox.uv_program import uv_program


def exchange(asked: list[str], said: str) -> dict[str, Any]:
    request = {"messages": [{"role": "user", "content": text} for text in asked]}
    return {"status": 200, "request": request, "reply": {"choices": [{"message": {"content": said}}]}}


def test_conversations_are_kept_without_what_is_of_one_machine(tmp_path: Path) -> None:
    results, records = tmp_path / "out", tmp_path / "records"
    place = results / "records" / "mini-swe-agent-2.4.6" / "imagehash" / "try-2"
    place.mkdir(parents=True)
    calls = [
        exchange(["make it"], f"{uv_program()} pip install x"),
        exchange(["make it", "WARNING: Location 'file:///srv/index/x/' is ignored"], "done"),
    ]
    (place / "calls.jsonl").write_text("".join(json.dumps(one) + "\n" for one in calls))
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "calls": 2}
    done = {
        "row": "imagehash",
        "agent": "mini-swe-agent 2.4.6",
        "claim": True,
        "delivered": True,
        "refusal": "",
        "tries": 2,
    }
    line = {**done, "infrastructure": "", "usage": usage}
    (results / "deliveries.jsonl").write_text(json.dumps(line) + "\n")

    assert collect(results, records) == collect(results, records) == 1

    kept = [json.loads(one) for one in (records / "mini-swe-agent" / "imagehash.jsonl").read_text().splitlines()]
    assert [len(one["messages"]) for one in kept] == [1, 1]
    assert kept[0]["reply"]["choices"][0]["message"]["content"] == "{uv} pip install x"
    assert "/srv" not in kept[1]["messages"][0]["content"]
    (verdict,) = map(json.loads, (records / "verdicts.jsonl").read_text().splitlines())
    assert (verdict["agent"], verdict["version"], verdict["delivered"]) == (
        "mini-swe-agent",
        "mini-swe-agent 2.4.6",
        True,
    )
