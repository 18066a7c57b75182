"""A host that drips or never ends keeps `models`, `doctor` and a search neither waiting nor reading."""

import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

from ml_agent.doctor import MOST_BYTES, answer_of
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.tools.errors import SearchError
from ml_agent.tools.github_search import PACKAGE_SECONDS, GitHubSearch, Places, repository_of
from tests.hostile.conftest import ml_agent
from tests.servers.git_folders import write_files

FIT = "import argparse, alpha\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\n"


@pytest.fixture
def host() -> Iterator[str]:
    """Answers /drip with a byte now and then, /endless without an end, /small with a little."""
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            try:
                while not over.wait(0.05 if self.path.startswith("/drip") else 0):
                    self.wfile.write(b" " * (1 if self.path.startswith("/drip") else 64 * 1024))
                    if self.path == "/small":
                        return
            except OSError:  # nobody listens any more
                return

        def log_message(self, *_words: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    over.set()
    server.shutdown()
    server.server_close()


@pytest.mark.promise("`models` and `doctor` wait and read within limits.", by="ml_agent.doctor.answer_of")
def test_a_host_that_never_ends_is_given_up(host: str) -> None:
    assert len(answer_of("GET", f"{host}/small", {}).content) == 64 * 1024 < MOST_BYTES
    with pytest.raises(requests.Timeout, match="too large"):
        answer_of("GET", f"{host}/endless", {}, wait=60)
    began = time.monotonic()
    with pytest.raises(requests.RequestException):
        answer_of("GET", f"{host}/drip", {}, wait=0.3)
    assert time.monotonic() - began < 30


@pytest.mark.promise("A search waits and reads within limits.", by="ml_agent.tools.github_search")
def test_a_code_host_that_never_ends_is_given_up(host: str, tmp_path: Path) -> None:
    def at(path: str, seconds: float) -> GitHubSearch:
        search = GitHubSearch(tmp_path, places=Places(api=host + path, packages=host + path))
        search.time_for = lambda _most: seconds
        return search

    with pytest.raises(SearchError, match="cannot be reached"):
        at("/endless", 60).find("a/b")
    began = time.monotonic()
    assert (
        repository_of("a", "https://github.com", f"{host}/endless") == "" and time.monotonic() - began < PACKAGE_SECONDS
    )
    with pytest.raises(SearchError, match="did not answer"):
        at("/drip", 0.3).find("a/b")
    assert time.monotonic() - began < 30


@pytest.mark.promise("A package index keeps no run beyond its wall time.", by="ml_agent.wall_time")
@pytest.mark.parametrize("way", [pytest.param("docker", marks=pytest.mark.docker), "local"])
def test_an_index_that_never_ends_is_given_up(way: str, host: str, tmp_path: Path) -> None:
    if way == "local" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    write_files(
        tmp_path / "fitting",
        {"fit.py": FIT, "requirements.txt": "alpha\n", "README.md": "# Fit\n\n```bash\npython fit.py --lr 0.5\n```\n"},
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    words = [
        "solve",
        "fit the model with lr 0.25",
        "--repo",
        str(tmp_path / "fitting"),
        "--run",
        "full",
        "--sandbox",
        way,
    ]
    words += ["--max-seconds", "12", "--out", str(tmp_path / "out"), "--quiet"]
    began = time.monotonic()
    done = ml_agent(
        *words, environment={**environment, "PIP_CONFIG_FILE": "/dev/null", "PIP_INDEX_URL": f"{host}/drip"}
    )
    assert done.returncode == 5 and "budget" in done.stderr and "Traceback" not in done.stderr, done
    assert time.monotonic() - began < 90
