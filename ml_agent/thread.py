"""A conversation with a model, as plain values: it travels with the draft that came of it, through checkpoints as well."""

from typing import Any

import msgspec

from ml_agent.prompts.untrusted import PromptText
from ml_agent.sandbox.repair import Repair


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """One function call of the model's, as it wrote it."""

    name: str
    arguments: dict[str, Any] = {}


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One reply of the model's and what it was told on it."""

    said: str = ""
    """Text beside the calls."""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[PromptText, ...] = ()
    """One a call; one alone where it called nothing."""


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
    set_up: tuple[Repair, ...] = ()
    """What the model had installed."""

    def then(self, turn: Turn) -> "Thread":
        """With one more turn."""
        return msgspec.structs.replace(self, turns=(*self.turns, turn))

    def with_result(self, result: PromptText) -> "Thread":
        """With the last result of the last turn replaced: what became of an answer is known only later."""
        last = self.turns[-1]
        turn = msgspec.structs.replace(last, results=(*last.results[:-1], result))
        return msgspec.structs.replace(self, turns=(*self.turns[:-1], turn))
