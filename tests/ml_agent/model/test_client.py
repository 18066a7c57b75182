"""Decisions from every kind of endpoint, good and bad, over real HTTP."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ml_agent.model.client as client_module
from ml_agent.errors import AgentError, BudgetExceededError, ConfigurationError, EndpointError
from ml_agent.model.budget import Budget, Limits, Price, PriceTable
from ml_agent.model.client import ModelClient
from ml_agent.model.endpoint import Endpoint
from ml_agent.model.functions import Function
from ml_agent.model.memory import Memory
from ml_agent.model.prompt import Prompt
from ml_agent.model.replies import Call, UnusableReply, accepted
from ml_agent.model.sender import ClientParts
from ml_agent.prompts.untrusted import neutral
from tests.servers.misbehaviours import MISBEHAVIOURS
from tests.servers.model_server import Answer, ModelServer, answers

PICK = Function(
    name="Pick",
    description="Choose the script that does the task.",
    parameters={
        "type": "object",
        "properties": {
            "script": {"type": "string", "enum": ["train.py", "eval.py"], "description": "the script"},
            "epochs": {"type": "integer", "description": "number of epochs"},
            "lr": {"type": "number", "description": "learning rate"},
        },
        "required": ["script", "epochs", "lr"],
    },
)
REJECT = Function(
    name="Reject",
    description="Say that no script does the task.",
    parameters={"type": "object", "properties": {"reason": {"type": "string"}}, "required": ["reason"]},
)
GOOD = Answer("Pick", {"script": "train.py", "epochs": 30, "lr": 0.5})
PROMPT = Prompt(
    phase="pick",
    system=neutral("You choose scripts."),
    evidence=neutral(
        "Task: train on Citeseer for 30 epochs.\n" + "\n".join(f"file_{n}.py does thing number {n}" for n in range(150))
    ),
    question=neutral("Which script?"),
)
MENDED = {  # these end in the right call
    "trailing commas", "Python literals for JSON", "comments in JSON", "prose around JSON", "tool call as fenced text",
    "tool call as tagged text", "call after thoughts", "two calls", "legacy function_call", "arguments as an object",
    "enum in the wrong case", "numbers as strings", "tools not supported", "tools need a flag", "nothing but text",
    "temperature not supported", "max_tokens renamed", "context too small", "429 with Retry-After",
    "429 without Retry-After", "500 then fine", "502 with HTML", "invalid UTF-8", "usage missing", "usage absurd", "half a character",
}  # fmt: skip
FAILS: dict[str, type[Exception]] = {
    "wrong JSON": UnusableReply,
    "call to an unknown function": UnusableReply,
    "brackets without end": UnusableReply,
    "objects without end": UnusableReply,
    "empty content": UnusableReply,
    "refusal": UnusableReply,
    "question back": UnusableReply,
    "a shell plan": UnusableReply,
    "the schema for an answer": UnusableReply,
    "cut off": UnusableReply,
    "no choices": UnusableReply,
    "HTML with status 200": EndpointError,
    "enormous output": EndpointError,
    "429 for hours": EndpointError,
    "quota used up": EndpointError,
    "500 for ever": EndpointError,
    "timeout": EndpointError,
    "drip": EndpointError,
    "half-closed stream": EndpointError,
    "key refused": ConfigurationError,
    "model unknown": ConfigurationError,
}

Events = list[tuple[str, dict[str, Any]]]


class Bench:
    """A client on a server, with what it recorded and how long it would have slept."""

    def __init__(self, server: ModelServer, budget: Budget | None = None, **endpoint: Any) -> None:
        self.events: Events = []
        self.slept: list[float] = []
        self.budget = budget or Budget()
        self.memory = Memory()
        settings = {"model": "m", "base_url": server.url, "timeout": 20.0, **endpoint}
        parts = ClientParts(
            memory=self.memory, prices=PriceTable({}, {"priced": Price(input=10, output=30)}), sleep=self.slept.append
        )
        self.client = ModelClient(Endpoint(**settings), self.budget, self.emit, parts)

    def emit(self, event: str, **fields: Any) -> None:
        self.events.append((event, fields))

    def ask(self, *functions: Function, output: int = 100) -> Call:
        """The first call of a reply that its function takes."""
        offered, problem = functions or (PICK,), UnusableReply("it calls nothing")
        for call in self.client.converse(PROMPT, offered, (), output).calls:
            try:
                return accepted(call, offered)
            except UnusableReply as error:
                problem = error
        raise problem


@pytest.fixture
def serve() -> Iterator[Callable[..., ModelServer]]:
    servers: list[ModelServer] = []

    def start(*arguments: Any) -> ModelServer:
        servers.append(ModelServer(*arguments).__enter__())
        return servers[-1]

    yield start
    for server in servers:
        server.__exit__(None, None, None)


@pytest.mark.parametrize("name", sorted(MENDED))
@pytest.mark.parametrize("functions", [(PICK,), (PICK, REJECT)], ids=["one", "two"])
def test_misbehaviour_that_is_mended(
    name: str, functions: tuple[Function, ...], serve: Callable[..., ModelServer]
) -> None:
    bench = Bench(serve(answers(GOOD), MISBEHAVIOURS[name]), Budget(Limits(tokens=20_000)))
    assert bench.ask(*functions) == Call(name="Pick", arguments=GOOD.arguments)
    assert bench.budget.usage.tokens <= 20_000 and bench.budget.tokens_left() == 20_000 - bench.budget.usage.tokens


@pytest.mark.parametrize("name", sorted(FAILS))
def test_misbehaviour_that_ends_in_a_named_error(name: str, serve: Callable[..., ModelServer]) -> None:
    server = serve(answers(GOOD), MISBEHAVIOURS[name])
    bench = Bench(server, Budget(Limits(tokens=20_000, calls=12)), timeout=0.5 if name in ("timeout", "drip") else 20.0)
    with pytest.raises(FAILS[name]) as error:
        bench.ask()
    assert "\n" not in str(error.value)
    assert not isinstance(error.value, AgentError) or error.value.exit_code in (3, 4)
    assert len(server.requests) <= 6 and bench.budget.usage.calls == len(server.requests)
    assert bench.budget.tokens_left() == 20_000 - bench.budget.usage.tokens, "nothing is held any more"


def test_never_requires_a_tool_choice_of_unknown_servers_and_always_bounds_output(
    serve: Callable[..., ModelServer],
) -> None:
    server = serve(answers(GOOD))
    Bench(server).ask()
    assert "tool_choice" not in server.requests[0].body and server.requests[0].output_tokens == 100


def test_waits_as_long_as_the_server_asks(serve: Callable[..., ModelServer]) -> None:
    bench = Bench(serve(answers(GOOD), MISBEHAVIOURS["429 with Retry-After"]))
    bench.ask()
    assert [1.0 <= wait <= 1.25 for wait in bench.slept] == [True, True]


@pytest.mark.parametrize("limit", [350, 700, 1200, 2000])
@pytest.mark.parametrize(
    "misbehaviour", [None, "usage missing", "refusal", "wrong JSON", "429 without Retry-After", "enormous output"]
)
def test_never_sends_what_could_pass_the_token_budget(
    limit: int, misbehaviour: str | None, serve: Callable[..., ModelServer]
) -> None:
    server = serve(answers(GOOD), MISBEHAVIOURS[misbehaviour] if misbehaviour else None)
    bench = Bench(server, Budget(Limits(tokens=limit)))
    with pytest.raises(BudgetExceededError):
        for _ in range(40):
            try:
                bench.ask(output=400)
            except (UnusableReply, EndpointError):
                continue
    spent = 0
    for seen in server.requests:
        assert spent + seen.prompt_tokens + seen.output_tokens <= limit
        # What a refused request used is nothing; all others are charged at least what the server counted.
        spent += 0 if misbehaviour == "429 without Retry-After" and seen.number <= 2 else seen.prompt_tokens
    assert spent <= bench.budget.usage.tokens <= limit


def test_never_sends_what_could_pass_the_money(serve: Callable[..., ModelServer]) -> None:
    server = serve(answers(GOOD))
    bench = Bench(server, Budget(Limits(usd=0.05)), model="priced")
    with pytest.raises(BudgetExceededError, match="usd"):
        for _ in range(40):
            bench.ask()
    price, spent = Price(input=10, output=30), 0.0
    for seen in server.requests:
        assert spent + price.cost(seen.prompt_tokens, seen.output_tokens) <= 0.05
        spent += price.cost(seen.prompt_tokens, 0)
    assert len(server.requests) > 1 and 0 < bench.budget.usage.usd <= 0.05


def test_threads_share_budget_and_limiter(serve: Callable[..., ModelServer]) -> None:
    server = serve(answers(GOOD))
    bench = Bench(server, Budget(Limits(tokens=9_000)), concurrency=3)
    failed: list[Exception] = []

    def work() -> None:
        try:
            for _ in range(20):
                bench.ask()
        except Exception as error:  # noqa: BLE001 - handed to the test's own thread
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {type(error) for error in failed} == {BudgetExceededError} and len(failed) == 6
    assert sum(seen.prompt_tokens for seen in server.requests) <= bench.budget.usage.tokens <= 9_000
    assert server.most_under_way <= 3


def test_what_does_not_parse_is_charged(serve: Callable[..., ModelServer]) -> None:
    server = serve(answers(GOOD), MISBEHAVIOURS["wrong JSON"])
    bench = Bench(server)
    with pytest.raises(UnusableReply):
        bench.ask()
    assert bench.budget.usage.prompt_tokens == sum(seen.prompt_tokens for seen in server.requests)


def test_wall_time_bounds_a_hanging_server(serve: Callable[..., ModelServer]) -> None:
    bench = Bench(serve(answers(GOOD), MISBEHAVIOURS["timeout"]), Budget(Limits(seconds=0.5)), timeout=60.0)
    with pytest.raises((BudgetExceededError, EndpointError), match=r"wall time|seconds"):
        bench.ask()
    assert bench.budget.usage.seconds < 25


def test_context_is_learned_and_the_next_prompt_fits(serve: Callable[..., ModelServer]) -> None:
    server = serve(answers(GOOD), MISBEHAVIOURS["context too small"])
    bench = Bench(server)
    bench.ask()
    refused = len(server.requests) - 1
    bench.ask()
    assert refused >= 1 and len(server.requests) == refused + 2
    assert bench.memory.traits(bench.client.endpoint.identity).context_tokens == 700


def test_a_short_context_gets_a_short_reply_before_it_is_given_up(serve: Callable[..., ModelServer]) -> None:
    server = serve(answers(GOOD))
    assert Bench(server, context_tokens=1200).ask(output=1500).name == "Pick"
    assert server.requests[-1].output_tokens < 1000
    with pytest.raises(EndpointError, match=r"\(100 tokens\) is too small for this question"):
        Bench(server, context_tokens=100).ask(output=1500)


def test_real_endpoints_can_be_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "ALLOW_REAL_ENDPOINTS", False)
    for endpoint in (
        Endpoint(model="gpt-4o", api_key="k"),
        Endpoint(model="gguf:/m.gguf"),
        Endpoint(model="m", base_url="http://10.0.0.1/v1"),
    ):
        with pytest.raises(ConfigurationError, match="turned off"):
            ModelClient(endpoint, Budget())
    ModelClient(Endpoint(model="m", base_url="http://127.0.0.1:1/v1"), Budget())


def test_no_key_is_a_configuration_error_and_keys_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "ALLOW_REAL_ENDPOINTS", True)
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        ModelClient(Endpoint(model="gpt-4o"), Budget())
    assert "sesame" not in repr(Endpoint(model="m", api_key="sesame"))


def test_nobody_listens() -> None:
    client = ModelClient(
        Endpoint(model="m", base_url="http://127.0.0.1:9/v1"), Budget(), parts=ClientParts(sleep=lambda _: None)
    )
    with pytest.raises(EndpointError, match="cannot be reached"):
        client.converse(PROMPT, [PICK], ())


def test_events_rebuild_prompt_and_reply(serve: Callable[..., ModelServer]) -> None:
    server = serve(answers(GOOD))
    bench = Bench(server, api_key="sesame")
    bench.ask()
    event, fields = bench.events[1]
    assert event == "model-call" and fields["request"] == server.requests[0].body
    assert fields["reply"][0]["message"]["tool_calls"] and fields["usage"]["prompt_tokens"] > 0
    assert "sesame" not in repr(bench.events)


def test_the_end_of_the_wall_time_is_a_limit_and_no_fault_of_the_endpoint(serve: Callable[..., ModelServer]) -> None:
    bench = Bench(serve(answers(GOOD), MISBEHAVIOURS["timeout"]), Budget(Limits(seconds=1.5)))
    with pytest.raises(BudgetExceededError, match="--max-seconds"):
        bench.ask()
