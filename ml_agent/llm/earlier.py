"""Replies that a run has already paid for: when it is resumed, the same request is not sent again."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec

OUTPUT_PARAMETERS = ("max_tokens", "max_completion_tokens")


class _ModelCall(msgspec.Struct):
    event: Literal["model-call"]
    request: dict[str, Any]
    reply: Annotated[list[dict[str, Any]], msgspec.Meta(min_length=1)]
    usage: dict[str, Any] | None = None


class EarlierReplies:
    """The replies in a run's trajectory by what was asked; each is given once, in its order.

    The folder may be another's: what is no event of a model's reply is left out.
    """

    def __init__(self, events: Iterable[Mapping[str, Any]] = ()) -> None:
        self._replies: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for event in events:
            try:
                call = msgspec.convert(event, _ModelCall)
                self._replies[_key(call.request)].append({"choices": call.reply, "usage": call.usage})
            except (msgspec.ValidationError, RecursionError):
                continue

    def take(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        """The endpoint's answer to this request; None where it was not asked, or no answer is left."""
        left = self._replies.get(_key(body))
        return left.pop(0) if left else None


def _key(body: Mapping[str, Any]) -> str:
    """The request without the length of its reply, which depends on what is left of the budget."""
    return json.dumps({name: part for name, part in body.items() if name not in OUTPUT_PARAMETERS}, sort_keys=True)
