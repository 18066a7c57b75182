"""A scripted OpenAI-compatible server in this process: a test double with real HTTP, no patching.

    with ModelServer(brain=answers(Answer("pick", {"script": "train.py"}))) as server:
        client = ModelClient(Endpoint(model="m", base_url=server.url), budget)

A brain says what the model would answer; the server puts it the way the request asks for (tool call, or fenced JSON).
A misbehaviour (see misbehaviours.py) spoils it. Every request is kept with its tokens counted.
"""

import contextlib
import json
import re
import sys
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import msgspec

from ml_agent.tools.tokens import count_tokens


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """One request as it arrived."""

    number: int
    """From 1, in order of arrival."""
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def prompt_tokens(self) -> int:
        """Texts and tools, counted."""
        texts = [str(message.get("content") or "") for message in self.body.get("messages", [])]
        extras = [json.dumps(self.body["tools"])] if "tools" in self.body else []
        return sum(count_tokens(text).n for text in [*texts, *extras])

    @property
    def output_tokens(self) -> int:
        """What it allows the model to generate."""
        return int(self.body.get("max_tokens") or self.body.get("max_completion_tokens") or 1_000_000)

    @property
    def text(self) -> str:
        """All that the model is told, in one text."""
        return "\n\n".join(str(message.get("content") or "") for message in self.body.get("messages", []))

    @property
    def functions(self) -> dict[str, dict[str, Any]]:
        """Schemas of the functions that it offers, by name; without them where it describes the functions in words."""
        if "tools" in self.body:
            return {tool["function"]["name"]: tool["function"]["parameters"] for tool in self.body["tools"]}
        described = self.text.rpartition("calling one of:\n")[2] if "calling one of:" in self.text else ""
        return {name: {} for name in re.findall(r"^(\w+): ", described, re.MULTILINE)}


class Answer(msgspec.Struct, frozen=True):
    """What a model decides: a function and its arguments."""

    name: str
    arguments: dict[str, Any]


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """What goes over the wire."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = {}
    delay: float = 0.0
    """Seconds before the first byte."""
    drip: float = 0.0
    """Seconds between bytes."""
    cut: int | None = None
    """Close the connection after this many bytes."""


Brain = Callable[[Seen], Answer]
Misbehaviour = Callable[[Seen, Answer], Response | None]
"""What goes over the wire in place of the answer; None lets it pass."""


def answers(*scripted: Answer) -> Brain:
    """A brain that gives these answers in order, the last one for ever."""
    return lambda seen: scripted[min(seen.number, len(scripted)) - 1]


def first_choice(seen: Seen) -> Answer:
    """The least that the first function's schema accepts: first choices, nulls, and what numbers and texts must be."""
    name, schema = next(iter(seen.functions.items()), ("", {}))
    value = _least(schema)
    return Answer(name, value if isinstance(value, dict) else {})


def completion(message: Mapping[str, Any], seen: Seen, **changes: Any) -> Response:
    """A chat completion with that message; `finish_reason` and `usage` may be changed."""
    reply = json.dumps(dict(message))
    used = {"prompt_tokens": seen.prompt_tokens, "completion_tokens": min(count_tokens(reply).n, seen.output_tokens)}
    usage = changes.get("usage", {**used, "total_tokens": sum(used.values())})
    choice = {
        "index": 0,
        "finish_reason": changes.get("finish_reason", "stop"),
        "message": {"role": "assistant", "content": None, **message},
    }
    head = {
        "id": f"reply-{seen.number}",
        "object": "chat.completion",
        "created": 0,
        "model": seen.body.get("model", ""),
    }
    body = {**head, "choices": [choice], **({"usage": usage} if usage is not None else {})}
    return Response(body=json.dumps(body).encode())


def refusal(status: int, message: str, code: str | None = None, **headers: str) -> Response:
    """An error as OpenAI writes it; header names with _ for -."""
    body = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}
    return Response(
        body=json.dumps(body).encode(), status=status, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


def put(answer: Answer, seen: Seen) -> dict[str, Any]:
    """The message that carries an answer the way the request asks for."""
    if "tools" in seen.body:
        name = answer.name or next(iter(seen.functions))
        function = {"name": name, "arguments": json.dumps(answer.arguments)}
        return {"tool_calls": [{"id": f"call-{seen.number}", "type": "function", "function": function}]}
    call = {"call": {"name": answer.name, "arguments": answer.arguments}} if answer.name else answer.arguments
    return {"content": f"```json\n{json.dumps(call)}\n```"}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up in the middle is part of the play; anything else is told."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class ModelServer:
    """Serves http://127.0.0.1:PORT/v1/chat/completions while it is entered."""

    def __init__(self, brain: Brain = first_choice, misbehaviour: Misbehaviour | None = None) -> None:
        self.requests: list[Seen] = []
        self.most_under_way = 0
        self._brain, self._misbehaviour = brain, misbehaviour
        self._under_way = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self._handler())

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def most_tokens(self) -> int:
        """What all requests together could have used at most: prompts and allowed output."""
        return sum(seen.prompt_tokens + seen.output_tokens for seen in self.requests)

    def __enter__(self) -> "ModelServer":
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def _respond(self, body: bytes, headers: Mapping[str, str]) -> Response:
        with self._lock:
            seen = Seen(number=len(self.requests) + 1, body=json.loads(body), headers=dict(headers))
            self.requests.append(seen)
            self._under_way += 1
            self.most_under_way = max(self.most_under_way, self._under_way)
        try:
            answer = self._brain(seen)
            spoiled = self._misbehaviour(seen, answer) if self._misbehaviour else None
            response = spoiled or completion(put(answer, seen), seen)
            self._closing.wait(response.delay)
            return response
        finally:
            with self._lock:
                self._under_way -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                response = server._respond(body, {name.lower(): value for name, value in self.headers.items()})
                # A client that gave up has closed its end; that is its right.
                with contextlib.suppress(ConnectionError):
                    self._write(response)

            def _write(self, response: Response) -> None:
                self.send_response(response.status)
                for name, value in {"content-type": "application/json", **response.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(response.body)))
                self.end_headers()
                body = response.body if response.cut is None else response.body[: response.cut]
                if response.drip:
                    for byte in body:
                        self.wfile.write(bytes([byte]))
                        self.wfile.flush()
                        time.sleep(response.drip)
                else:
                    self.wfile.write(body)
                self.close_connection = self.close_connection or response.cut is not None

            def log_message(self, format: str, *args: Any) -> None:
                """Keep quiet."""

        return Handler


def _least(schema: Mapping[str, Any]) -> Any:
    """The first value that a schema accepts."""
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        nothing = any(part.get("type") == "null" for part in schema["anyOf"])
        return None if nothing else _least(schema["anyOf"][0])
    kinds = schema.get("type", "string")
    kind = kinds if isinstance(kinds, str) else "null" if "null" in kinds else kinds[0]
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: _least(properties[name]) for name in schema.get("required", [])}
    return {"array": [], "integer": 1, "number": 1.0, "boolean": False, "null": None}.get(kind, "x")
