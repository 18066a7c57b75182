"""Replies that a run has already paid for: when it is resumed, the same request is not sent again."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

OUTPUT_PARAMETERS = ("max_tokens", "max_completion_tokens")


class EarlierReplies:
    """The replies in a run's trajectory by what was asked; each is given once, in its order."""

    def __init__(self, events: Iterable[Mapping[str, Any]] = ()) -> None:
        self._replies: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for event in events:
            if event.get("event") == "model-call" and event.get("reply"):
                answer = {"choices": event["reply"], "usage": event.get("usage")}
                self._replies[_key(event["request"])].append(answer)

    def take(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        """The endpoint's answer to this request; None where it was not asked, or no answer is left."""
        left = self._replies.get(_key(body))
        return left.pop(0) if left else None


def _key(body: Mapping[str, Any]) -> str:
    """The request without the length of its reply, which depends on what is left of the budget."""
    return json.dumps({name: part for name, part in body.items() if name not in OUTPUT_PARAMETERS}, sort_keys=True)
