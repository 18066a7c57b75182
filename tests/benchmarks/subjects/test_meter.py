"""Between agent and endpoint: nothing passes unpaid, the key stays inside, everybody gets the same settings."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from ml_agent.benchmarks.subjects.meter import REPLY_TOKENS, Meter
from ml_agent.model.budget import Budget, Limits, Price
from ml_agent.model.endpoint import Endpoint
from tests.processor_time import WAIT
from tests.servers.model_server import Answer, Misbehaviour, ModelServer, Response, Seen, completion

KEY = "sk-stays-inside"
ASKED: dict[str, Any] = {"model": "whatever", "messages": [{"role": "user", "content": "Say hello."}]}
HELLO: Misbehaviour = lambda seen, answer: completion({"content": "hello"}, seen)  # noqa: E731


@contextmanager
def metered(
    tmp_path: Path, behaviour: Misbehaviour = HELLO, limits: Limits | None = None
) -> Iterator[tuple[Meter, ModelServer]]:
    with ModelServer(misbehaviour=behaviour) as server:
        endpoint = Endpoint(model="the-model", base_url=server.url, api_key=KEY)
        with Meter(endpoint, Budget(limits), tmp_path / "calls.jsonl") as meter:
            yield meter, server


def post(meter: Meter, body: Any = ASKED, token: str | None = None, path: str = "/chat/completions") -> httpx.Response:
    headers = {"authorization": f"Bearer {meter.token if token is None else token}"}
    return httpx.post(meter.url + path, json=body, headers=headers, trust_env=False)


def test_a_reply_comes_through_and_is_charged(tmp_path: Path) -> None:
    with metered(tmp_path) as (meter, server):
        reply = post(meter)
        assert reply.json()["choices"][0]["message"]["content"] == "hello"
        usage = meter.budget.usage
        assert usage.prompt_tokens == reply.json()["usage"]["prompt_tokens"] and usage.calls == 1 and usage.cost == 0.0
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_bench_sets_the_model_and_what_the_agent_leaves_open(tmp_path: Path) -> None:
    with metered(tmp_path) as (meter, server):
        post(meter)
        post(meter, {**ASKED, "temperature": 0.7, "max_completion_tokens": 64, "stream": False})
        post(meter, {**ASKED, "max_tokens": 10**6})
        first, second, third = (seen.body for seen in server.requests)
    assert (first["model"], first["temperature"], first["seed"], first["max_tokens"]) == (
        "the-model",
        0.0,
        7,
        REPLY_TOKENS,
    )
    assert (second["temperature"], second["max_completion_tokens"]) == (0.7, 64) and "max_tokens" not in second
    assert third["max_tokens"] == REPLY_TOKENS


@pytest.mark.parametrize(
    "limits", [Limits(calls=1), Limits(tokens=100), Limits(seconds=0.0)], ids=["calls", "tokens", "seconds"]
)
def test_what_does_not_fit_is_refused_for_good(tmp_path: Path, limits: Limits) -> None:
    with metered(tmp_path, limits=limits) as (meter, server):
        replies = [post(meter, {**ASKED, "messages": ASKED["messages"] * 4}) for _ in range(3)]
        assert replies[-1].status_code == 401 and replies[-1].json()["error"]["code"] == "budget_exceeded"
        assert meter.refused in ("calls", "tokens", "seconds") and len(server.requests) < 3
        assert meter.budget.usage.tokens <= 100 or limits.tokens is None


def test_money_is_counted_where_the_price_is_known(tmp_path: Path) -> None:
    with metered(tmp_path, limits=Limits(usd=0.12)) as (meter, _):
        meter.price = Price(input=1000.0, output=1000.0)
        replies = [post(meter).status_code for _ in range(8)]
        cost = meter.budget.usage.cost
    assert replies[0] == 200 and replies[-1] == 401 and cost is not None and 0 < cost <= 0.12


def test_strangers_are_refused(tmp_path: Path) -> None:
    with metered(tmp_path) as (meter, server):
        assert post(meter, token="guess").status_code == post(meter, token=KEY).status_code == 401
        odd = httpx.post(
            meter.url + "/chat/completions", headers={b"authorization": "Bearer \u00e9".encode()}, json=ASKED
        )
        assert odd.status_code == 401
        assert post(meter, path="/embeddings").status_code == 404
        assert (
            post(meter, {"messages": "none"}).status_code == post(meter, {**ASKED, "stream": True}).status_code == 400
        )
        assert not server.requests


def test_the_journal_has_every_request_and_no_key(tmp_path: Path) -> None:
    with metered(tmp_path, limits=Limits(calls=1)) as (meter, _):
        post(meter)
        post(meter)
        token = meter.token
    text = (tmp_path / "calls.jsonl").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["status"] for line in lines] == [200, 401] and lines[0]["request"]["messages"] == ASKED["messages"]
    assert KEY not in text and token not in text


def test_an_endpoint_that_is_down_is_said(tmp_path: Path) -> None:
    endpoint = Endpoint(model="m", base_url="http://127.0.0.1:9/v1")
    with Meter(endpoint, Budget(), tmp_path / "calls.jsonl") as meter:
        reply = post(meter)
    assert reply.status_code == 502 and reply.json()["error"]["code"] == "endpoint_unreachable"
    assert meter.budget.usage.tokens == 0


def test_a_request_that_outlasts_the_row_is_given_up_at_its_limit(tmp_path: Path) -> None:
    given_up = threading.Event()

    def slow(seen: Seen, answer: Answer) -> Response:
        given_up.wait(WAIT)
        return completion({"content": "late"}, seen)

    with ModelServer(misbehaviour=slow) as server:
        endpoint = Endpoint(model="m", base_url=server.url, timeout=60)
        with Meter(endpoint, Budget(Limits(seconds=0.5)), tmp_path / "calls.jsonl") as meter:
            assert post(meter).status_code == 401
            given_up.set()
            assert (meter.refused, meter.trouble) == ("seconds", "")
