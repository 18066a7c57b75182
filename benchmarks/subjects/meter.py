"""Stands between an agent and the model's endpoint, so that every subject is held to the same limits and settings.

An agent gets this server's address and a token that is good for one run; the endpoint's key stays in this process. Each request
is reserved against the budget before it is sent and charged before anybody reads the reply, exactly as ML-Agent's own are. What
does not fit is refused with status 401: the one status that every client library takes as final.
"""

import hmac
import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx
import msgspec

from ml_agent.errors import AgentError, BudgetExceededError, ConfigurationError
from ml_agent.model.budget import LEAST_OUTPUT, Budget, RequestDemand, load_prices
from ml_agent.model.endpoint import Endpoint
from ml_agent.model.memory import OUTPUT_PARAMETERS
from ml_agent.model.thread import prompt_tokens_of
from ml_agent.model.transport import MeteredTransport, NetworkTransport, paid_by
from ml_agent.model.waiting import limiter_for

REPLY_TOKENS = 4096
"""What one reply may have at most; where an agent asks for no limit, some endpoints would go on to the end of the context."""
_BACK = ("content-type", "retry-after", "retry-after-ms")


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What goes back to the agent."""

    status: int
    body: bytes
    headers: Mapping[str, str] = {}

    @classmethod
    def refusal(cls, status: int, message: str, code: str) -> "Reply":
        """An error in OpenAI's shape; its usual type would make some clients take any status for a bad request."""
        error = {"message": message, "type": code, "param": None, "code": code}
        return cls(status=status, body=json.dumps({"error": error}).encode())


