"""The one retry layer for models: what is tried again, how long to wait, and what never is tried again."""

import email.utils
import random
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec
import openai
from tenacity import RetryCallState, Retrying, retry_if_exception

from ml_agent.errors import AgentError
from ml_agent.key_mask import keys_in, masked
from ml_agent.model.thread import Mode

MAX_TRIES = 5
MAX_WAIT = 60.0
"""Seconds; an endpoint that asks for more is given up."""
TRANSIENT_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
NEVER_AGAIN = (
    "insufficient_quota",
    "billing_hard_limit_reached",
    "invalid_api_key",
    "content_filter",
    "model_not_found",
)
"""Error codes that no waiting cures, whatever the status says."""


def status_of(error: BaseException) -> int | None:
    """The HTTP status, or None where no answer came."""
    return error.status_code if isinstance(error, openai.APIStatusError) else None


def error_text(error: BaseException) -> str:
    """What the endpoint said, on one line, without the keys that it was sent."""
    said = f"{error} {error.__cause__ or ''}"
    if isinstance(error, openai.APIStatusError):
        said = error.message or error.response.text or ""
    asked = error.request if isinstance(error, openai.APIError) else None
    secrets = keys_in(asked.headers, asked.url.params.values()) if asked is not None else ()
    return " ".join(masked(said, secrets).split())[:500]


def is_transient(error: BaseException) -> bool:
    """Whether asking again may help; never where it is an error of ours, such as a cancellation, that the client wrapped."""
    if isinstance(error.__cause__, AgentError):
        return False
    if isinstance(error, openai.APIConnectionError):  # a timeout is one, too
        return True
    if isinstance(error, openai.APIStatusError):
        refused_for_good = any(code in error_text(error) or code == error.code for code in NEVER_AGAIN)
        return error.status_code in TRANSIENT_STATUS and not refused_for_good
    return False


def retry_after(error: BaseException) -> float | None:
    """Seconds that the endpoint asks us to wait: retry-after-ms, retry-after in seconds, or as a date."""
    if not isinstance(error, openai.APIStatusError):
        return None
    headers = error.response.headers
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        if "retry-after" in headers:
            return max(0.0, float(headers["retry-after"]))
    except ValueError:
        return _until(headers.get("retry-after", ""))
    return None


def _until(date: str) -> float | None:
    """Seconds until a date; None where it is none."""
    try:
        return max(0.0, email.utils.parsedate_to_datetime(date).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def wait_seconds(error: BaseException, attempt: int) -> float:
    """How long to wait before the next try: what the endpoint says, else exponential with jitter; plus a little of it."""
    asked = retry_after(error)
    if asked is not None:
        return asked + random.uniform(0, 0.25)
    return min(MAX_WAIT, 2.0 ** (attempt - 1)) * random.uniform(0.5, 1.0)


def retrying(sleep: Callable[[float], None], seconds_left: Callable[[], float | None]) -> Retrying:
    """The policy: at most MAX_TRIES, two for a timeout, no wait above MAX_WAIT or beyond the run's wall time."""

    def wait(state: RetryCallState) -> float:
        pause, left = wait_seconds(_error(state), state.attempt_number), seconds_left()
        return pause if left is None else min(pause, left)

    def stop(state: RetryCallState) -> bool:
        error, left = _error(state), seconds_left()
        tries = 2 if isinstance(error, openai.APITimeoutError) else MAX_TRIES
        asked = retry_after(error) or 0.0
        return state.attempt_number >= tries or asked > MAX_WAIT or (left is not None and asked >= left)

    return Retrying(retry=retry_if_exception(is_transient), wait=wait, stop=stop, sleep=sleep, reraise=True)


def _error(state: RetryCallState) -> BaseException:
    error: Any = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, BaseException) else RuntimeError("no outcome")


OPTIONAL = {
    "temperature": r"\btemperature\b",
    "seed": r"\bseed\b",
    "tool_choice": r"\btool_choice\b",
    "pictures": r"(?i)\bimages?\b|image_url|picture|\bvision\b|multi-?modal|content\W.{0,60}\b(?:string|str|text)\b",
}
"""What a request can do without, and how a refusal names it."""
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
    named = next((name for name, words in OPTIONAL.items() if name in body and re.search(words, text)), "")
    if named:
        return Refusal(kind="parameter", parameter=named)
    return Refusal(kind="mode") if _ABOUT[mode].search(text) else None


def _said_context(error: openai.APIStatusError) -> int | None:
    """llama.cpp's server states its context as a field."""
    details = error.body if isinstance(error.body, dict) else {}
    said = details.get("n_ctx")
    return said if isinstance(said, int) and said > 0 else None
