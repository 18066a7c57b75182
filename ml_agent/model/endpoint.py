"""Where a model answers, and how it is to be asked."""

import ipaddress
import re
import time
from collections.abc import Callable
from functools import partial
from typing import Literal
from urllib.parse import urlsplit

import httpx
import msgspec

from ml_agent.errors import ConfigurationError, EndpointError
from ml_agent.key_mask import has_credentials, masked, shown_address
from ml_agent.model.transport import UNPACKED, pieces_of
from ml_agent.tools.bounded import within

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


SECONDS = 4.0
"""For the whole question, name lookup included."""
MOST_BYTES = 1024**2
_MAY_NOT_LIST = re.compile(rb"\b(missing )?scopes?\b|permission", re.IGNORECASE)
"""Of a key that is known, and may do something else."""
BROKEN = frozenset({500, 502, 503, 504})


def ask_endpoint(endpoint: Endpoint) -> None:
    """Ask the endpoint for its models; returns where somebody who speaks our language answers.

    Nothing is generated, so nothing is spent. Raises ConfigurationError for a refused key, and for what
    is no such endpoint; EndpointError where nobody answers in time.
    """
    try:
        urlsplit(endpoint.base_url)
    except ValueError as error:
        raise _no_address(endpoint, error) from None
    try:
        problem = within(SECONDS + 0.3, partial(_ask, endpoint))  # a name lookup cannot be given up otherwise
    except TimeoutError:
        problem = EndpointError(f"{endpoint.shown} did not answer within {SECONDS:g} s")
    if problem is not None:
        raise problem


def _ask(endpoint: Endpoint) -> Exception | None:
    where = endpoint.shown
    key = endpoint.api_key or "none"
    headers = {"api-key": key} if endpoint.azure else {"authorization": f"Bearer {key}"}
    until = time.monotonic() + SECONDS
    try:
        with (
            httpx.Client(timeout=SECONDS, headers={**headers, **UNPACKED}) as client,
            client.stream("GET", _models(endpoint.base_url)) as response,
        ):
            return _read(response, where, lambda: time.monotonic() > until)
    except httpx.TimeoutException:
        return EndpointError(f"{where} did not answer within {SECONDS:g} s")
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        return _no_address(endpoint, error)
    except httpx.RemoteProtocolError:
        return ConfigurationError(f"{where} answers, but not in HTTP: this is not an OpenAI-compatible endpoint")
    except httpx.HTTPError as error:
        return EndpointError(
            f"{where} cannot be reached: {masked(str(error), (key, headers.get('authorization', key)))}"
        )


def _no_address(endpoint: Endpoint, error: Exception) -> ConfigurationError:
    """What is wrong with an address is said with a part of it, unless that may be a password."""
    why = "it cannot be read" if has_credentials(endpoint.base_url) else str(error)
    return ConfigurationError(f"{endpoint.shown} is not a valid endpoint address: {why}")


def _models(base_url: str) -> httpx.URL:
    url = httpx.URL(base_url)
    return url.copy_with(path=url.path.rstrip("/") + "/models")


def _read(response: httpx.Response, where: str, late: Callable[[], bool]) -> Exception | None:
    """What the status and the beginning of the body say against it."""
    status = response.status_code
    if status == 401 and not _MAY_NOT_LIST.search(_beginning(response, late)):
        return ConfigurationError(f"{where} refuses the key: set OPENAI_API_KEY")
    if status in BROKEN:
        return EndpointError(f"{where} answers {status}: it is not ready")
    if not 200 <= status < 300:
        if 300 <= status < 400:
            return ConfigurationError(f"{where} answers {status}: this is not an OpenAI-compatible endpoint")
        return None  # some know no list of models, or keep it from this key; the first decision shows what they are
    body = _beginning(response, late)
    if late():
        return EndpointError(f"{where} did not answer within {SECONDS:g} s")
    if not body.lstrip().startswith((b"{", b"[")):
        return ConfigurationError(f"{where} answers, but not as an OpenAI-compatible endpoint does")
    return None


def _beginning(response: httpx.Response, late: Callable[[], bool]) -> bytes:
    """The body, as far as it comes in time and is not too long."""
    body = b""
    for part in pieces_of(response):
        body += part
        if late() or len(body) > MOST_BYTES:
            break
    return body
