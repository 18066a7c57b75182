"""A model that was asked for and cannot be had: one line, the right exit code, at once."""

import gzip
import json
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ml_agent.errors import ConfigurationError, EndpointError
from ml_agent.model import endpoint as preflight
from ml_agent.model.endpoint import Endpoint, ask_endpoint
from tests.command import run, start
from tests.processor_time import WAIT
from tests.servers.model_server import ModelServer, Response, refusal

MOST_SECONDS = 60.0
Answer = Callable[[BaseHTTPRequestHandler], None]


def says(
    status: int, body: bytes = b"", kind: str = "application/json", wait: float = 0.0, packing: str = ""
) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(wait)
        handler.send_response(status)
        handler.send_header("content-type", kind)
        if packing:
            handler.send_header("content-encoding", packing)
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def drips(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    try:
        for _ in range(1000):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.2)
    except OSError:
        return


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        do_POST = do_GET

        def log_message(self, format: str, *arguments: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()


@contextmanager
def dead() -> Iterator[str]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


@contextmanager
def silent() -> Iterator[str]:
    """Takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"


@contextmanager
def babbling() -> Iterator[str]:
    """Something that is not HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def babble() -> None:
            try:
                while True:
                    connection, _ = listening.accept()
                    connection.recv(4096)
                    connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
                    connection.close()
            except OSError:
                return

        threading.Thread(target=babble, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"


BAD = {
    "dead": (dead, 4),
    "silent": (silent, 4),
    "slow": (lambda: serving(says(200, b"{}", wait=30)), 4),
    "dripping": (lambda: serving(drips), 4),
    "not ready": (lambda: serving(says(503, b'{"error": "Loading model"}')), 4),
    "broken": (lambda: serving(says(500)), 4),
    "refuses the key": (lambda: serving(says(401, b'{"error": {"message": "no"}}')), 3),
    "a web site": (lambda: serving(says(200, b"<html>Welcome</html>", "text/html")), 3),
    "moved": (lambda: serving(says(302)), 3),
    "not http": (babbling, 3),
    "packed twice": (lambda: serving(says(200, gzip.compress(gzip.compress(b"{}")), packing="gzip, gzip")), 4),
}


@pytest.mark.parametrize(("place", "code"), BAD.values(), ids=list(BAD))
def test_who_cannot_be_had_is_known_at_once(
    place: Callable[[], Iterator[str]], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preflight, "SECONDS", 1.0)
    with place() as url:  # type: ignore[attr-defined]
        began = time.monotonic()
        with pytest.raises((ConfigurationError, EndpointError)) as caught:
            ask_endpoint(Endpoint(model="m", base_url=url, api_key="k"))
        assert time.monotonic() - began < MOST_SECONDS
    assert caught.value.exit_code == code
    assert len(str(caught.value).splitlines()) == 1 and url in str(caught.value)


SCOPES = b'{"error": {"message": "Missing scopes: api.model.read"}}'
"""What a key that may complete and not list models is told."""


@pytest.mark.parametrize(
    "answer",
    [says(200, b'{"data": []}'), says(404, b"{}"), says(501), says(429), says(403, b"{}"), says(401, SCOPES)],
)
def test_who_speaks_is_taken(answer: Answer) -> None:
    with serving(answer) as url:
        ask_endpoint(Endpoint(model="m", base_url=url, api_key="k"))


def test_a_name_that_is_none() -> None:
    began = time.monotonic()
    with pytest.raises(EndpointError):
        ask_endpoint(Endpoint(model="m", base_url="http://no-such-host.invalid/v1"))
    with pytest.raises(ConfigurationError):
        ask_endpoint(Endpoint(model="m", base_url="gopher://x/v1"))
    assert time.monotonic() - began < 2 * MOST_SECONDS


def command(folder: Path, url: str, *arguments: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """A run over a small repository with the model of an endpoint, and its environment."""
    (folder / "repository").mkdir(exist_ok=True)
    (folder / "repository/fit.py").write_text(
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--lr', type=float)\nparser.parse_args()\n"
    )
    (folder / "repository/README.md").write_text("# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n")
    words = (
        "solve",
        "fit the model with lr 0.25",
        "--repo",
        str(folder / "repository"),
        "--run",
        "none",
        "--model",
        "m",
    )
    environment = {
        "PATH": "/usr/bin:/bin",
        "OPENAI_BASE_URL": url,
        "ML_AGENT_CACHE_DIR": str(folder / "cache"),
        "HOME": str(folder),
    }
    return (*words, "--out", str(folder / "out"), *arguments), environment


def solve(folder: Path, url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(*command(folder, url, *arguments), folder)


@pytest.mark.parametrize("asked", [(), ("--navigator", "llm")])
def test_a_run_with_a_dead_model_ends_with_one_line(tmp_path: Path, asked: tuple[str, ...]) -> None:
    with dead() as url:
        done = solve(tmp_path, url, *asked)
    assert (done.returncode, done.stdout) == (4, "")
    assert len(done.stderr.strip().splitlines()) == 1 and "--fallback offline" in done.stderr


def test_with_a_fallback_it_goes_on_and_says_so(tmp_path: Path) -> None:
    with dead() as url:
        done = solve(tmp_path, url, "--fallback", "offline", "--json", "--quiet")
    result = json.loads(done.stdout)
    assert (done.returncode, result["ending"]) == (0, "checked")
    (one,) = result["stand_ins"]
    assert one["phase"] == "run" and "cannot be reached" in one["reason"]


POSTS = {
    "a web page": (Response(body=b"<html>log in</html>", headers={"content-type": "text/html"}), 4),
    "no such model": (refusal(404, "no such model"), 3),
    "broken for ever": (refusal(400, "broken"), 4),
    "busy for ever": (refusal(429, "slow down", retry_after="7200"), 4),
}


@pytest.mark.parametrize(("answer", "code"), POSTS.values(), ids=list(POSTS))
def test_an_endpoint_that_lists_models_and_decides_nothing_ends_the_run(
    tmp_path: Path, answer: Response, code: int
) -> None:
    with ModelServer(misbehaviour=lambda seen, meant: answer) as server:
        done = solve(tmp_path, server.url, "--quiet")
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.slow
def test_a_model_that_does_not_answer_is_told_within_seconds(tmp_path: Path) -> None:
    silent = ModelServer(misbehaviour=lambda seen, meant: Response(body=b"{}", delay=600))
    with silent as server, start(*command(tmp_path, server.url), tmp_path) as process:
        until = time.monotonic() + WAIT
        while "still writing the answer" not in process.printed()[1]:
            assert time.monotonic() < until and process.poll() is None, process.printed()
            time.sleep(0.1)
