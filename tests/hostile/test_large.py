"""Repositories that are large, and repositories that lead to others."""

import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.conftest import ml_agent
from tests.servers.git_folders import write_files
from tests.servers.github_server import About, GitHubServer

FIT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\n"
README = "# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n"
SOLVE = ["solve", "fit the model with lr 0.25", "--run", "none", "--quiet"]


@pytest.mark.timeout(1200)
@pytest.mark.promise(
    "A repository of a hundred thousand files is read, and one of more is refused in a line.", by="ml_agent.tools.files"
)
@pytest.mark.parametrize(("number", "code"), [(100_000, 0), (200_001, 2)])
def test_a_hundred_thousand_files(number: int, code: int, tmp_path: Path) -> None:
    root = tmp_path / "fitting"
    write_files(root, {"fit.py": FIT, "README.md": README})
    for first in range(0, number, 1000):
        folder = root / f"data/{first // 1000}"
        folder.mkdir(parents=True)
        for n in range(first, min(first + 1000, number)):
            (folder / f"{n}.txt").touch()
    done = ml_agent(*SOLVE, "--repo", str(root), "--out", str(tmp_path / "out"), timeout=900)
    assert done.returncode == code, done.stderr
    assert ("--lr 0.25" in done.stdout) is (code == 0) and len(done.stderr.strip().splitlines()) <= 1


@pytest.mark.promise(
    "Fetching a repository fetches and runs nothing that its submodules name.", by="ml_agent.tools.git"
)
@pytest.mark.parametrize("inside", [False, True], ids=["fetched", "a folder of the user's"])
def test_submodules_are_not_followed(inside: bool, trap: Path, tmp_path: Path, canaries: Any) -> None:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Note what is asked for."""
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    urls = [
        f"ext::{trap}",
        f"http://127.0.0.1:{server.server_port}/x",
        f"file://{canaries.home}",
        f"-u{trap}",
        "../home",
    ]
    modules = "".join(
        f'[submodule "{n}"]\n\tpath = m{n}\n\turl = {url}\n\tupdate = !{trap}\n' for n, url in enumerate(urls)
    )
    with GitHubServer(tmp_path / "web") as host:
        about = About(full_name="some/fitting")
        head = host.publish(about, {"fit.py": FIT, "README.md": README, ".gitmodules": modules})
        root = host.root / "some/fitting"
        for n in range(len(urls)):
            entry = f"160000,{head},m{n}"
            subprocess.run(["git", "-C", str(root), "update-index", "--add", "--cacheinfo", entry], check=True)
        host.publish(about, {})
        environment = {**canaries.environment, "ML_AGENT_GITHUB_WEB": host.url, "ML_AGENT_GITHUB_API": host.url}
        where = str(root) if inside else f"{host.url}/some/fitting"
        done = ml_agent(*SOLVE, "--repo", where, "--out", str(tmp_path / "out"), environment=environment)
    server.shutdown()
    assert done.returncode == 0, done.stderr
    assert asked == [] and canaries.leaked_into(done.stdout, done.stderr, tmp_path / "out") == []