class Meter:
    """Serves `url` while it is entered; `budget.usage` says what was used.

    `refused` names the limit that was reached, `trouble` is what the endpoint said where its last reply was no answer, `sent` counts
    requests to the endpoint, answered or not.
    """

    def __init__(self, endpoint: Endpoint, budget: Budget, journal: Path, host: str = "127.0.0.1") -> None:
        """`journal` gets one JSON object a request; ConfigurationError where the host is not an address of this machine."""
        self.endpoint, self.budget = endpoint, budget
        self.token = f"run-{secrets.token_urlsafe(18)}"
        self.refused = ""
        self.trouble = ""
        self.sent = 0
        self.price = load_prices().find(endpoint.model, local=endpoint.loopback)
        self._client = httpx.Client(transport=MeteredTransport(NetworkTransport()), timeout=endpoint.timeout)
        self._limiter = limiter_for(endpoint.base_url, endpoint.concurrency)
        self._journal, self._lock = journal, threading.Lock()
        self._unwanted: set[str] = set()
        try:
            self._server = http_server(host, self._page, self._answer)
        except OSError as error:
            raise ConfigurationError(
                f"the model's proxy for agents in containers cannot listen at {host}: {error}"
            ) from error

    @property
    def url(self) -> str:
        """The base URL that stands for the endpoint's."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}/v1"

    def __enter__(self) -> "Meter":
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._client.close()

    def _page(self, path: str) -> Reply:
        """The list of models, of which there is one."""
        if not path.rstrip("/").endswith("/models"):
            return Reply.refusal(404, "no such page", "not_found")
        model = {"id": self.endpoint.model, "object": "model", "created": 0, "owned_by": "bench"}
        return Reply(status=200, body=json.dumps({"object": "list", "data": [model]}).encode())

    def _answer(self, path: str, headers: Message, sent: bytes) -> Reply:
        said = headers.get("authorization", "").encode(errors="replace")
        if not hmac.compare_digest(said, f"Bearer {self.token}".encode()):
            return Reply.refusal(401, "this run's token is required", "invalid_api_key")
        if not path.endswith("/chat/completions"):
            return Reply.refusal(404, "only chat completions are served", "not_found")
        try:
            asked = json.loads(sent)
        except ValueError:
            asked = None
        if not _is_request(asked):
            return Reply.refusal(
                400, "the body is not a chat completion request (streams are not supported)", "invalid_body"
            )
        return self.complete(asked)

    def complete(self, asked: dict[str, Any]) -> Reply:
        """Send a chat completion on, within the budget."""
        began = time.monotonic()
        body = self._settle(asked)
        reply = self._pay(body)
        if reply.status == 400 and self._learn(asked, reply.body.decode("utf-8", "replace")):
            body = self._settle(asked)
            reply = self._pay(body)
        self._write(body, reply, time.monotonic() - began)
        failed = reply.status == 429 or reply.status >= 500
        self.trouble = reply.body.decode("utf-8", "replace")[:300] if failed else ""
        return reply

    def _settle(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The request with the bench's model and settings; what the agent itself sets stays, but the model."""
        body = {name: value for name, value in asked.items() if name not in ("stream", "stream_options")}
        own = {"temperature": self.endpoint.temperature, "seed": self.endpoint.seed}
        body = {**{name: value for name, value in own.items() if name not in self._unwanted}, **body}
        parameter = next((name for name in OUTPUT_PARAMETERS if name in body), "")
        wanted = body.pop(parameter, None) if parameter else None
        parameter = parameter or OUTPUT_PARAMETERS["max_tokens" in self._unwanted]
        tokens = min(wanted, REPLY_TOKENS) if isinstance(wanted, int) and wanted > 0 else REPLY_TOKENS
        return {**body, "model": self.endpoint.model, parameter: tokens}

    def _learn(self, asked: Mapping[str, Any], said: str) -> bool:
        """Whether a refusal was about a setting of ours that can be left out; it is from now on."""
        names = [name for name in ("temperature", "seed", "max_tokens") if name in said and name not in asked]
        new = set(names) - self._unwanted
        self._unwanted |= new
        return bool(new)

    def _pay(self, body: dict[str, Any]) -> Reply:
        parameter = next(name for name in OUTPUT_PARAMETERS if name in body)
        wanted = body[parameter]
        demand = RequestDemand(
            prompt_tokens=prompt_tokens_of(body),
            output_tokens=wanted,
            least_output=min(wanted, LEAST_OUTPUT),
            price=self.price,
        )
        try:
            with self._limiter.slot():
                reservation = self.budget.reserve(demand)
                self.sent += 1
                # one that outlived its run would hold up the next run at a slow endpoint
                seconds = self.budget.time_for(self.endpoint.timeout)
                with paid_by(reservation, seconds):
                    return self._send({**body, parameter: reservation.output_tokens}, seconds)
        except BudgetExceededError as error:
            self.refused = error.what
            return Reply.refusal(401, str(error), "budget_exceeded")
        except (httpx.HTTPError, AgentError) as error:
            if isinstance(error, httpx.TimeoutException) and self._out_of_time():
                self.refused = "seconds"
                return Reply.refusal(401, "the time is up", "budget_exceeded")
            return Reply.refusal(502, f"the endpoint did not answer: {error}", "endpoint_unreachable")

    def _out_of_time(self) -> bool:
        """Whether it is the limit that a request ran into, and not a slow endpoint."""
        limit = self.budget.limits.seconds
        return limit is not None and self.budget.usage.seconds >= limit

    def _send(self, body: dict[str, Any], seconds: float) -> Reply:
        base, _, query = self.endpoint.base_url.partition("?")
        url = base.rstrip("/")
        headers = {"authorization": f"Bearer {self.endpoint.api_key or 'none'}"}
        if self.endpoint.azure:
            headers["api-key"] = self.endpoint.api_key
        response = self._client.post(
            f"{url}/chat/completions{'?' + query if query else ''}", json=body, headers=headers, timeout=seconds
        )
        kept = {name: response.headers[name] for name in _BACK if name in response.headers}
        return Reply(status=response.status_code, body=response.content, headers=kept)

    def _write(self, body: Mapping[str, Any], reply: Reply, seconds: float) -> None:
        """One line of the journal; without headers, so without keys."""
        try:
            said: Any = json.loads(reply.body)
        except ValueError:
            said = reply.body.decode("utf-8", "replace")
        line = {"seconds": round(seconds, 3), "status": reply.status, "request": body, "reply": said}
        with self._lock, self._journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def http_server(
    host: str, get: Callable[[str], Reply], post: Callable[[str, Message, bytes], Reply]
) -> ThreadingHTTPServer:
    """A server that is not yet serving, on any free port; what it says to a path, and to a path with headers and a body."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._write(get(self.path.split("?")[0]))

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length") or 0))
            self._write(post(self.path.split("?")[0], self.headers, sent))

        def _write(self, reply: Reply) -> None:
            try:
                self.send_response(reply.status)
                for name, value in {"content-type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)
            except ConnectionError:  # an agent that was ended does not wait for its reply
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer((host, 0), Handler)
    server.daemon_threads = True
    return server


def _is_request(asked: object) -> bool:
    messages = asked.get("messages") if isinstance(asked, dict) and not asked.get("stream") else None
    return isinstance(messages, list) and all(isinstance(message, dict) for message in messages)
