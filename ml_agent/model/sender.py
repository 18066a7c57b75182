"""Sends requests: reserved and charged, in turn with everybody else's, tried again where that may help."""

import json
import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import httpx
import msgspec
import openai

from ml_agent.errors import AgentError, EndpointError, EndpointSettingError
from ml_agent.model.budget import LEAST_OUTPUT, Budget, PriceTable, RequestDemand, Reservation, load_prices
from ml_agent.model.endpoint import OPENAI, Endpoint
from ml_agent.model.memory import OUTPUT_PARAMETERS, EarlierReplies, Memory
from ml_agent.model.retry import error_text, retrying, status_of, wait_seconds
from ml_agent.model.thread import Message, Mode, prompt_tokens_of
from ml_agent.model.transport import MeteredTransport, NetworkTransport, paid_by
from ml_agent.model.waiting import CheckCancelled, limiter_for, never_cancelled, wait_for
from ml_agent.tools.tokens import count_tokens
from ml_agent.trajectory import Emit

_CAUTION = 1.25
"""Tokens of an unknown tokenizer for one of ours, until its first reply says what it used."""
_MOST_RATIO = 2.5
_HALF = re.compile(
    r"(?<!\\)(?:(?P<pair>\\++u[dD][89abAB][0-9a-fA-F]{2}\\++u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|(?P<slashes>\\++)u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""An escape of half a character without its other half, also within JSON that is a text of JSON; none can be written to a file."""
_TOLD = ("prompt_tokens", "completion_tokens", "total_tokens")
_MOST_TOLD = 10**9
"""Tokens; no request uses more."""
_ENOUGH_TO_LEARN = 200
"""Tokens; the overheads hide the ratio in shorter prompts."""


class ClientParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a client works with; the defaults are the real ones."""

    memory: Memory = msgspec.field(default_factory=Memory)
    prices: PriceTable = msgspec.field(default_factory=load_prices)
    transport: httpx.BaseTransport | None = None
    """Below the metering: a recorder, a replay; None is the network."""
    sleep: Callable[[float], None] = time.sleep
    check_cancelled: CheckCancelled = never_cancelled
    """Called while an endpoint is waited for; what it raises ends the waiting."""
    earlier: EarlierReplies = msgspec.field(default_factory=EarlierReplies)
    """Of the same run, before it was cut."""


class RequestBody(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of a model."""

    messages: tuple[Message, ...]
    options: dict[str, Any]
    """The rest of the request: how long the reply may be, the functions, and so on."""


_MOST_STRANGE = 2
"""Answers in a row that are no completions; after them nobody who speaks our language is there."""


class Sender:
    """One endpoint and model, for one budget; safe to share between threads."""

    def __init__(self, endpoint: Endpoint, budget: Budget, emit: Emit, parts: ClientParts) -> None:
        self.endpoint, self.budget = endpoint, budget
        self._emit, self._parts = emit, parts
        self._price = parts.prices.find(endpoint.model, local=endpoint.loopback)
        self._limiter = limiter_for(endpoint.base_url, endpoint.concurrency)
        self._strange = 0
        self.answered = False
        """Whether a completion has come."""
        transport = MeteredTransport(parts.transport or NetworkTransport(), parts.check_cancelled)
        self._openai = _connect(endpoint, transport)

    def send(self, phase: str, body: RequestBody, mode: Mode) -> dict[str, Any]:
        """The endpoint's answer as JSON; `{}` where it is none.

        Raises openai.APIError as the endpoint gave it (see `final`), BudgetExceededError before sending, EndpointError where
        several answers in a row are no completions at all.
        """
        retry = retrying(self._sleep, self.budget.seconds_left)
        answer: dict[str, Any] = retry(self._once, phase, body, mode)
        self._strange = 0 if "choices" in answer else self._strange + 1
        self.answered = self.answered or "choices" in answer
        if self._strange >= _MOST_STRANGE:
            raise EndpointError(
                f"the endpoint {self.endpoint.shown} answers, but not in OpenAI's chat format: check OPENAI_BASE_URL"
            )
        return answer

    def count(self, text: str) -> int:
        """Tokens of the text for this model: counted, or estimated from above where its tokenizer is not known."""
        return math.ceil(count_tokens(text, self.endpoint.model).n * self._ratio())

    def final(self, error: openai.APIError) -> AgentError:
        """What an error means that no retry and no change of the request could cure."""
        where, said = self.endpoint.shown, error_text(error)
        if isinstance(error.__cause__, AgentError):
            return error.__cause__
        if status_of(error) in (401, 403):
            return EndpointSettingError(f"{where} refuses the key: set OPENAI_API_KEY ({said})")
        if status_of(error) == 404:
            return self._not_found(said)
        if isinstance(error, openai.APITimeoutError):
            return self.budget.time_over() or EndpointError(
                f"{where} did not answer within {self.endpoint.timeout:g} s"
            )
        if isinstance(error, openai.APIConnectionError):
            return EndpointError(f"{where} cannot be reached: {said}")
        return EndpointError(f"{where} answers {status_of(error) or 'with an error'}: {said}")

    def close(self) -> None:
        """Close the connections."""
        self._openai.close()

    def _not_found(self, said: str) -> EndpointSettingError:
        """A 404 that does not speak of a model may mean that nobody serves models at this address."""
        where, model = self.endpoint.shown, self.endpoint.model
        if "model" in said.lower() or model.lower() in said.lower():
            return EndpointSettingError(f"{where} does not know model {model!r}: set --model ({said})")
        return EndpointSettingError(
            f"{where} answers 404: the address may be wrong (most end in /v1: set OPENAI_BASE_URL), "
            f"or it does not know model {model!r} ({said})"
        )

    def _sleep(self, seconds: float) -> None:
        wait_for(lambda: self._parts.sleep(seconds), self._parts.check_cancelled)

    def _once(self, phase: str, asked: RequestBody, mode: Mode) -> dict[str, Any]:
        body = {"model": self.endpoint.model, "messages": list(asked.messages), **asked.options}
        if (known := self._parts.earlier.take(body)) is not None:
            return known
        parameter = next(name for name in OUTPUT_PARAMETERS if name in body)
        left, seconds = self.budget.seconds_left(), self.budget.time_for(self.endpoint.timeout)
        with self._slot(left):
            reservation = self._reserve(body, body[parameter])
            sent = {**body, parameter: reservation.output_tokens}
            began = time.monotonic()
            self._emit("model-asked", phase=phase, spent=self.budget.to_dict())
            try:
                with paid_by(reservation, seconds):
                    raw = self._openai.chat.completions.with_raw_response.create(**sent, timeout=seconds)
            except openai.APIError as error:
                self._note_failure(phase, error)
                raise
        self._limiter.succeeded()
        answer = _parse(raw.http_response.text)
        self._learn_ratio(sent, answer)
        took = round(time.monotonic() - began, 3)
        usage, choices = reported_usage(answer), answer.get("choices")
        told = {"usage": usage, "spent": self.budget.to_dict(), "seconds": took}
        self._emit("model-call", phase=phase, mode=mode, request=sent, reply=choices, **told)
        return answer

    @contextmanager
    def _slot(self, left: float | None) -> Iterator[None]:
        """A place at the endpoint; BudgetExceededError where the wall time ends before one comes free."""
        try:
            until = None if left is None else time.monotonic() + left
            with self._limiter.slot(until, self._parts.check_cancelled):
                yield
        except TimeoutError:
            self.budget.check_time()
            raise

    def _reserve(self, body: dict[str, Any], output: int) -> Reservation:
        demand = RequestDemand(
            prompt_tokens=math.ceil(prompt_tokens_of(body) * self._ratio()),
            output_tokens=output,
            least_output=min(output, LEAST_OUTPUT),
            price=self._price,
        )
        return self.budget.reserve(demand)

    def _note_failure(self, phase: str, error: openai.APIError) -> None:
        status = status_of(error)
        self._emit("model-error", phase=phase, status=status, said=error_text(error), spent=self.budget.to_dict())
        if status in (429, 503, 529):
            self._limiter.refused(min(1.0, wait_seconds(error, 1)))

    def _ratio(self) -> float:
        if self.endpoint.base_url.startswith(OPENAI):
            return 1.0
        return self._parts.memory.traits(self.endpoint.identity).token_ratio or _CAUTION

    def _learn_ratio(self, body: dict[str, Any], answer: dict[str, Any]) -> None:
        """Remember how many tokens the model's own tokenizer makes of one of ours, from above."""
        said = reported_usage(answer).get("prompt_tokens")
        counted = prompt_tokens_of(body)
        if said is not None and counted >= _ENOUGH_TO_LEARN and 0 < said < counted * _MOST_RATIO:
            known = self._parts.memory.traits(self.endpoint.identity).token_ratio or 1.0
            ratio = round(math.ceil(100 * max(known, said / counted)) / 100, 2)
            self._parts.memory.learn(self.endpoint.identity, token_ratio=ratio)


def _connect(endpoint: Endpoint, transport: MeteredTransport) -> openai.OpenAI:
    """The openai client over our transport, without retries of its own."""
    split = urlsplit(endpoint.base_url)
    url = urlunsplit(split._replace(query=""))
    # openai 3 takes httpx clients as openai 2 did, but its annotations only name its own fork of httpx.
    client: Any = httpx.Client(transport=transport)
    return openai.OpenAI(
        api_key=endpoint.api_key or "none",
        base_url=url,
        default_query=dict(parse_qsl(split.query)),
        default_headers={"api-key": endpoint.api_key} if endpoint.azure else {},
        timeout=endpoint.timeout,
        max_retries=0,
        http_client=client,
    )


def reported_usage(answer: dict[str, Any]) -> dict[str, int]:
    """The tokens that a reply says were used; what is no number of them counts as not told."""
    usage = answer.get("usage")
    said = usage if isinstance(usage, dict) else {}
    return {
        name: tokens
        for name in _TOLD
        if isinstance(tokens := said.get(name), int) and not isinstance(tokens, bool) and 0 <= tokens <= _MOST_TOLD
    }


def _parse(text: str) -> dict[str, Any]:
    try:
        answer = json.loads(_HALF.sub(lambda found: found["pair"] or f"{found['slashes']}ufffd", text), strict=False)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}
