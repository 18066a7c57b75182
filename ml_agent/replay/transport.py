"""The model's HTTP, below the metering, and the sandbox on tape: a replay charges its budget as the recorded run did, and runs nothing."""

import base64
import json
import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import httpx
import msgspec

from ml_agent.key_mask import keys_in, masked
from ml_agent.replay.tape import Errors, Tape
from ml_agent.sandbox.contract import (
    MOST_BYTES,
    SYSTEM_SECONDS,
    Command,
    Network,
    OnOutput,
    Policy,
    Response,
    Sandbox,
    Version,
)
from ml_agent.sandbox.errors import SandboxError, SandboxLostError, SandboxUnavailableError

T = TypeVar("T")

# A sandbox on tape: the recorded run's responses, without an engine.

_SANDBOX_ERRORS: Errors = {
    "FileNotFoundError": FileNotFoundError,
    **{error.__name__: error for error in (SandboxError, SandboxLostError, SandboxUnavailableError)},
}


class SandboxKind(msgspec.Struct, frozen=True, kw_only=True):
    """What kind of sandbox it was."""

    name: str
    isolated: bool
    network: Network = "none"
    """Its policy's."""


def on_tape(tape: Tape, inner: Sandbox | None, logs: Path) -> "TapeSandbox":
    """Records what a sandbox answers, or answers from the tape; in a replay nothing is run.

    Args:
        tape: The recording.
        inner: The real sandbox, None in a replay.
        logs: Takes the logs that a replay writes anew.
    """

    def kind() -> SandboxKind:
        assert inner is not None
        return SandboxKind(name=inner.name, isolated=inner.isolated, network=inner.policy.network)

    return TapeSandbox(tape, inner, logs, tape.call("sandbox", "place", kind, SandboxKind))


class TapeSandbox:
    """A sandbox on tape. A recording has each environment as a whole, and a replay makes none."""

    def __init__(self, tape: Tape, inner: Sandbox | None, logs: Path, place: SandboxKind) -> None:
        self._tape, self._inner, self._logs = tape, inner, logs
        self._within = threading.local()
        self.name, self.isolated = place.name, place.isolated
        self.policy = inner.policy if inner is not None else Policy(network=place.network)

    @property
    def image(self) -> str:
        """What its containers are made from; "" where there are none."""
        return self._call("image", lambda: getattr(self._inner, "image", None) or "", str)

    def recorded(self, what: str, live: Callable[[], T], kind: type[T]) -> T:
        """One entry for all that `live` does here."""

        def whole() -> T:
            self._within.one_entry = True
            try:
                return live()
            finally:
                self._within.one_entry = False

        return self._call({"recorded": what}, whole, kind)

    def _call(self, request: Any, live: Callable[[], T], result: type[T]) -> T:
        if getattr(self._within, "one_entry", False):
            return live()
        return self._tape.call("sandbox", request, live, result, _SANDBOX_ERRORS)

    @property
    def _real(self) -> Sandbox:
        if self._inner is None:
            raise SandboxUnavailableError("--record needs a sandbox that can be recorded")
        return self._inner

    def start(self) -> None:
        """Make the place."""
        self._call("start", lambda: self._real.start(), type(None))

    def put(self, source: Path, target: str) -> None:
        """Copy into the workspace; what is copied is on this machine and is not recorded."""
        self._call({"put": target}, lambda: self._real.put(source, target), type(None))

    def get(self, path: str, most: int = MOST_BYTES) -> bytes:
        """A file of the workspace."""
        encoded = self._call({"get": path}, lambda: base64.b64encode(self._real.get(path, most)).decode(), str)
        return base64.b64decode(encoded)

    def run(self, command: Command, on_output: OnOutput | None = None) -> Response:
        """Run one command."""
        response = self._call({"run": command}, lambda: self._real.run(command, on_output), Response)
        if not self._tape.replaying:
            return response
        if on_output is not None:
            on_output(response.stdout + response.stderr)
        return msgspec.structs.replace(response, log=self._log(response))

    def begin_clean(self) -> None:
        """Leave nothing of what ran."""
        self._call("begin_clean", lambda: self._real.begin_clean(), type(None))

    def stop(self) -> None:
        """Remove the place."""
        self._call("stop", lambda: self._real.stop(), type(None))

    def _log(self, response: Response) -> str:
        """What is known of the log, under its old name among this run's logs."""
        if not response.log:
            return ""
        self._logs.mkdir(parents=True, exist_ok=True)
        path = self._logs / (re.sub(r"[^\w.-]", "-", Path(response.log).name)[-100:].lstrip(".") or "log")
        path.write_text(response.stdout + response.stderr, encoding="utf-8")
        return str(path)

    @property
    def base(self) -> str:
        """What its environments are built upon."""
        return self._real.base if self._inner is not None else ""

    def pythons(self) -> tuple[Version, ...]:
        """Versions that it can have."""
        return self._call("pythons", lambda: self._real.pythons(), tuple[Version, ...])

    def python_version(self) -> Version:
        """The version that commands find."""
        return self._call("python_version", lambda: self._real.python_version(), tuple[int, int])

    def use_python(self, version: Version) -> None:
        """Take this version from the next start on."""
        self._real.use_python(version)

    def install_system(self, packages: tuple[str, ...], seconds: float = SYSTEM_SECONDS) -> Response:
        """Install Debian packages."""
        return self._call({"install": packages}, lambda: self._real.install_system(packages, seconds), Response)

    def keep_setup(self, key: str, note: str) -> None:
        """Keep the environment."""
        self._real.keep_setup(key, note)

    def start_with(self, key: str) -> str | None:
        """Start with what was kept."""
        return self._real.start_with(key)

    def forget_setup(self, key: str) -> None:
        """Remove what was kept."""
        self._real.forget_setup(key)


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
            raise httpx.UnsupportedProtocol("--record needs a connection that can be recorded")
        response = self._inner.handle_request(request)
        try:
            body = masked(
                response.read().decode("utf-8", errors="replace"), keys_in(request.headers, request.url.params.values())
            )
        finally:
            response.close()
        headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
        return RecordedResponse(status=response.status_code, headers=headers, body=body)
