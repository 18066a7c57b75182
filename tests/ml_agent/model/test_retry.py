"""What is tried again, and how long is waited."""

import email.utils
import time

import httpx
import openai
import pytest

from ml_agent.model.memory import Memory, Traits
from ml_agent.model.retry import MAX_TRIES, is_transient, retry_after, retrying
from ml_agent.model.waiting import Limiter


def refused(status: int, headers: dict[str, str] | None = None, code: str = "") -> openai.APIStatusError:
    response = httpx.Response(status, headers=headers, request=httpx.Request("POST", "http://x/"))
    return openai.APIStatusError("said", response=response, body={"code": code, "message": "said"})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "again"),
    [(400, False), (401, False), (404, False), (422, False), (408, True), (429, True), (500, True), (529, True)],
)
def test_statuses(status: int, again: bool) -> None:
    assert is_transient(refused(status)) is again


def test_a_used_up_quota_is_not_waited_for() -> None:
    assert not is_transient(refused(429, code="insufficient_quota"))


def test_retry_after_in_every_form() -> None:
    date = email.utils.formatdate(time.time() + 30, usegmt=True)
    assert retry_after(refused(429, {"retry-after-ms": "1500"})) == 1.5
    assert retry_after(refused(429, {"retry-after": "7"})) == 7.0
    assert 28 <= (retry_after(refused(429, {"retry-after": date})) or 0) <= 31
    assert retry_after(refused(429, {"retry-after": "soon"})) is None
    for date in ("Fri, 01 Jan 99999999999 00:00:00 GMT", "Fri, 30 Feb 2026 00:00:00 GMT"):
        assert retry_after(refused(429, {"retry-after": date})) is None
    assert retry_after(ValueError()) is None


def test_no_wait_is_longer_than_the_time_that_is_left() -> None:
    waited: list[float] = []

    def fail() -> None:
        raise refused(500)

    with pytest.raises(openai.APIStatusError):
        retrying(waited.append, lambda: 0.1)(fail)
    assert len(waited) == MAX_TRIES - 1 and set(waited) == {0.1}


def test_the_limiter_adapts() -> None:
    limiter = Limiter(8)
    limiter.refused(0.0)
    limiter.refused(0.0)
    assert limiter.allowed == 2
    for _ in range(30):
        limiter.succeeded()
    assert limiter.allowed == 8


def test_memory_survives_and_forgives(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "cache" / "endpoints.json"
    Memory(path).learn("a|m", mode="text", confirmed=True)
    other = Memory(path)
    other.learn("b|m", dropped=["seed"])
    assert Memory(path).traits("a|m") == Traits(mode="text", confirmed=True)
    assert Memory(path).traits("b|m").dropped == ["seed"]
    path.write_text("{broken")
    assert Memory(path).traits("a|m") == Traits()
    Memory(tmp_path).learn(
        "a|m", mode="text"
    )  # a folder in its place cannot be written: nothing is remembered, nothing fails
