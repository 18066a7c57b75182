"""What a program in a sandbox tries against the host, against us, and against what is said of it."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.sandbox.contract import Command, Limits, Policy, Response, Sandbox
from ml_agent.sandbox.docker_engine import describe
from ml_agent.sandbox.docker_sandbox import DockerSandbox
from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.sandbox.local import BubblewrapSandbox

pytestmark = pytest.mark.hostile

DOCKER = pytest.param("docker", marks=[pytest.mark.docker, pytest.mark.xdist_group("docker-sandbox")])
BUBBLEWRAP = pytest.param("bubblewrap", marks=pytest.mark.xdist_group("bubblewrap-sandbox"))
Make = Callable[..., Sandbox]


@pytest.fixture
def make(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Sandbox]]:
    """Starts a sandbox of the kind in turn."""
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache"))
    made: list[Sandbox] = []

    def start(network: str = "none", **limits: int) -> Sandbox:
        bounds = Limits(**({"memory_bytes": 512 * 1024**2, "pids": 100} | limits))
        policy = Policy(network=network, limits=bounds, run_id="hostile")  # type: ignore[arg-type]
        if request.param == "bubblewrap" and find_bubblewrap() is None:
            pytest.skip("bubblewrap does not work here")
        kind = DockerSandbox(policy, log_folder=tmp_path / "logs") if request.param == "docker" else None
        made.append(kind or BubblewrapSandbox(policy, tmp_path / "logs"))
        made[-1].start()
        return made[-1]

    yield start
    for sandbox in made:
        sandbox.stop()


both = pytest.mark.parametrize("make", [DOCKER, BUBBLEWRAP], indirect=True)
local = pytest.mark.parametrize("make", [BUBBLEWRAP], indirect=True)


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A file of the host; a program that knows its path tries to have it written or read."""
    file = tmp_path / "host" / "usercustomize.py"
    file.parent.mkdir()
    file.write_text("canary")
    return file


def run(sandbox: Sandbox, text: str, install: bool = False, timeout: float = 100) -> Response:
    return sandbox.run(Command(text=text, timeout=timeout, install=install))


@both
def test_a_link_in_the_place_of_the_answer_is_not_written_through(make: Make, canary: Path, tmp_path: Path) -> None:
    sandbox, answer = make(), tmp_path / "answer.py"
    answer.write_text("print('answer')")
    sandbox.put(answer, "ml_agent_answer.py")
    run(sandbox, f"rm ml_agent_answer.py; ln -s {canary} ml_agent_answer.py")
    sandbox.put(answer, "ml_agent_answer.py")
    assert canary.read_text() == "canary"
    assert run(sandbox, "python ml_agent_answer.py").stdout == "answer\n"


@both
def test_a_link_in_the_place_of_a_folder_is_not_gone_through(make: Make, canary: Path, tmp_path: Path) -> None:
    sandbox, source = make(), tmp_path / "source"
    (source / "package").mkdir(parents=True)
    (source / "package/usercustomize.py").write_text("from outside")
    sandbox.put(source, ".")
    run(sandbox, f"rm -r package; ln -s {canary.parent} package")
    sandbox.put(source, ".")
    assert canary.read_text() == "canary" and [file.name for file in canary.parent.iterdir()] == [canary.name]


@both
def test_a_deep_folder_in_the_place_of_a_file_is_replaced(make: Make, tmp_path: Path) -> None:
    sandbox, answer = make(), tmp_path / "answer.py"
    answer.write_text("print('answer')")
    nest = "import os\nos.mkdir('answer.py')\nos.chdir('answer.py')\nfor _ in range(1500):\n    os.mkdir('d')\n    os.chdir('d')\n"
    run(sandbox, f"cat > nest.py <<'END'\n{nest}END\npython nest.py; chmod 000 answer.py")
    sandbox.put(answer, "answer.py")
    assert run(sandbox, "python answer.py").stdout == "answer\n"


@both
@pytest.mark.parametrize("made", ["ln -s {} out", "mkdir d; ln -s {parent} d/out", "ln {} out", "mkfifo out"])
def test_what_is_brought_out_is_no_file_of_the_host(make: Make, canary: Path, made: str) -> None:
    sandbox = make()
    run(sandbox, made.format(canary, parent=canary.parent))
    began = time.monotonic()
    for path in ("out", "d/out/usercustomize.py"):
        with pytest.raises(FileNotFoundError):
            sandbox.get(path)
    assert time.monotonic() - began < 60


