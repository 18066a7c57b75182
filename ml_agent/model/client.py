"""The model client: one reply at a time, with the functions that it calls, from any OpenAI-compatible endpoint."""

import json
import time
from collections.abc import Sequence
from typing import Any

import msgspec
import openai

from ml_agent.errors import ConfigurationError, EndpointError
from ml_agent.model.budget import LEAST_OUTPUT, Budget
from ml_agent.model.endpoint import OPENAI, Endpoint
from ml_agent.model.functions import Function, described, tool
from ml_agent.model.memory import Traits
from ml_agent.model.prompt import AssembledPrompt, DoesNotFit, Prompt, assemble
from ml_agent.model.replies import Reply, calls_in, read_reply
from ml_agent.model.retry import Refusal, error_text, read_refusal
from ml_agent.model.sender import ClientParts, RequestBody, Sender
from ml_agent.model.thread import Message, Mode, Turn, messages_of, pictures_in, text_of
from ml_agent.prompts.untrusted import joined, neutral
from ml_agent.trajectory import Emit

ALLOW_REAL_ENDPOINTS = True
"""Tests set this to False: then only endpoints on this machine can be constructed."""
_ADAPTATIONS = 8
"""How often one request may be changed after refusals."""
_LONG_CONTEXT = 32_768
"""Tokens, where nobody says how many: models that can hold a conversation have long contexts, and a refusal says where it is shorter."""
_CONTEXT_HOLDS = 24 * 3600.0
"""Seconds after which an endpoint is asked again how long its context is: it may have been started with another one."""
_LEAST_REPLY = 128
"""Tokens; less is not left for a reply in a short context."""


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation as it stands: what is asked, with which functions, and what was said so far."""

    prompt: Prompt
    functions: tuple[Function, ...]
    output_tokens: int
    turns: tuple[Turn, ...]
    scale: float = 1.0
    """Part of the prompt's limit that is used; less after the endpoint found it too long."""


def silent(event: str, **fields: Any) -> None:
    """Records nothing."""


