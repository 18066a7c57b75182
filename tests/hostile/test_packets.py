"""How many packets leave: counted by the kernel in a network namespace of the run's own, which has nothing but its loopback."""

import json
import os
import re
import shutil
import subprocess
import sys
import uuid
from pathlib import Path
from typing import NamedTuple

import pytest

from ml_agent.sandbox.bubblewrap import find_bubblewrap
from tests.servers.git_folders import write_files
from tests.wheels import make_wheel

HERE = Path(__file__).parent
MAKEFILE = HERE.parent.parent / "Makefile"
WAYS = [pytest.param("docker", marks=pytest.mark.docker), "local"]
SCRIPT = "import argparse, tinything\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\nprint('fitted', tinything.NAME)\n"
README = "# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n"
SERVER = """
import functools, http.server, sys
class Counting(http.server.ThreadingHTTPServer):
    taken = 0
    def get_request(self):
        Counting.taken += 1
        open(sys.argv[2], "w").write(str(Counting.taken))
        return super().get_request()
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
Counting(("127.0.0.1", 8099), handler).serve_forever()
"""


class Counted(NamedTuple):
    """What a script did to the network."""

    out: str
    err: str
    code: int
    sent: int
    """Packets that were given to the network, those without a way included."""
    connections: int
    lost: int
    """Packets that had no way: they were meant for another machine."""


def counted(script: str, tmp_path: Path) -> Counted:
    """Run a script in a network namespace of its own."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("no unshare or ip here")
    root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    whole = f"ip link set lo up || exit 99\n{script}\ncode=$?; cat /proc/net/snmp > {tmp_path}/snmp; exit $code"
    done = subprocess.run(
        ["unshare", *root, "--net", "bash", "-c", whole],
        capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path,
    )  # fmt: skip
    if done.returncode == 99 or "unshare failed" in done.stderr:
        pytest.skip("no network namespace here")
    count = _counters((tmp_path / "snmp").read_text())
    sent = count["Ip OutRequests"] + count["Ip OutNoRoutes"] + count["Udp OutDatagrams"]
    return Counted(done.stdout, done.stderr, done.returncode, sent, count["Tcp ActiveOpens"], count["Ip OutNoRoutes"])


def _counters(text: str) -> dict[str, int]:
    lines = [line.split() for line in text.splitlines()]
    pairs = zip(lines[::2], lines[1::2], strict=False)
    return {
        f"{names[0][:-1]} {name}": int(value)
        for names, values in pairs
        for name, value in zip(names[1:], values[1:], strict=False)
    }


@pytest.fixture(autouse=True)
def counts(tmp_path: Path) -> None:
    """The kernel counts what is tried; where it does not, nothing can be said here."""
    lost = f"{sys.executable} -c \"import socket; socket.create_connection(('192.0.2.1', 80), 1)\" 2>/dev/null; true"
    own = f"{sys.executable} -c \"import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())\""
    if not counted(lost, tmp_path).lost or not counted(own, tmp_path).connections:
        pytest.skip("this kernel does not count")


def _words(way: str, out: Path) -> str:
    if way == "local" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    return f"--run full --sandbox {way} --quiet --out {out}"


@pytest.mark.promise("`make demo` sends no packet at all: its task needs no package.", by="shipped samples")
@pytest.mark.parametrize("way", WAYS)
def test_the_demo_asks_nobody(way: str, tmp_path: Path) -> None:
    text = MAKEFILE.read_text()
    task = re.search(r"^DEMO_TASK \?= (.*)$", text, re.MULTILINE)
    command = re.search(r"^demo:.*\n(?:\t@echo .*\n)?\t@\S*ml-agent (solve .*)$", text, re.MULTILINE)
    assert task and command and "--sandbox auto" in command[1]
    told = (
        command[1]
        .replace("$(DEMO_TASK)", task[1])
        .replace("--sandbox auto", _words(way, tmp_path / "out"))
        .replace("--unisolated", "")
    )
    done = counted(f"{sys.executable} -m ml_agent {told}", tmp_path)
    assert done.code == 0 and "fit_mlp.py" in done.out, done.err
    assert (done.sent, done.connections, done.lost) == (0, 0, 0)


@pytest.mark.promise("`--network none` sends not one packet, in the sandbox and outside of it.", by="sandbox, ml_agent")
@pytest.mark.parametrize("way", WAYS)
def test_without_network_not_one_packet_is_sent(way: str, tmp_path: Path) -> None:
    beacon = SCRIPT.replace("import argparse, tinything\n", "import argparse, socket\n").replace(
        "tinything.NAME", "1"
    ) + (
        "for family, place in ((socket.AF_INET, ('192.0.2.1', 80)), (socket.AF_INET, ('127.0.0.1', 8099))):\n"
        "    try:\n        socket.socket(family).connect(place)\n        print('reached', place)\n    except OSError:\n        pass\n"
        "try:\n    socket.getaddrinfo('example.com', 80)\n    print('resolved')\nexcept OSError:\n    pass\n"
    )
    write_files(tmp_path / "fitting", {"fit.py": beacon, "README.md": README, "requirements.txt": "tinything\n"})
    words = f"solve 'fit the model with lr 0.25' --repo fitting --network none --json {_words(way, tmp_path / 'out')}"
    done = counted(f"{sys.executable} -m ml_agent {words}", tmp_path)
    logs = "".join(path.read_text() for path in (tmp_path / "out/logs").glob("*.log"))
    assert json.loads(done.out)["answer"]["text"].startswith("python fit.py --lr 0.25"), done.err
    assert "reached" not in logs and "resolved" not in logs
    assert (done.sent, done.connections, done.lost) == (0, 0, 0)


@pytest.mark.promise(
    "Setting up reaches the package index and nobody else: every connection of a run is the index's.",
    by="ml_agent.sandbox.gate",
)
@pytest.mark.parametrize("way", WAYS)
def test_setting_up_makes_connections_to_the_index_alone(way: str, tmp_path: Path) -> None:
    tiny = f"tiny{uuid.uuid4().hex[:8]}"  # environments that were set up before are kept: nobody has this package
    wheel = make_wheel(tmp_path / "index/files", tiny, "1.0", {f"{tiny}.py": "NAME = 'tiny'\n"})
    write_files(tmp_path / f"index/simple/{tiny}", {"index.html": f'<a href="/files/{wheel}">{wheel}</a>'})
    write_files(
        tmp_path / "fitting",
        {"fit.py": SCRIPT.replace("tinything", tiny), "README.md": README, "requirements.txt": f"{tiny}\n"},
    )
    (tmp_path / "server.py").write_text(SERVER)
    words = (
        f"solve 'fit the model with lr 0.25' --repo fitting --network install --json {_words(way, tmp_path / 'out')}"
    )
    done = counted(
        f"{sys.executable} server.py index taken 2>/dev/null & server=$!; sleep 1; unset PIP_FIND_LINKS PIP_EXTRA_INDEX_URL\n"
        f"PIP_CONFIG_FILE=/dev/null PIP_INDEX_URL=http://127.0.0.1:8099/simple {sys.executable} -m ml_agent {words}\n"
        "kill $server; true",
        tmp_path,
    )
    result = json.loads(done.out)
    assert result["evidence"] == "completed", result["message"]
    taken = int((tmp_path / "taken").read_text())
    assert taken > 0 and done.connections == taken and done.lost == 0
