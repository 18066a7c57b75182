"""A conversation with a model, as plain values: it travels with the draft that came of it, through checkpoints as well."""

import json
from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict

import msgspec

from ml_agent.prompts.untrusted import PromptText, joined, neutral
from ml_agent.sandbox.repair import Repair
from ml_agent.tools.tokens import count_tokens

Mode = Literal["tools", "text"]
"""tools: native function calling; text: the functions in words, and JSON in the reply."""
MESSAGE_OVERHEAD = 8
"""Tokens that a chat template puts around one message, at most."""
_TOOLS_OVERHEAD = 140
"""Tokens of the words with which chat templates introduce tools, at most."""


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """One function call of the model's, as it wrote it."""

    name: str
    arguments: dict[str, Any] = {}


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a run made, as a model sees it."""

    path: str
    address: str
    """A data URI."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One reply of the model's and what it was told on it."""

    said: str = ""
    """Text beside the calls."""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[PromptText, ...] = ()
    """One a call; one alone where it called nothing."""
    pictures: tuple[Picture, ...] = ()
    """That came of its answer."""


class Thread(msgspec.Struct, frozen=True, kw_only=True):
    """What the model was shown first, and every turn since."""

    opening: PromptText
    task: PromptText
    """The end of the first message, which is never cut."""
    turns: tuple[Turn, ...] = ()
    told: frozenset[str] = frozenset()
    """Messages of findings that the model has read."""
    refused: int = 0
    """How many answers the check refused."""
    begun: int = 0
    """How many turns there were when the user last said something."""
    set_up: tuple[Repair, ...] = ()
    """What the model had installed."""

    def then(self, turn: Turn) -> "Thread":
        """With one more turn."""
        return msgspec.structs.replace(self, turns=(*self.turns, turn))

    def with_result(self, result: PromptText, pictures: Sequence[Picture] = ()) -> "Thread":
        """With the last result of the last turn replaced: what became of an answer is known only later."""
        last = self.turns[-1]
        turn = msgspec.structs.replace(last, results=(*last.results[:-1], result), pictures=tuple(pictures))
        return msgspec.structs.replace(self, turns=(*self.turns[:-1], turn))


class PromptMessage(TypedDict):
    """What we say; nothing but gated text."""

    role: Literal["system", "user"]
    content: PromptText


class ToolMessage(TypedDict):
    """What a function call came to."""

    role: Literal["tool"]
    tool_call_id: str
    content: PromptText


class AssistantMessage(TypedDict):
    """The model's own words and calls, given back to it."""

    role: Literal["assistant"]
    content: str | None
    tool_calls: NotRequired[list[dict[str, Any]]]


class PictureMessage(TypedDict):
    """Pictures, with a line that names them: results of functions may hold none."""

    role: Literal["user"]
    content: list[dict[str, Any]]


Message = PromptMessage | ToolMessage | AssistantMessage | PictureMessage
PICTURE_TOKENS = 3_000
"""That a small picture costs at most; with most models it is a hundred to a thousand."""


def messages_of(turns: Sequence[Turn], mode: Mode, *, pictures: bool = True) -> list[Message]:
    """Native tool calls and their results, or the same in words for endpoints that have none; pictures for those that take them."""
    made: list[Message] = []
    for number, turn in enumerate(turns):
        made += _turn(turn, number, mode)
        if turn.pictures and pictures:
            made.append(_pictures(turn.pictures))
    return made


def text_of(message: Message) -> str:
    """All text that a message carries and that costs tokens."""
    calls, content = message.get("tool_calls"), message.get("content") or ""
    words = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
    return words + (json.dumps(calls) if calls else "")


def pictures_in(message: Message) -> int:
    """How many pictures a message carries."""
    content = message.get("content")
    return sum("image_url" in part for part in content) if isinstance(content, list) else 0


def _pictures(pictures: Sequence[Picture]) -> PictureMessage:
    named = neutral(f"Of these files you see a small copy: {', '.join(one.path for one in pictures)}")
    shown = [{"type": "image_url", "image_url": {"url": one.address, "detail": "low"}} for one in pictures]
    return {"role": "user", "content": [{"type": "text", "text": named}, *shown]}


def prompt_tokens_of(body: dict[str, Any]) -> int:
    """Our count of a request's prompt: texts, tools, schema, and what a chat template puts around them."""
    messages: Sequence[Message] = body["messages"]
    extras = [json.dumps(body[name]) for name in ("tools", "functions", "response_format") if name in body]
    texts = [text_of(message) for message in messages]
    overhead = MESSAGE_OVERHEAD * (len(messages) + 1) + (_TOOLS_OVERHEAD if "tools" in body else 0)
    shown = PICTURE_TOKENS * sum(map(pictures_in, messages))
    return overhead + shown + sum(count_tokens(text, body["model"]).n for text in [*texts, *extras])


def _turn(turn: Turn, number: int, mode: Mode) -> list[Message]:
    if not turn.calls:
        return [
            {"role": "assistant", "content": turn.said or "(nothing)"},
            {"role": "user", "content": joined("\n", turn.results)},
        ]
    if mode != "tools":
        said = [{"name": call.name, "arguments": call.arguments} for call in turn.calls]
        words = json.dumps({"call": said[0]} if len(said) == 1 else {"calls": said}, ensure_ascii=False)
        answered = zip(turn.calls, turn.results, strict=True)
        text = joined("\n\n", (joined("", [neutral(f"{call.name}: "), result]) for call, result in answered))
        return [{"role": "assistant", "content": words}, {"role": "user", "content": text}]
    names = [f"call_{number}_{place}" for place in range(len(turn.calls))]
    asked = [_native(name, call) for name, call in zip(names, turn.calls, strict=True)]
    results = zip(names, turn.results, strict=True)
    given: list[Message] = [{"role": "tool", "tool_call_id": name, "content": result} for name, result in results]
    return [{"role": "assistant", "content": turn.said or None, "tool_calls": asked}, *given]


def _native(name: str, call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
    return {"id": name, "type": "function", "function": function}