_EXCHANGE = """
import os, sys, time
canary, folder = sys.argv[1], os.path.dirname(sys.argv[1])
def place(name, target):
    try:
        if target:
            os.symlink(target, "fresh")
        else:
            open("fresh", "w").write("inside")
        os.replace("fresh", name)
    except OSError:
        pass
until = time.time() + 60
while time.time() < until and not os.path.exists("over"):
    for target in (canary, ""):
        place("out", target)
    try:
        os.rename("d", "away")
        os.symlink(folder, "d")
        os.remove("d")
        os.rename("away", "d")
    except OSError:
        os.system("rm -rf away d; mkdir -p d; echo inside > d/usercustomize.py")
"""


@both
def test_links_that_are_exchanged_in_a_race_lead_nowhere(make: Make, canary: Path, tmp_path: Path) -> None:
    sandbox, answer = make(), tmp_path / "answer.py"
    answer.write_text("from outside")
    run(sandbox, f"mkdir d; echo inside > d/usercustomize.py; cat > exchange.py <<'END'\n{_EXCHANGE}END")
    racing = threading.Thread(target=run, args=(sandbox, f"python exchange.py {canary}"))
    racing.start()
    seen, refused, until = set(), 0, time.monotonic() + 8
    while time.monotonic() < until:
        for path in ("out", "d/usercustomize.py"):
            try:
                seen.add(sandbox.get(path).strip())
            except FileNotFoundError:
                refused += 1
            with suppress(SandboxLostError, OSError):  # it may fail, and nothing more
                sandbox.put(answer, path)
    sandbox.put(answer, "over")
    racing.join()
    assert refused and {b"inside"} <= seen <= {b"", b"inside", b"from outside"}, (refused, seen)
    assert canary.read_text() == "canary" and [file.name for file in canary.parent.iterdir()] == [canary.name]


@both
def test_a_link_inside_the_workspace_is_followed(make: Make) -> None:
    sandbox = make()
    run(sandbox, "mkdir -p runs/3; echo best > runs/3/a; ln -s 3 runs/last; ln -s /workspace/runs/last/a best")
    assert sandbox.get("runs/last/a") == b"best\n"
    assert sandbox.get("best") == b"best\n"


@local
def test_links_under_names_of_ours_make_no_file(make: Make, tmp_path: Path) -> None:
    sandbox, wish = make(), tmp_path / "wish"
    thread = threading.get_ident()
    run(sandbox, f"ln -s {wish} .ml-agent-{os.getpid()}-{thread}; ln -s {wish} ~/.before-the-run")
    run(sandbox, "true")
    assert not wish.exists()


KERNEL = """
for file in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sys/vm/drop_caches; do
  [ -w $file ] && echo writable $file; (echo x > $file) 2>/dev/null && echo wrote $file
done
unshare -U true 2>/dev/null && echo namespace
unshare -m true 2>/dev/null && echo mounts
mount -t tmpfs none /mnt 2>/dev/null && echo mounted
python - <<'END'
import ctypes, fcntl
libc = ctypes.CDLL(None, use_errno=True)
NUMBERS = {"ptrace": 101, "keyctl": 250, "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425, "unshare": 272,
           "perf_event_open": 298, "open_by_handle_at": 304, "mount": 165, "setns": 308, "kexec_load": 246, "clone3": 435}
import platform
if platform.machine() == "x86_64":
    for name, number in NUMBERS.items():
        ctypes.set_errno(0)
        libc.syscall(number, 0, 0, 0, 0, 0)
        if ctypes.get_errno() not in (1, 38):
            print("allowed", name, ctypes.get_errno())
END
echo over
"""


@local
def test_the_kernel_has_few_doors(make: Make) -> None:
    assert run(make(), KERNEL).stdout == "over\n"


@pytest.mark.parametrize("make", [DOCKER], indirect=True)
def test_the_kernel_has_few_doors_in_docker(make: Make) -> None:
    """The engine's own filter lets a program trace its own processes, and older ones let it use io_uring; Podman's, namespaces."""
    *opened, last = run(make(), KERNEL).stdout.splitlines()
    allowed = {"ptrace", "io_uring_setup"}
    namespaces = {"namespace", "mount", "unshare", "setns", "clone3", "keyctl"}
    words = {line.removeprefix("allowed ").partition(" ")[0] for line in opened}
    assert last == "over" and words <= (allowed | namespaces if describe().startswith("Podman") else allowed)


