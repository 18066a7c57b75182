"""What an endpoint means when it refuses a request: too long, a parameter or a way of answering that it does not have.

Providers word it differently and some give no code, so the words have to be read; only refusals are, never replies.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
import openai

from ml_agent.llm.endpoint import Mode
from ml_agent.llm.retry import error_text

OPTIONAL = ("temperature", "seed", "parallel_tool_calls", "tool_choice", "strict")
"""Parameters that a request can do without."""
_REFUSED = frozenset({400, 404, 413, 415, 422, 500, 501})
"""Statuses with which servers say that a request is not for them; some use 500 for templates without tools."""
_TOO_LONG = re.compile(
    r"context.?(length|window|size)|maximum context|too many (input )?tokens|(prompt|input|request) is too (long|large)"
    r"|reduce the length|exceeds? the (available|maximum|model)|\bn_ctx\b|max_model_len|token limit|payload too large",
    re.IGNORECASE,
)
_CONTEXT = re.compile(
    r"(?:context (?:length|window|size)(?: is| of|:)?|n_ctx\W+|maximum (?:of|is)|at most|max_model_len\W+)\D{0,12}(\d{3,8})",
    re.IGNORECASE,
)
_ABOUT: dict[Mode, re.Pattern[str]] = {
    "tools": re.compile(r"\btools?\b|\bfunctions?\b|tool_c|--jinja|chat template", re.IGNORECASE),
    "text": re.compile(r"(?!)"),
}


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """What to change before asking again."""

    kind: Literal["too-long", "parameter", "rename-output", "mode"]
    parameter: str = ""
    context_tokens: int | None = None
    """The model's context, where the endpoint says it."""


def read_refusal(error: BaseException, body: Mapping[str, Any], mode: Mode) -> Refusal | None:
    """What the refusal asks to change, or None where it is about something else."""
    if not isinstance(error, openai.APIStatusError) or error.status_code not in _REFUSED:
        return None
    text = f"{error_text(error)} {error.code or ''} {error.type or ''}"
    if "max_completion_tokens" in text and "max_tokens" in body:
        return Refusal(kind="rename-output")
    if _TOO_LONG.search(text) or error.status_code == 413:
        said = _CONTEXT.search(text)
        return Refusal(kind="too-long", context_tokens=_said_context(error) or (int(said[1]) if said else None))
    named = next((name for name in OPTIONAL if re.search(rf"\b{name}\b", text) and _was_sent(name, body)), "")
    if named:
        return Refusal(kind="parameter", parameter=named)
    return Refusal(kind="mode") if _ABOUT[mode].search(text) else None


def _was_sent(name: str, body: Mapping[str, Any]) -> bool:
    return name in body or (name == "strict" and "tools" in body)


def _said_context(error: openai.APIStatusError) -> int | None:
    """llama.cpp's server states its context as a field."""
    details = error.body if isinstance(error.body, dict) else {}
    said = details.get("n_ctx")
    return said if isinstance(said, int) and said > 0 else None
