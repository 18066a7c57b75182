"""The model's HTTP, below the metering, and the sandbox on tape: a replay charges its budget as the recorded run did, and runs nothing."""

import base64
import json
import re
from collections.abc import Mapping
from pathlib import Path

import httpx
import msgspec

from ml_agent.key_mask import keys_in, masked
from ml_agent.replay.tape import Errors, Tape
from ml_agent.sandbox.contract import MOST_BYTES, Command, OnOutput, Response, Sandbox
from ml_agent.sandbox.errors import SandboxError, SandboxLostError, SandboxUnavailableError

# A sandbox on tape: the recorded run's responses, without an engine.

_SANDBOX_ERRORS: Errors = {
    "FileNotFoundError": FileNotFoundError,
    **{error.__name__: error for error in (SandboxError, SandboxLostError, SandboxUnavailableError)},
}


class SandboxKind(msgspec.Struct, frozen=True, kw_only=True):
    """What kind of sandbox it was."""

    name: str
    isolated: bool


class TapeSandbox:
    """Records what a sandbox answers, or answers from the tape; in a replay nothing is run."""

    def __init__(self, tape: Tape, inner: Sandbox | None, logs: Path) -> None:
        """`inner` is the real sandbox, None in a replay; `logs` takes the logs that a replay writes anew."""
        self._tape, self._inner, self._logs = tape, inner, logs
        place = tape.call(
            "sandbox", "place", lambda: SandboxKind(name=self._real.name, isolated=self._real.isolated), SandboxKind
        )
        self.name, self.isolated = place.name, place.isolated

    @property
    def _real(self) -> Sandbox:
        if self._inner is None:
            raise SandboxUnavailableError("a recording needs a sandbox below it")
        return self._inner

    def start(self) -> None:
        """Make the place."""
        self._tape.call("sandbox", "start", lambda: self._real.start(), type(None), _SANDBOX_ERRORS)

    def put(self, source: Path, target: str) -> None:
        """Copy into the workspace; what is copied is on this machine and is not recorded."""
        self._tape.call("sandbox", {"put": target}, lambda: self._real.put(source, target), type(None), _SANDBOX_ERRORS)

    def get(self, path: str, most: int = MOST_BYTES) -> bytes:
        """A file of the workspace."""
        encoded = self._tape.call(
            "sandbox",
            {"get": path},
            lambda: base64.b64encode(self._real.get(path, most)).decode(),
            str,
            _SANDBOX_ERRORS,
        )
        return base64.b64decode(encoded)

    def run(self, command: Command, on_output: OnOutput | None = None) -> Response:
        """Run one command."""
        response = self._tape.call(
            "sandbox", {"run": command}, lambda: self._real.run(command, on_output), Response, _SANDBOX_ERRORS
        )
        if not self._tape.replaying:
            return response
        if on_output is not None:
            on_output(response.stdout + response.stderr)
        return msgspec.structs.replace(response, log=self._log(response))

    def begin_clean(self) -> None:
        """Leave nothing of what ran."""
        self._tape.call("sandbox", "begin_clean", lambda: self._real.begin_clean(), type(None), _SANDBOX_ERRORS)

    def stop(self) -> None:
        """Remove the place."""
        self._tape.call("sandbox", "stop", lambda: self._real.stop(), type(None), _SANDBOX_ERRORS)

    def _log(self, response: Response) -> str:
        """What is known of the log, under its old name among this run's logs."""
        if not response.log:
            return ""
        self._logs.mkdir(parents=True, exist_ok=True)
        path = self._logs / (re.sub(r"[^\w.-]", "-", Path(response.log).name)[-100:].lstrip(".") or "log")
        path.write_text(response.stdout + response.stderr, encoding="utf-8")
        return str(path)


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
