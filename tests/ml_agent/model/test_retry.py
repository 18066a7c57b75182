"""What is tried again, and how long is waited."""

import email.utils
import time

import httpx
import openai
import pytest

from ml_agent.model.memory import Memory, Traits
from ml_agent.model.retry import MAX_TRIES, MAX_WAIT, is_transient, retry_after, retrying, wait_seconds
from ml_agent.model.waiting import Limiter, limiter_for


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


def test_waits_grow_with_jitter_up_to_a_bound() -> None:
    waits = [wait_seconds(refused(500), attempt) for attempt in range(1, 12)]
    assert all(0.5 * 2 ** (n - 1) <= wait <= 2 ** (n - 1) for n, wait in enumerate(waits[:5], 1))
    assert max(waits) <= MAX_WAIT and len(set(waits)) == len(waits)


def test_the_limiter_adapts() -> None:
    limiter = Limiter(8)
    limiter.refused(0.0)
    limiter.refused(0.0)
    assert limiter.allowed == 2
    for _ in range(30):
        limiter.succeeded()
    assert limiter.allowed == 8


def test_the_limiter_lets_nobody_through_while_patience_was_asked_for() -> None:
    limiter = Limiter(2)
    began = time.monotonic()
    limiter.refused(0.5)
    with pytest.raises(TimeoutError), limiter.slot(deadline=time.monotonic() + 0.05):
        raise AssertionError("no place was free")
    with limiter.slot():
        assert time.monotonic() - began >= 0.5


def test_one_limiter_an_endpoint() -> None:
    assert limiter_for("http://one", 3) is limiter_for("http://one", 5) is not limiter_for("http://two", 3)


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
