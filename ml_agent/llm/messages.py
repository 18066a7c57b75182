"""The turns of a conversation as messages, in the endpoint's way of calling functions."""

import json
from collections.abc import Sequence
from typing import Any

from ml_agent.llm.endpoint import Mode
from ml_agent.thread import ToolCall, Turn

Message = dict[str, Any]


def messages_of(turns: Sequence[Turn], mode: Mode) -> list[Message]:
    """Native tool calls and their results, or the same in words for endpoints that have none."""
    return [message for number, turn in enumerate(turns) for message in _turn(turn, number, mode)]


def text_of(message: Message) -> str:
    """All that a message carries and that costs tokens."""
    calls = message.get("tool_calls")
    return str(message.get("content") or "") + (json.dumps(calls) if calls else "")


def _turn(turn: Turn, number: int, mode: Mode) -> list[Message]:
    if not turn.calls:
        return [
            {"role": "assistant", "content": turn.said or "(nothing)"},
            {"role": "user", "content": "\n".join(turn.results)},
        ]
    if mode != "tools":
        said = [{"name": call.name, "arguments": call.arguments} for call in turn.calls]
        words = json.dumps({"call": said[0]} if len(said) == 1 else {"calls": said}, ensure_ascii=False)
        told = "\n\n".join(f"{call.name}: {r}" for call, r in zip(turn.calls, turn.results, strict=True))
        return [{"role": "assistant", "content": words}, {"role": "user", "content": told}]
    names = [f"call_{number}_{place}" for place in range(len(turn.calls))]
    asked = [_native(name, call) for name, call in zip(names, turn.calls, strict=True)]
    results = zip(names, turn.results, strict=True)
    return [
        {"role": "assistant", "content": turn.said or None, "tool_calls": asked},
        *({"role": "tool", "tool_call_id": name, "content": result} for name, result in results),
    ]


def _native(name: str, call: ToolCall) -> Message:
    function = {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
    return {"id": name, "type": "function", "function": function}
