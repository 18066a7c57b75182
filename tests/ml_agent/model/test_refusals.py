"""What an endpoint's refusal asks to change, by its status and words, and by what was sent."""

from typing import Any

import httpx
import openai
import pytest

from ml_agent.model.retry import Refusal, read_refusal
from ml_agent.model.thread import Mode

TOO_LONG = Refusal(kind="too-long")
CHOICE = Refusal(kind="parameter", parameter="tool_choice")
MODE = Refusal(kind="mode")


@pytest.mark.parametrize(
    ("status", "message", "sent", "mode", "found"),
    [
        (400, "This model's maximum context length is 8192 tokens.", {}, "text", Refusal(kind="too-long", context_tokens=8192)),
        (400, "the request exceeds the available context size, try again", {"n_ctx": 4096}, "text", Refusal(kind="too-long", context_tokens=4096)),
        (400, "prompt is too long", {"n_ctx": 0}, "text", TOO_LONG),
        (413, "no", {}, "text", TOO_LONG),
        (429, "prompt is too long", {}, "text", None),
        (400, "use max_completion_tokens instead", {"max_tokens": 9}, "text", Refusal(kind="rename-output")),
        (400, "use max_completion_tokens instead", {"max_completion_tokens": 9}, "text", None),
        (400, "temperature is not supported", {"temperature": 0}, "text", Refusal(kind="parameter", parameter="temperature")),
        (400, "temperature is not supported", {}, "text", None),
        (400, "tool_choice is unknown", {"tool_choice": "required"}, "tools", CHOICE),
        (500, "this template has no tools", {}, "tools", MODE),
        (500, "this template has no tools", {}, "text", None),
        (400, "json_schema is not supported", {}, "text", None),
        (401, "no tools for you", {}, "tools", None),
    ],
)  # fmt: skip
def test_what_is_to_be_changed(
    status: int, message: str, sent: dict[str, Any], mode: Mode, found: Refusal | None
) -> None:
    response = httpx.Response(status, request=httpx.Request("POST", "http://localhost"))
    error = openai.APIStatusError(message, response=response, body={"message": message, **sent})  # type: ignore[arg-type]
    assert read_refusal(error, sent, mode) == found


def test_what_is_no_refusal_asks_for_nothing() -> None:
    assert read_refusal(ValueError("prompt is too long"), {}, "text") is None