class ModelClient:
    """Holds conversations with a model within a budget; safe to share between threads."""

    def __init__(
        self, endpoint: Endpoint, budget: Budget, emit: Emit = silent, parts: ClientParts | None = None
    ) -> None:
        """Raises ConfigurationError where the endpoint needs a key and has none, or is forbidden here."""
        _permit(endpoint)
        self.endpoint, self.budget = endpoint, budget
        self._emit = emit
        parts = parts or ClientParts()
        self._memory = parts.memory
        self._context_told = False
        """Whether the endpoint said how long its context is to this client, and not to an earlier one."""
        self._sender = Sender(endpoint, budget, emit, parts)

    def converse(
        self, prompt: Prompt, functions: Sequence[Function], turns: Sequence[Turn], max_output_tokens: int = 1500
    ) -> Reply:
        """The model's next reply in a conversation, with all its calls, wherever it put them; none where it wrote prose.

        The calls are as the model wrote them: whoever carries them out says what is wrong with them. A reply that was cut off is asked
        for again with twice the room, once; half an answer is none. Raises BudgetExceededError before anything is sent that could pass
        a limit, ConfigurationError for a refused key or an unknown model, EndpointError where the endpoint does not answer.
        """
        exchange = Exchange(
            prompt=prompt, functions=tuple(functions), output_tokens=max_output_tokens, turns=tuple(turns)
        )
        while True:
            reply, mode = self._ask(exchange)
            if reply.cut_off and exchange.output_tokens == max_output_tokens:
                exchange = msgspec.structs.replace(exchange, output_tokens=2 * max_output_tokens)
                continue
            found = () if reply.cut_off else calls_in(reply)
            if not found and self._ask_otherwise(reply, mode):
                continue
            if found:
                self._confirm(reply, mode)
            return msgspec.structs.replace(reply, calls=found)

    def close(self) -> None:
        """Close the connections."""
        self._sender.close()

    def _ask(self, exchange: Exchange) -> tuple[Reply, Mode]:
        """The reply, after changing the request as far as the endpoint's refusals ask for it."""
        phase = exchange.prompt.phase
        for _ in range(_ADAPTATIONS):
            traits = self._traits()
            try:
                body = self._body(exchange, traits)
            except DoesNotFit as problem:
                exchange = self._with_room(exchange, traits, problem)
                continue
            try:
                return read_reply(self._sender.send(phase, body, traits.mode)), traits.mode
            except openai.APIError as error:
                shows = any(map(pictures_in, body.messages))
                refusal = read_refusal(error, {**body.options, **({"pictures": ()} if shows else {})}, traits.mode)
                if refusal is None or not self._adapt(refusal, traits):
                    raise self._sender.final(error) from error
                self._emit("model-adapted", phase=phase, refusal=refusal.kind, said=error_text(error))
                if refusal.kind == "too-long":
                    exchange = msgspec.structs.replace(exchange, scale=exchange.scale / 2)
        raise EndpointError(
            f"the endpoint {self.endpoint.shown} refused every form of the request: try another --model or --model-mode"
        )

    def _body(self, exchange: Exchange, traits: Traits) -> RequestBody:
        """The request, assembled within the prompt's limit, the model's context and what is left of the budget."""
        extras = self._mode_parts(exchange, traits)
        words = neutral(described(exchange.functions) if traits.mode == "text" else "")
        dialogue = messages_of(exchange.turns, traits.mode, pictures="pictures" not in traits.dropped)
        aside = [json.dumps(extras) if extras else "", words, *map(text_of, dialogue)]
        texts = self._assemble(exchange, traits, sum(self._sender.count(text) for text in aside))
        optional = {"temperature": self.endpoint.temperature, "seed": self.endpoint.seed}
        asked = joined("\n\n", [text for text in (texts.user, words) if text])
        system: Message = {"role": "system", "content": texts.system}
        return RequestBody(
            messages=(system, {"role": "user", "content": asked}, *dialogue),
            options={
                traits.output_parameter: exchange.output_tokens,
                **{name: value for name, value in optional.items() if name not in traits.dropped},
                **extras,
            },
        )

    def _mode_parts(self, exchange: Exchange, traits: Traits) -> dict[str, Any]:
        """What the request carries for its way of answering, without what the endpoint refuses."""
        if traits.mode != "tools":
            return {}
        required = {"tool_choice": "required"} if self._requires(traits) else {}
        return {"tools": [tool(function) for function in exchange.functions], **required}

    def _requires(self, traits: Traits) -> bool:
        """Whether a call is required; servers that are not OpenAI's may then run to the end of their context."""
        return self._is_openai and "tool_choice" not in traits.dropped

    @property
    def _is_openai(self) -> bool:
        return self.endpoint.base_url.startswith(OPENAI) or self.endpoint.azure

    def _assemble(self, exchange: Exchange, traits: Traits, aside: int) -> AssembledPrompt:
        context = self.endpoint.context_tokens or traits.context_tokens or _LONG_CONTEXT
        limit = min(int(exchange.prompt.limit * exchange.scale), context - exchange.output_tokens - aside)
        left = self.budget.tokens_left()
        affordable = limit if left is None else min(limit, left - aside - LEAST_OUTPUT)
        try:
            return assemble(exchange.prompt, affordable, self._sender.count)
        except DoesNotFit:
            if affordable < limit:  # it is the budget that is short: reserving room for the bare question says so
                return AssembledPrompt(system=exchange.prompt.system, user=exchange.prompt.question)
            raise

    def _with_room(self, exchange: Exchange, traits: Traits, problem: DoesNotFit) -> Exchange:
        """The same with room for a shorter reply; first a context that was told to an earlier run is asked for again."""
        if traits.context_tokens and not self._context_told:
            self._learn(context_tokens=None)
            return exchange
        if exchange.output_tokens < 2 * _LEAST_REPLY:
            known = self.endpoint.context_tokens or traits.context_tokens
            size = f" ({known:,} tokens)" if known else ""
            raise EndpointError(
                f"the context of {self.endpoint.model}{size} is too small for this question: serve it with a longer context, or set another --model"
            ) from problem
        return msgspec.structs.replace(exchange, output_tokens=exchange.output_tokens // 2)

    def _traits(self) -> Traits:
        traits = self._memory.traits(self.endpoint.identity)
        if not self._context_told and time.time() - traits.context_since > _CONTEXT_HOLDS:
            traits = msgspec.structs.replace(traits, context_tokens=None)
        if self.endpoint.mode != "auto":
            return msgspec.structs.replace(traits, mode=self.endpoint.mode, confirmed=True)
        return traits

    def _learn(self, **changes: object) -> None:
        self._memory.learn(self.endpoint.identity, **changes)

    def _confirm(self, reply: Reply, mode: Mode) -> None:
        """Remember the way of asking that this reply shows to work."""
        if self._traits().confirmed:
            return
        # One that writes its calls as text although it was given tools is asked in text from now on.
        self._learn(mode=mode if reply.calls else "text", confirmed=True)

    def _ask_otherwise(self, reply: Reply, mode: Mode) -> bool:
        """After a reply without a call to functions that were never called here: ask in text; False where that is done already."""
        if self._traits().confirmed or reply.calls or mode == "text":
            return False
        self._learn(mode="text")
        return True

    def _adapt(self, refusal: Refusal, traits: Traits) -> bool:
        """Change what is known of the endpoint; False where there is nothing left to change."""
        if refusal.kind == "too-long":
            if refusal.context_tokens:
                self._context_told = True
                self._learn(context_tokens=refusal.context_tokens, context_since=time.time())
            return True
        if refusal.kind == "rename-output":
            self._learn(output_parameter="max_completion_tokens")
            return traits.output_parameter == "max_tokens"
        if refusal.kind == "parameter":
            self._learn(dropped=sorted({*traits.dropped, refusal.parameter}))
            return refusal.parameter not in traits.dropped
        if self.endpoint.mode != "auto" or traits.mode == "text":
            return False
        self._learn(mode="text", confirmed=False)
        return True


def _permit(endpoint: Endpoint) -> None:
    if not ALLOW_REAL_ENDPOINTS and not endpoint.loopback:
        raise ConfigurationError(f"requests to real models are turned off in this process: {endpoint!r}")
    if endpoint.base_url.startswith(OPENAI) and not endpoint.api_key:
        raise ConfigurationError("no key for the model: set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint")
