"""What programs may not do to the machine, to us, or to the next command."""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ml_agent.sandbox import supervise
from ml_agent.sandbox.contract import Command, Limits, Sandbox

Make = Callable[..., Sandbox]


def alive(sandbox: Sandbox) -> bool:
    return sandbox.run(Command(text="echo alive", timeout=100)).stdout == "alive\n"


def silent(sandbox: Sandbox, path: str) -> bool:
    """Whether a file stays as it is for several times as long as it takes to be written anew."""
    first = sandbox.get(path)
    time.sleep(0.4)
    return bool(first) and sandbox.get(path) == first


def test_fork_bomb(kind: str, kept: Make) -> None:
    sandbox = kept(kind)
    response = sandbox.run(Command(text=":(){ :|:& };:; sleep 60", timeout=1))
    assert response.ended in ("timeout", "signalled")
    assert alive(sandbox)


def test_four_gigabytes(kind: str, kept: Make) -> None:
    sandbox = kept(kind)
    response = sandbox.run(
        Command(text="python -c 'x = bytearray(4 << 30); x[::4096] = bytes(len(x[::4096])); print(1)'", timeout=100)
    )
    assert response.ended == "out-of-memory"
    assert response.stdout == ""
    assert alive(sandbox)


def test_memory_of_a_child_that_is_killed(isolated_kind: str, kept: Make) -> None:
    sandbox = kept(isolated_kind)
    text = "python -c 'x = [bytearray(1 << 24) for _ in range(400)]' || { echo survived; exit 1; }"
    response = sandbox.run(Command(text=text, timeout=100))
    assert response.ended == "out-of-memory" and "survived" in response.stdout


@pytest.mark.slow
def test_hundred_megabytes_of_output(kind: str, make: Make) -> None:
    sandbox = make(kind)
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew: an earlier test's must not hide this one's
    before = memory("VmRSS")
    response = sandbox.run(Command(text="head -c 100000000 /dev/zero | tr '\\0' x; echo END", timeout=200))
    assert response.ok and response.stdout.endswith("END\n")
    assert Path(response.log).stat().st_size == 100_000_004
    assert memory("VmHWM") - before < 40 * 1024


def memory(name: str) -> int:
    """A line of this process's status, in kB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def test_full_disk_by_many_files(kind: str, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "DISK_SECONDS", 0.3)
    sandbox = make(kind, limits=Limits(disk_bytes=50_000_000))
    text = "for i in $(seq 1000); do head -c 10000000 /dev/zero > f$i || exit 1; sleep 0.1; done"
    response = sandbox.run(Command(text=text, timeout=200))
    assert not response.ok and response.ended != "timeout"
    assert any("disk limit" in line or "No space" in line for line in response.error_lines)


def test_a_child_that_leaves_its_session(kind: str, kept: Make) -> None:
    sandbox = kept(kind)
    began = time.monotonic()
    response = sandbox.run(
        Command(
            text="setsid bash -c 'trap \"\" TERM HUP; while :; do date +%N > new; mv new beat; sleep 0.05; done' & until [ -s beat ]; do sleep 0.05; done; echo done",
            timeout=100,
        )
    )
    assert response.ok and response.stdout == "done\n"
    assert time.monotonic() - began < 60
    assert silent(sandbox, "beat")


def test_a_double_fork_that_closes_its_streams(kind: str, kept: Make) -> None:
    sandbox = kept(kind)
    text = "python -c \"\nimport os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        [os.close(n) for n in (0, 1, 2)]\n        while True: open('new', 'w').write(str(time.time())); os.replace('new', 'pulse'); time.sleep(0.05)\n    os._exit(0)\nwhile not os.path.exists('pulse') or not os.path.getsize('pulse'): time.sleep(0.05)\""
    assert sandbox.run(Command(text=text, timeout=100)).ok
    assert silent(sandbox, "pulse")


def test_term_is_ignored(kind: str, kept: Make) -> None:
    sandbox = kept(kind)
    began = time.monotonic()
    response = sandbox.run(Command(text="trap '' TERM INT HUP; while :; do sleep 1; done", timeout=0.5))
    assert response.ended == "timeout"
    assert time.monotonic() - began < 100
    assert alive(sandbox)


def test_streams_are_closed_and_it_goes_on(kind: str, kept: Make) -> None:
    sandbox = kept(kind)
    response = sandbox.run(Command(text="exec >&- 2>&-; sleep 0.5; echo x > late; exit 5", timeout=100))
    assert (response.ended, response.exit_code) == ("exited", 5)
    assert response.seconds >= 0.5
    assert sandbox.get("late") == b"x\n"


def test_it_stops_what_guards_it(kind: str, kept: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "HOST_GRACE", 0.5)
    sandbox = kept(kind)
    response = sandbox.run(Command(text="kill -STOP $PPID; sleep 60", timeout=1))
    assert response.ended == "timeout"
    assert alive(sandbox)


def test_zombies(kind: str, kept: Make) -> None:
    sandbox = kept(kind)
    text = 'python -c "\nimport os, time\nfor _ in range(60):\n    if os.fork() == 0: os._exit(0)\ntime.sleep(0.2)"'
    assert sandbox.run(Command(text=text, timeout=100)).ok
    response = sandbox.run(Command(text="cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z ' || true", timeout=100))
    if sandbox.isolated:
        assert int(response.stdout) <= 1
    assert alive(sandbox)


def test_the_host_is_out_of_reach(isolated_kind: str, kept: Make, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret of the host")
    sandbox = kept(isolated_kind)
    project = Path(__file__).parents[2]
    text = f"""
