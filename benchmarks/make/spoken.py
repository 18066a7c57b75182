"""Requests by a model: the template's facts in its own words, taken only where they still hold every value."""

from collections.abc import Mapping, Sequence
from typing import Any

import openai

from benchmarks.make.wording import in_words
from ml_agent.budget import Budget
from ml_agent.errors import AgentError
from ml_agent.llm.answers import read_reply
from ml_agent.llm.configured import endpoint_of
from ml_agent.llm.memory import Memory
from ml_agent.llm.sender import Parts, Sender
from ml_agent.prices import load_prices
from ml_agent.settings import Settings

OUTPUT_TOKENS = 300
STYLES = {
    "polite": "long and courteous, numbers in words where that reads well",
    "plain": "short, everyday sentences",
    "terse": "a few words, as one types to a colleague in a hurry",
    "flags": "with the options as they are spelled",
    "indirect": "in the words of the field only: no script, no option names",
    "context": "telling where the user stands, where the data is and where results shall go",
}
ASKED = """Rewrite this request of a user in another wording: {style}. Keep every fact and every value exactly; add nothing.

Request: {request}
The command it asks for: {command}
What its options mean:
{helps}

Reply with the request only."""


class Speaker:
    """Asks a model to word requests.

    Args:
        settings: name the model and its endpoint; ConfigurationError where they do not.
        budget: what may be spent.
    """

    def __init__(self, settings: Settings, budget: Budget) -> None:
        self._endpoint = endpoint_of(settings)
        parts = Parts(memory=Memory(), prices=load_prices(settings.prices))
        self._sender = Sender(self._endpoint, budget, lambda event, **fields: None, parts)

    def reworded(self, row: Mapping[str, Any], helps: Sequence[str] = ()) -> str:
        """The row's request in the model's words; as it was where the model fails or loses a value."""
        prompt = ASKED.format(
            style=STYLES[row["style"]], request=row["instruction"], command=row["output"], helps="\n".join(helps) or "-"
        )
        body = {
            "model": self._endpoint.model,
            "messages": [{"role": "user", "content": prompt}],
            "max_tokens": OUTPUT_TOKENS,
            "temperature": 0.0,
        }
        try:
            text = read_reply(self._sender.send("reword", body, "text")).content.strip().strip('"')
        except (openai.APIError, AgentError):
            return str(row["instruction"])
        return text if holds(text, row["arguments"], row["instruction"]) else str(row["instruction"])

    def close(self) -> None:
        """Close the connection."""
        self._sender.close()


def holds(text: str, arguments: Mapping[str, str], template: str) -> bool:
    """Whether a request still has every value that the template had, in digits or words."""
    lower, before = text.lower(), template.lower()
    return bool(text) and all(_said(value, lower) for value in arguments.values() if _said(value, before))


def _said(value: str, lower: str) -> bool:
    parts = value.lower().split()
    return all(p in lower or (p.isdigit() and in_words(int(p)) in lower) for p in parts)