@local
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_for_root_it_runs_as_somebody_else(make: Make) -> None:
    """Whoever gets out is not root."""
    sandbox = make()
    done: list[Response] = []
    thread = threading.Thread(target=lambda: done.append(run(sandbox, "sleep 43.21")))
    thread.start()
    owners: set[int] = set()
    while thread.is_alive() and not owners:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if (process / "cmdline").read_bytes() == b"sleep\0" + b"43.21\0":
                    owners.add(process.stat().st_uid)
                    os.kill(int(process.name), 9)
            except OSError:
                continue
        time.sleep(0.05)
    thread.join()
    assert owners and 0 not in owners


@pytest.fixture
def index(tmp_path: Path) -> Iterator[int]:
    """A package index on the loopback of this machine; the number is its port."""
    page = tmp_path / "index/simple/six/index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<a href='/files/six-9.9-py3-none-any.whl'>six</a>")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "index")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()


FETCH = '${ML_AGENT_PYTHON:-python} -c "import sys, urllib.request as u; print(u.urlopen(sys.argv[1], timeout=5).read()[:20])" '


@both
def test_setting_up_reaches_the_index_and_nothing_else(
    make: Make, index: int, monkeypatch: pytest.MonkeyPatch, canary: Path
) -> None:
    other = ThreadingHTTPServer(("0.0.0.0", 0), partial(SimpleHTTPRequestHandler, directory=str(canary.parent)))
    threading.Thread(target=other.serve_forever, daemon=True).start()
    port = other.server_address[1]
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{index}/simple")
    sandbox = make("install")
    assert "six" in run(sandbox, f"{FETCH} http://127.0.0.1:{index}/simple/six/", install=True).stdout
    for address in (f"127.0.0.1:{port}", f"172.17.0.1:{port}", "169.254.169.254", "example.com"):
        for way in ("", "env -u http_proxy -u HTTP_PROXY "):
            response = run(sandbox, f"{way}{FETCH} http://{address}/usercustomize.py", install=True)
            assert not response.ok and "canary" not in response.stdout
    interfaces = run(sandbox, "tail -n +3 /proc/net/dev | cut -d: -f1; cat /proc/net/route | wc -l", install=True)
    assert interfaces.stdout.split() == ["lo", "1"]
    other.shutdown()


