"""A whole chat completion, told as a stream: for agents that ask for one while the bench counts whole replies."""

import json
from collections.abc import Mapping
from typing import Any


def as_stream(body: bytes) -> bytes:
    """Server-sent events of one completion: a chunk with the whole message, one with the usage, and the end mark."""
    answer = json.loads(body)
    head = {name: answer.get(name) for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    choices = [
        {
            "index": choice.get("index", 0),
            "delta": _delta(choice["message"]),
            "finish_reason": choice.get("finish_reason"),
        }
        for choice in answer.get("choices", [])
    ]
    chunks = [{**head, "choices": choices}, {**head, "choices": [], "usage": answer.get("usage")}]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode() + b"data: [DONE]\n\n"


def _delta(message: Mapping[str, Any]) -> dict[str, Any]:
    calls = [{"index": number, **call} for number, call in enumerate(message.get("tool_calls") or [])]
    return {**message, **({"tool_calls": calls} if calls else {})}