cat {tmp_path}/secret
ls -a {project}
cat /etc/shadow
touch /usr/x /etc/x /opt/x /x
cat /proc/1/environ | tr '\\0' '\\n'
"""
    response = sandbox.run(Command(text=text, timeout=100))
    said = response.stdout
    assert "secret of the host" not in said
    assert "pyproject.toml" not in said and "root:" not in said and "PYTEST" not in said
    denied = [line for line in response.stderr.splitlines() if line.startswith("touch:")]
    assert len(denied) >= 3


@pytest.mark.parametrize("install", [False, True])
def test_the_home_of_the_host_is_out_of_reach(isolated_kind: str, kept: Make, install: bool) -> None:
    marker = Path.home() / f".ml-agent-test-{os.getpid()}"
    marker.write_text("at home")
    try:
        sandbox = kept(isolated_kind, network="install")
        names = " ".join(path.name for path in Path.home().iterdir() if path.name not in (".bashrc", ".profile"))
        text = f"ls -a /root /home/* {Path.home()}; cat {marker}; cd {Path.home()} && ls -d {names}"
        response = sandbox.run(Command(text=text, timeout=100, install=install))
        assert marker.name not in response.stdout and "at home" not in response.stdout
    finally:
        marker.unlink()


SOCKETS = """
import glob, os, socket
places = ["/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock"]
places += glob.glob("/run/**/*.sock", recursive=True) + glob.glob("/var/run/**/*.sock", recursive=True)
places.append(os.environ["HOST_SOCKET"])
for place in places:
    try:
        socket.socket(socket.AF_UNIX).connect(place)
        print("reached", repr(place))
    except OSError:
        pass
print("tried", len(places) > 4)
"""


@pytest.mark.parametrize("install", [False, True])
def test_sockets_of_the_host_are_out_of_reach(isolated_kind: str, kept: Make, tmp_path: Path, install: bool) -> None:
    place = str(tmp_path / "host.sock")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen()
        sandbox = kept(isolated_kind, network="install")
        response = sandbox.run(
            Command(
                text=f"${{ML_AGENT_PYTHON:-python}} -c '{SOCKETS}'",
                timeout=100,
                install=install,
                environment={"HOST_SOCKET": place},
            )
        )
        assert response.stdout == "tried True\n"


def test_no_capabilities_and_no_new_privileges(isolated_kind: str, kept: Make) -> None:
    response = kept(isolated_kind).run(
        Command(text="id -u; grep -E 'CapEff|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status", timeout=100)
    )
    lines = response.stdout.split()
    assert int(lines[0]) > 0
    assert int(lines[lines.index("CapEff:") + 1], 16) == 0
    assert int(lines[lines.index("CapBnd:") + 1], 16) == 0
    assert lines[lines.index("NoNewPrivs:") + 1] == "1"
    assert lines[lines.index("Seccomp:") + 1] == "2"


@pytest.fixture
def server() -> Iterator[int]:
    """A port of this machine that answers."""
    listening = socket.create_server(("0.0.0.0", 0))

    def answer() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                connection.sendall(b"hello")

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    yield listening.getsockname()[1]
    listening.close()


CONNECT = "import socket, sys; s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 3); print(s.recv(5))"


def test_network_none(isolated_kind: str, kept: Make, server: int) -> None:
    sandbox = kept(isolated_kind, network="none")
    addresses = " ".join({"127.0.0.1", "172.17.0.1", socket.gethostbyname(socket.gethostname())})
    text = f"for a in {addresses}; do ${{ML_AGENT_PYTHON:-python}} -c '{CONNECT}' $a {server}; done; tail -n +3 /proc/net/dev | grep -vc ' lo:'"
    for install in (False, True):
        response = sandbox.run(Command(text=text, timeout=100, install=install))
        assert "hello" not in response.stdout
        assert response.stdout.split()[-1] == "0"


def test_network_full(isolated_kind: str, kept: Make, server: int) -> None:
    addresses = " ".join({"127.0.0.1", "172.17.0.1", socket.gethostbyname(socket.gethostname())})
    sandbox = kept(isolated_kind, network="full")
    text = f"for a in {addresses}; do ${{ML_AGENT_PYTHON:-python}} -c '{CONNECT}' $a {server}; done; true"
    for install in (False, True):
        assert "hello" in sandbox.run(Command(text=text, timeout=100, install=install)).stdout


def test_network_while_installing_only(
    isolated_kind: str, make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels/here").write_text("a wheel")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_INDEX_URL", "https://user:password@index.example/simple")
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret@proxy.example:3128")
    sandbox = make(isolated_kind, network="install")
    text = "tail -n +3 /proc/net/dev | grep -vc ' lo:'; env | grep -E 'PIP_(INDEX|FIND)|PROXY'; cat $PIP_FIND_LINKS/here; touch $PIP_FIND_LINKS/new"
    for _ in range(2):
        without = sandbox.run(Command(text=text, timeout=100))
        assert without.stdout.split() == ["0"]
        response = sandbox.run(Command(text=text, timeout=100, install=True))
        assert response.stdout.split()[0] == "0"
        assert "PIP_INDEX_URL=https://index.example/simple" in response.stdout
        assert "HTTPS_PROXY=http://127.0.0.1:3128" in response.stdout
        assert "a wheel" in response.stdout
        assert "password" not in response.stdout and "secret" not in response.stdout
    assert not (tmp_path / "wheels/new").exists()


def test_nothing_is_left_of_a_process_group(make: Make) -> None:
    sandbox = make("process")
    marker = f"987{os.getpid()}"
    sandbox.run(Command(text=f"(setsid sleep {marker} &) ; setsid sleep {marker} & sleep 0.2", timeout=100))
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if _holds(path, marker)]
    assert left == []


def _holds(path: Path, marker: str) -> bool:
    try:
        return marker in path.read_text()
    except OSError:
        return False
