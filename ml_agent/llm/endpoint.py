"""Where a model answers, and how it is to be asked."""

import ipaddress
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from ml_agent.shown_address import shown_address

Mode = Literal["tools", "text"]
"""tools: native function calling; text: the functions in words, and JSON in the reply."""
OPENAI = "https://api.openai.com/v1"


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """An OpenAI-compatible endpoint and the model there."""

    model: str
    """A name that the endpoint knows."""
    base_url: str = OPENAI
    api_key: str = ""
    mode: Literal["auto", "tools", "text"] = "auto"
    """auto learns it from the first reply."""
    timeout: float = 300.0
    """Seconds that one request may take in all."""
    context_tokens: int | None = None
    """The model's context; None learns it from refusals."""
    temperature: float = 0.0
    seed: int = 7
    concurrency: int = 8
    """Requests under way at once, over all threads of this process."""

    def __repr__(self) -> str:
        """Without the key, and without those in the address."""
        return f"Endpoint({self.model!r} at {self.shown!r})"

    @property
    def shown(self) -> str:
        """The address as it may be shown and kept."""
        return shown_address(self.base_url)

    @property
    def loopback(self) -> bool:
        """Whether requests stay on this machine."""
        host = urlsplit(self.base_url).hostname or ""
        if host == "localhost":
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    @property
    def azure(self) -> bool:
        """Whether it is one of Azure's, which takes the key in a header of its own."""
        return (urlsplit(self.base_url).hostname or "").endswith((".azure.com", ".azure-api.net"))

    @property
    def identity(self) -> str:
        """Endpoint and model as one word, for what is remembered of it."""
        return f"{self.shown.rstrip('/')}|{self.model}"
