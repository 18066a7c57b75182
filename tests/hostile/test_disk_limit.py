"""The limit of the disk counts what the kernel counts: also what has no name any more, and what no path reaches."""

from collections.abc import Callable

import pytest

from ml_agent.sandbox import supervise
from ml_agent.sandbox.contract import Command, Limits, Sandbox

HELD_BY = "sandbox.supervise, ml_agent.tools.walk"
MB = 1_000_000
LIMIT = 100 * MB

_FILL = """
import ctypes, mmap, os, socket, sys, time
def fill(fd, size=50 * 1000 * 1000):
    for _ in range(size // 1000000):
        os.write(fd, b"x" * 1000000)
    return fd
def nameless(size=50 * 1000 * 1000):
    fd = os.open("gone", os.O_RDWR | os.O_CREAT)
    os.unlink("gone")
    return fill(fd, size)
kept = []
def rest():
    sys.stdout.flush()
    time.sleep(120)
"""
WAYS = {
    "open files without a name": "for _ in range(20): kept.append(nameless())\nrest()",
    "such files of a process that nobody may look into": "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\nfor _ in range(20): kept.append(nameless())\nrest()",
    "such files that are allocated, not written": "for _ in range(20):\n    kept.append(nameless(0))\n    os.posix_fallocate(kept[-1], 0, 50 * 1000 * 1000)\nrest()",
    "such files in memory maps": "for _ in range(20):\n    fd = nameless()\n    kept.append(mmap.mmap(fd, 4096))\n    os.close(fd)\nrest()",
    "such files that wait in a socket": "one, other = socket.socketpair()\nfor _ in range(20):\n    fd = nameless()\n    socket.send_fds(one, [b'x'], [fd])\n    os.close(fd)\nrest()",
    "paths that are too long": "for _ in range(30):\n    os.mkdir('d' * 200)\n    os.chdir('d' * 200)\nfor n in range(20): kept.append(fill(os.open(str(n), os.O_RDWR | os.O_CREAT)))\nrest()",
    "folders that are too deep": "for _ in range(1500):\n    os.mkdir('d')\n    os.chdir('d')\nfor n in range(20): kept.append(fill(os.open(str(n), os.O_RDWR | os.O_CREAT)))\nrest()",
    "folders that are closed": "os.mkdir('d')\nos.chdir('d')\nfor n in range(20): kept.append(fill(os.open(str(n), os.O_RDWR | os.O_CREAT)))\nos.chmod('.', 0)\nrest()",
    "other places": "os.chdir('/var/tmp' if os.access('/workspace', os.W_OK) and os.path.ismount('/opt/venv') is False else '/tmp')\nfor n in range(20): kept.append(fill(os.open(str(n), os.O_RDWR | os.O_CREAT)))\nrest()",
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_no_way_leads_past_the_limit(
    way: str, isolated_kind: str, make: Callable[..., Sandbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervise, "DISK_SECONDS", 0.3)
    sandbox = make(isolated_kind, limits=Limits(memory_bytes=512 * 1024**2, pids=100, disk_bytes=LIMIT))
    program = f"cat > /tmp/fill.py <<'END'\n{_FILL}{WAYS[way]}\nEND\nexec python /tmp/fill.py"
    response = sandbox.run(Command(text=program, timeout=100))
    assert not response.ok and response.seconds < 60, response
    assert any("disk limit" in line or "No space" in line for line in response.error_lines), response