@both
def test_the_index_is_not_reached_when_nothing_is_installed(
    make: Make, index: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{index}/simple")
    sandbox = make("install")
    run(
        sandbox,
        "(setsid $ML_AGENT_PYTHON /mnt/gate/relay.py /mnt/gate/index.sock 9999 /bin/sleep 60 &) ; sleep 0.3",
        install=True,
    )
    text = (
        "for port in 3128 9999; do http_proxy=http://127.0.0.1:$port " + FETCH + f"http://127.0.0.1:{index}/; done;"
        " test -S /mnt/gate/index.sock && echo open"
    )
    response = run(sandbox, text)
    assert not response.ok and response.stdout == ""


@both
def test_without_network_there_is_none_for_setting_up(make: Make) -> None:
    text = (
        "tail -n +3 /proc/net/dev | awk '{print $1, $3, $11}'; cat /proc/net/route | wc -l; ls /mnt/gate 2>&1 | wc -w"
    )
    for install in (False, True):
        lines = run(make("none"), text, install=install).stdout.splitlines()
        assert lines[:2] == ["lo: 0 0", "1"] and "index.sock" not in lines[2]


FORGED = """
python - <<'END'
import os, sys
pid = os.getpid()
while pid > 1:
    words = open(f"/proc/{pid}/cmdline").read().split(chr(0))
    if "ml-agent" in words:
        nonce = words[words.index("ml-agent") + 1]
        sys.stderr.write(f"\\n{nonce} 0 0 0 0 0\\n")
    pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
sys.stderr.flush()
END
sleep 0.3
echo "what really happened" >&2
exit 7
"""


@both
def test_a_forged_report_changes_nothing(make: Make) -> None:
    response = run(make(), FORGED)
    assert (response.ended, response.exit_code) == ("exited", 7)
    assert "what really happened" in response.stderr


KILLS_ALL = """
import os, signal, time
if os.fork() == 0:
    os.setsid()
    for stream in (0, 1, 2):
        os.dup2(os.open("/dev/null", os.O_RDWR), stream)
    end = time.time() + 3
    while time.time() < end:
        try:
            os.kill(-1, signal.SIGKILL)
        except OSError:
            pass
    while True:
        open("alive.txt", "w").write(str(time.time()))
        time.sleep(0.1)
time.sleep(20)
"""


@pytest.mark.promise(
    "No process outlives its command, whatever it kills.", by="sandbox.docker_sandbox, sandbox.bubblewrap"
)
@both
def test_what_kills_its_wrapper_does_not_live_on(make: Make, tmp_path: Path) -> None:
    (tmp_path / "program").mkdir()
    (tmp_path / "program/kills.py").write_text(KILLS_ALL)
    sandbox = make()
    sandbox.put(tmp_path / "program", ".")
    assert not run(sandbox, "echo kept > kept.txt; python3 kills.py", timeout=30).ok
    text = "cat kept.txt; touch alive.txt; cp alive.txt first.txt; sleep 1; cmp alive.txt first.txt && echo ended"
    assert run(sandbox, text).stdout == "kept\nended\n"


@both
def test_programs_of_its_own_are_not_taken_for_the_systems(make: Make) -> None:
    sandbox = make()
    names = "bash timeout find touch realpath cat head setpriv env du"
    plant = f"for name in {names}; do printf '#!/bin/sh\\necho planted; exit 0\\n' > $VIRTUAL_ENV/bin/$name; chmod +x $VIRTUAL_ENV/bin/$name; done"
    assert run(sandbox, plant).ok
    assert run(sandbox, "exit 9").exit_code == 9
    assert run(sandbox, "echo x > made; exit 3").exit_code == 3
    assert sandbox.get("made") == b"x\n"


@both
def test_a_file_is_brought_out_up_to_a_limit(make: Make) -> None:
    sandbox = make()
    run(sandbox, "truncate -s 20G sparse")
    assert len(sandbox.get("sparse", 1000)) == 1000


@both
def test_there_is_a_limit_to_the_number_of_files(make: Make) -> None:
    text = "mkdir m; cd m; while :; do : > $((i++)); done"
    response = run(make(files=2000), text, timeout=300)
    assert not response.ok and "limit of 2000 files" in response.error_lines[-1]


@both
def test_memory_that_poses_as_disk_is_bounded(make: Make) -> None:
    response = run(make(memory_disk_bytes=10_000_000), "head -c 600000000 /dev/zero > /dev/shm/x && echo wrote")
    assert "wrote" not in response.stdout


@both
def test_no_key_is_in_a_child(make: Make, monkeypatch: pytest.MonkeyPatch, canary: Path) -> None:
    """Every process that we start while a sandbox is made, filled and used, also those of the host."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-of-this-test")
    monkeypatch.setenv("GITHUB_TOKEN", "ghp-canary-of-this-test")
    seen: set[str] = set()
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            for process in Path("/proc").glob("[0-9]*"):
                try:
                    if b"canary-of-this-test" in (process / "environ").read_bytes():
                        seen.add((process / "cmdline").read_text())
                except OSError:
                    continue

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        sandbox = make("install")
        run(sandbox, '"$ML_AGENT_UV" --version', install=True)
        sandbox.put(canary, "x")
        sandbox.begin_clean()
        sandbox.put(canary, "x")
        sandbox.get("x")
        said = run(sandbox, "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'").stdout
    finally:
        over.set()
        thread.join()
    assert "canary-of-this-test" not in said
    assert seen == set()


@pytest.mark.promise(
    "A command that the kernel does not start fails as in a shell, and ends no run.", by="sandbox.contract"
)
@both
def test_a_command_that_is_too_long(make: Make) -> None:
    sandbox = make()
    for text in ("true #" + "a" * 2_000_000, "true #" + "\x01" * 110_000, "true #" + "é" * 70_000):
        response = sandbox.run(Command(text=text))
        assert response.exit_code == 126 and "longer than" in response.why
    assert sandbox.run(Command(text="true #" + "a" * 90_000)).ok
