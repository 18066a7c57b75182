"""A sandbox on tape: the recorded run's responses, without an engine."""

import base64
import re
from pathlib import Path

import msgspec

from ml_agent.replay.tape import Errors, Tape
from ml_agent.sandbox.contract import MOST_BYTES, Command, OnOutput, Response, Sandbox
from ml_agent.sandbox.errors import SandboxError, SandboxLostError, SandboxUnavailableError

_ERRORS: Errors = {
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
        self._tape.call("sandbox", "start", lambda: self._real.start(), type(None), _ERRORS)

    def put(self, source: Path, target: str) -> None:
        """Copy into the workspace; what is copied is on this machine and is not recorded."""
        self._tape.call("sandbox", {"put": target}, lambda: self._real.put(source, target), type(None), _ERRORS)

    def get(self, path: str, most: int = MOST_BYTES) -> bytes:
        """A file of the workspace."""
        encoded = self._tape.call(
            "sandbox", {"get": path}, lambda: base64.b64encode(self._real.get(path, most)).decode(), str, _ERRORS
        )
        return base64.b64decode(encoded)

    def run(self, command: Command, on_output: OnOutput | None = None) -> Response:
        """Run one command."""
        response = self._tape.call(
            "sandbox", {"run": command}, lambda: self._real.run(command, on_output), Response, _ERRORS
        )
        if not self._tape.replaying:
            return response
        if on_output is not None:
            on_output(response.stdout + response.stderr)
        return msgspec.structs.replace(response, log=self._log(response))

    def begin_clean(self) -> None:
        """Leave nothing of what ran."""
        self._tape.call("sandbox", "begin_clean", lambda: self._real.begin_clean(), type(None), _ERRORS)

    def stop(self) -> None:
        """Remove the place."""
        self._tape.call("sandbox", "stop", lambda: self._real.stop(), type(None), _ERRORS)

    def _log(self, response: Response) -> str:
        """What is known of the log, under its old name among this run's logs."""
        if not response.log:
            return ""
        self._logs.mkdir(parents=True, exist_ok=True)
        path = self._logs / (re.sub(r"[^\w.-]", "-", Path(response.log).name)[-100:].lstrip(".") or "log")
        path.write_text(response.stdout + response.stderr, encoding="utf-8")
        return str(path)
