"""Set-up at an engine that cannot mount a socket of this machine, as one elsewhere: it reaches the package index alone."""

import json
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import docker
import pytest

from ml_agent.sandbox.cleanup import clean
from ml_agent.sandbox.contract import Command, Policy
from ml_agent.sandbox.docker_sandbox import DockerSandbox
from ml_agent.sandbox.owner import RUN
from tests.sandbox.engines import bridge_address, engine_by_tcp

pytestmark = [
    pytest.mark.docker,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
    pytest.mark.promise(
        "Set-up at an engine elsewhere reaches no host and no network but the package index, and leaves nothing there.",
        by="sandbox.docker_network, sandbox.gate",
    ),
]
LOOK = """
import json, os, socket, urllib.request
index, other = os.environ["INDEX"], os.environ["OTHER"]
found = {"interfaces": sorted(name for _, name in socket.if_nameindex())}
def tried(name, act):
    try:
        found[name] = act()
    except OSError as error:
        found[name] = "no"
def page(address, **proxies):
    opener = urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if proxies else []))
    return opener.open(address, timeout=5).status
def spoken(words):
    with socket.socket(socket.AF_UNIX) as gate:
        gate.settimeout(5)
        gate.connect("/mnt/gate/index.sock")
        gate.sendall(words.encode() + b"\\r\\n\\r\\n")
        return gate.recv(100).split()[1].decode()
place = other.removeprefix("http://")
tried("index", lambda: page(index))
tried("index without the gate", lambda: page(index, direct=True))
tried("other", lambda: page(other))
tried("other without the gate", lambda: page(other, direct=True))
tried("other by a tunnel", lambda: spoken(f"CONNECT {place} HTTP/1.1"))
tried("other by the socket", lambda: spoken(f"GET {other}/ HTTP/1.1"))
tried("other beside the index", lambda: spoken(f"GET {index}@{place}/ HTTP/1.1"))
tried("index by the socket", lambda: spoken(f"GET {index}/ HTTP/1.0"))
tried("the engine's machine", lambda: socket.create_connection((place.partition(":")[0], 22), 3) and "reached")
tried("names", lambda: socket.getaddrinfo("pypi.org", 443) and "resolved")
tried("change of the gate", lambda: open("/mnt/gate/relay.py", "a") and "open")
tried("another gate", lambda: open("/mnt/gate/own.sock", "w") and "open")
print(json.dumps(found))
"""
NEVER = {"index without the gate", "other", "other without the gate", "the engine's machine", "names"}
CLOSED = {"change of the gate", "another gate"}


class Place:
    """Two servers on the engine's bridge, the index and somebody else, and what the second was asked."""

    def __init__(self, gateway: str) -> None:
        self.asked: list[str] = []
        self.servers = [ThreadingHTTPServer((gateway, 0), self._handler(seen)) for seen in ([], self.asked)]
        self.index, self.other = (f"http://{gateway}:{server.server_port}" for server in self.servers)
        for server in self.servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def _handler(self, seen: list[str]) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                seen.append(self.path)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler


@pytest.fixture
def engine() -> Iterator[docker.DockerClient]:
    client = docker.DockerClient(base_url="unix:///var/run/docker.sock")
    yield client
    client.close()


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    made = Place(bridge_address())
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "DOCKER_CONTEXT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", f"{made.index}/simple")
    with engine_by_tcp() as address:
        monkeypatch.setenv("DOCKER_HOST", address)
        yield made
    for server in made.servers:
        server.shutdown()
        server.server_close()


def _left(engine: docker.DockerClient, run_id: str) -> list[str]:
    mine: dict[str, str | list[str] | bool] = {"label": f"{RUN}={run_id}"}
    found = [*engine.containers.list(all=True, filters=mine, ignore_removed=True), *engine.volumes.list(filters=mine)]
    return [str(one.id) for one in [*found, *engine.networks.list(filters=mine)]]


def _look(sandbox: DockerSandbox, place: Place, install: bool) -> dict[str, Any]:
    text = f"python3 - <<'END'\n{LOOK}\nEND"
    done = sandbox.run(
        Command(text=text, install=install, environment={"INDEX": place.index, "OTHER": place.other}, timeout=300)
    )
    assert done.ok, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_another_host_than_the_index_is_not_reached(place: Place, engine: docker.DockerClient, tmp_path: Path) -> None:
    run_id = f"tests-{uuid.uuid4().hex}"
    sandbox = DockerSandbox(Policy(network="install", run_id=run_id), log_folder=tmp_path / "logs")
    sandbox.start()
    try:
        during, after = (_look(sandbox, place, install) for install in (True, False))
        again = _look(sandbox, place, install=True)
        assert len(_left(engine, run_id)) == 4, (
            "the sandbox, the place of downloads and a volume of each, and no gate that stays open"
        )
    finally:
        sandbox.stop()
    for found in (during, again):
        assert (found["index"], found["index by the socket"]) == (200, "200"), "nothing was tried: no index"
        assert {found[name] for name in ("other by a tunnel", "other by the socket", "other beside the index")} <= {
            "403"
        }
    assert after["index"] == after["index by the socket"] == after["other by the socket"] == "no"
    for found in (during, after, again):
        assert {name: found[name] for name in NEVER | CLOSED} == dict.fromkeys(NEVER | CLOSED, "no")
        assert found["interfaces"] == ["lo"]
    assert place.asked == [] and _left(engine, run_id) == []


def test_what_a_dead_run_left_there_is_removed(place: Place, engine: docker.DockerClient, tmp_path: Path) -> None:
    run_id = f"tests-{uuid.uuid4().hex}"
    sandbox = DockerSandbox(Policy(network="install", run_id=run_id), log_folder=tmp_path / "logs")
    sandbox.start()
    assert len(_left(engine, run_id)) == 3
    removed = clean(run_id=run_id)
    sandbox.stop()
    assert (removed.containers, removed.volumes, _left(engine, run_id)) == (1, 2, [])
