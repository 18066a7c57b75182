"""Below the client: requests go out, and what they used is charged, whether or not the reply can be read."""

import json
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpx

from ml_agent.errors import InternalError
from ml_agent.key_mask import keys_in, masked
from ml_agent.model.budget import RequestUsage, Reservation
from ml_agent.model.waiting import CheckCancelled, never_cancelled, wait_for
from ml_agent.tools.tokens import count_tokens

MAX_REPLY = 8 * 1024 * 1024
"""Bytes; more than this is no answer."""
_GRACE = 1.0
"""Seconds in which a transport that is late may end by itself, so that a recording holds how."""
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError, httpx.UnsupportedProtocol)
_KEPT_HEADERS = ("content-type", "retry-after", "retry-after-ms", "x-request-id", "x-should-retry")
_OF_PACKED_BODY = ("content-encoding", "content-length")
_NOTHING = RequestUsage(prompt_tokens=0, completion_tokens=0)
_reservation: ContextVar[Reservation | None] = ContextVar("reservation", default=None)
_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


@contextmanager
def paid_by(reservation: Reservation, seconds: float) -> Iterator[None]:
    """Everything sent inside is charged to the reservation and must be over within `seconds`."""
    held, until = _reservation.set(reservation), _deadline.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _reservation.reset(held)
        _deadline.reset(until)
        reservation.release()  # only where the transport was never reached


class NetworkTransport(httpx.BaseTransport):
    """The network, with the proxies and certificates that the environment names."""

    def __init__(self) -> None:
        self._client = httpx.Client(follow_redirects=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send it; the reply's body is still to be read, unpacked and up to MAX_REPLY."""
        request.headers.update(UNPACKED)
        response = self._client.send(request, stream=True)
        headers = [pair for pair in response.headers.multi_items() if pair[0] not in _OF_PACKED_BODY]
        body = SmallPieces(response, MAX_REPLY)
        return httpx.Response(response.status_code, headers=headers, stream=body, request=request)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class MeteredTransport(httpx.BaseTransport):
    """Refuses what nobody pays for; charges the reply before anybody parses it; bounds its size and time."""

    def __init__(self, inner: httpx.BaseTransport, check_cancelled: CheckCancelled = never_cancelled) -> None:
        self._inner, self._check_cancelled = inner, check_cancelled

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send it and charge it; a reply whose use is unknown is charged by estimate, one that is lost or given up in full."""
        reservation = _reservation.get()
        if reservation is None:
            raise InternalError("a request to a model was about to be sent without a budget")
        try:
            response, text = self._answer(request)
        except _NOT_SENT:
            reservation.release()
            raise
        except BaseException:
            reservation.charge()
            raise
        body = masked(text, keys_in(request.headers, request.url.params.values()))
        reservation.charge(_NOTHING if response.status_code >= 400 else _spending(body, reservation))
        headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
        headers["content-type"] = f"{headers.get('content-type', '').partition(';')[0]}; charset=utf-8"  # it is now
        return httpx.Response(response.status_code, headers=headers, content=body.encode(), request=request)

    def _answer(self, request: httpx.Request) -> tuple[httpx.Response, str]:
        """The reply and its body; ReadTimeout where somebody sends without an end what is no part of a body."""
        deadline = _deadline.get()
        until = None if deadline is None else deadline + _GRACE
        try:
            return wait_for(lambda: _fetch(self._inner, request), self._check_cancelled, until)
        except TimeoutError:
            raise httpx.ReadTimeout("the model's reply took too long") from None

    def close(self) -> None:
        """Close what is below."""
        self._inner.close()


def _fetch(transport: httpx.BaseTransport, request: httpx.Request) -> tuple[httpx.Response, str]:
    response = transport.handle_request(request)
    return response, _read(response)


def _read(response: httpx.Response) -> str:
    """The body as text; ReadTimeout or DecodingError where it takes too long or grows too large."""
    until, chunks, size = _deadline.get(), [], 0
    try:
        for chunk in response.iter_bytes():
            chunks.append(chunk)
            size += len(chunk)
            if size > MAX_REPLY:
                raise httpx.DecodingError(f"the model's reply is longer than {MAX_REPLY} bytes")
            if until is not None and time.monotonic() > until:
                raise httpx.ReadTimeout("the model's reply took too long")
    finally:
        response.close()
    return b"".join(chunks).decode("utf-8", errors="replace")


def _spending(body: str, reservation: Reservation) -> RequestUsage:
    """What the endpoint says it used; else the prompt as counted and the reply as we count it."""
    usage = _usage(body)
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int) or prompt <= 0 or completion < 0:
        tokens = min(count_tokens(body).n, reservation.output_tokens)
        return RequestUsage(prompt_tokens=reservation.demand.prompt_tokens, completion_tokens=tokens, estimated=True)
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    cached = min(cached, prompt) if isinstance(cached, int) and cached > 0 else 0
    return RequestUsage(prompt_tokens=prompt, completion_tokens=completion, cached_tokens=cached)


def _usage(body: str) -> dict[str, Any]:
    try:
        usage = json.loads(body)["usage"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return usage if isinstance(usage, dict) else {}


UNPACKED = {"accept-encoding": "identity"}
"""Header of a request whose reply needs no unpacking."""
_PIECE = 64 * 1024
_WINDOWS = {"gzip": zlib.MAX_WBITS | 16, "x-gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}
_PACKINGS = frozenset({*_WINDOWS, "br", "zstd", "compress", "x-compress"})


def pieces_of(response: httpx.Response) -> Iterator[bytes]:
    """The body; one layer of gzip or deflate is unpacked piece by piece, DecodingError for any other packing."""
    said = response.headers.get("content-encoding", "").lower().split(",")
    layers = [name.strip() for name in said if name.strip() in _PACKINGS]
    if not layers:
        yield from response.iter_raw()
    elif len(layers) == 1 and layers[0] in _WINDOWS:
        yield from _unpack(response.iter_raw(), _WINDOWS[layers[0]])
    else:
        raise httpx.DecodingError(
            f"the model's reply is compressed in a way that was not asked for: {', '.join(layers)[:80]}"
        )


class SmallPieces(httpx.SyncByteStream):
    """The body of a response that is still to be read, unpacked, up to a limit."""

    def __init__(self, response: httpx.Response, most: int) -> None:
        self._response, self._most = response, most

    def __iter__(self) -> Iterator[bytes]:
        """The pieces; DecodingError where they are more than the limit together."""
        size = 0
        for piece in pieces_of(self._response):
            size += len(piece)
            if max(size, self._response.num_bytes_downloaded) > self._most:  # a packing may also hold next to nothing
                raise httpx.DecodingError(f"the model's reply is longer than {self._most} bytes")
            yield piece

    def close(self) -> None:
        """Close the response."""
        self._response.close()


def _unpack(packed: Iterator[bytes], window: int) -> Iterator[bytes]:
    unpacking = zlib.decompressobj(window)
    try:
        for chunk in packed:
            left = chunk
            while left:
                yield unpacking.decompress(left, _PIECE)
                left = unpacking.unconsumed_tail
        yield unpacking.flush()  # at most what one step of the packer makes
    except zlib.error as error:
        raise httpx.DecodingError(str(error)) from error
