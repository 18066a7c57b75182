"""The model's HTTP on tape, below the metering: a replay charges its budget as the recorded run did."""

import json
from collections.abc import Mapping

import httpx
import msgspec

from ml_agent.key_mask import keys_in, masked
from ml_agent.replay.tape import Errors, Tape

_KEPT_HEADERS = ("content-type", "retry-after", "retry-after-ms", "x-request-id")
_ERRORS: Errors = {
    error.__name__: error
    for error in (
        httpx.ConnectError,
        httpx.ConnectTimeout,
        httpx.ReadTimeout,
        httpx.ReadError,
        httpx.WriteError,
        httpx.RemoteProtocolError,
        httpx.DecodingError,
    )
}
"""What can come of a request beside a response; a replay meets the same."""


class RecordedResponse(msgspec.Struct, frozen=True, kw_only=True):
    """A response as it came."""

    status: int
    headers: Mapping[str, str]
    body: str


class TapeTransport(httpx.BaseTransport):
    """Records the requests that pass through it, or answers them from the tape; keys and hosts are not kept."""

    def __init__(self, tape: Tape, inner: httpx.BaseTransport | None = None) -> None:
        """`inner` is the real transport; a replay needs none."""
        self._tape, self._inner = tape, inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The response; ReplayError where the tape does not hold it."""
        asked = {"path": request.url.path, "body": json.loads(request.content)}
        recorded = self._tape.call("model", asked, lambda: self._send(request), RecordedResponse, _ERRORS)
        return httpx.Response(recorded.status, headers=dict(recorded.headers), content=recorded.body.encode())

    def close(self) -> None:
        """Close what is below."""
        if self._inner is not None:
            self._inner.close()

    def _send(self, request: httpx.Request) -> RecordedResponse:
        if self._inner is None:
            raise httpx.UnsupportedProtocol("a recording needs a transport below it")
        response = self._inner.handle_request(request)
        try:
            body = masked(
                response.read().decode("utf-8", errors="replace"), keys_in(request.headers, request.url.params.values())
            )
        finally:
            response.close()
        headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
        return RecordedResponse(status=response.status_code, headers=headers, body=body)
