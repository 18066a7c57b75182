"""After runs that were killed nothing of ours is left, and nothing of others is touched."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import docker
import pytest

from ml_agent.sandbox import cleanup, local_place
from ml_agent.sandbox.cleanup import clean, reap
from ml_agent.sandbox.docker_environments import Environments
from ml_agent.sandbox.image import ensure_image
from ml_agent.sandbox.local_place import make_place, places
from ml_agent.sandbox.owner import OWNER, is_gone, label_lines, labels
from ml_agent.sandbox.temporary import lent
from tests.processor_time import WAIT

RUN = """
import sys
from pathlib import Path
from ml_agent.sandbox.contract import Command, Policy
from ml_agent.sandbox.docker_sandbox import DockerSandbox
from ml_agent.sandbox.local import BubblewrapSandbox, ProcessSandbox
kind = {"docker": DockerSandbox, "bubblewrap": BubblewrapSandbox, "process": ProcessSandbox}[sys.argv[1]]
sandbox = kind(Policy(network="none", run_id="killed"), log_folder=Path(sys.argv[2]))
sandbox.start()
sandbox.begin_clean()
print("up", flush=True)
sandbox.run(Command(text="setsid sleep " + sys.argv[3] + " & sleep " + sys.argv[3]))
"""


def start(kind: str, folder: Path, marker: str) -> subprocess.Popen[str]:
    root = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", RUN, kind, str(folder), marker]
    return subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": root}
    )


def running(marker: str) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[:2] == [b"sleep", marker.encode()]:
            found.append(int(path.parent.name))
    return found


def wait_for(condition: object, seconds: float = WAIT) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.1)
    return False


def test_nothing_is_left_of_a_killed_run(kind: str, tmp_path: Path) -> None:
    marker = str(7_000_000 + os.getpid() * 10 + len(kind))
    process = start(kind, tmp_path, marker)
    assert process.stdout is not None and process.stdout.readline() == "up\n"
    assert wait_for(lambda: running(marker))
    assert reap().containers == 0 if kind == "docker" else True
    assert running(marker), "a living run keeps what it has"
    process.send_signal(signal.SIGKILL)
    process.wait()
    clean()  # unless whoever starts a sandbox beside this test was first
    assert wait_for(lambda: not running(marker))
    if kind == "docker":
        client = docker.from_env()
        mark: dict[str, Any] = {"label": "ml-agent.run=killed"}
        assert wait_for(
            lambda: (
                not client.containers.list(all=True, filters=mark, ignore_removed=True)
                + client.api.images(filters=mark)
            )
        )
        client.close()
    else:
        assert list(places().iterdir()) == []


@pytest.mark.docker
def test_what_is_not_ours_stays() -> None:
    client = docker.from_env()
    image = ensure_image(client)
    other = client.containers.create(image, ["true"], labels={"somebody": "else"})
    remote = client.containers.create(
        image, ["true"], labels={**labels("elsewhere", "sandbox"), OWNER: "another-machine:1"}
    )
    living = client.containers.create(image, ["true"], labels=labels("living", "sandbox"))
    try:
        clean()
        left = {container.id for container in client.containers.list(all=True, ignore_removed=True)}
        assert {other.id, remote.id, living.id} <= left
        clean(run_id="living")
        assert living.id not in {container.id for container in client.containers.list(all=True, ignore_removed=True)}
        assert client.images.get(image)
    finally:
        for container in (other, remote, living):
            try:
                container.remove(force=True)
            except docker.errors.NotFound:
                continue
        client.close()


def test_a_number_is_a_living_process_whoever_it_belongs_to() -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert not is_gone(str(os.getpid())) and not is_gone("1") and not is_gone("image")
    assert is_gone(str(ended.pid)) and is_gone("9" * 30)


def test_a_place_that_is_deeper_than_python_goes_is_removed() -> None:
    place = make_place("deep", "process")
    here = os.open(place / "workspace", os.O_RDONLY)
    for _ in range(2000):
        os.mkdir("d", dir_fd=here)
        above, here = here, os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(above)
    os.close(here)
    assert clean(run_id="deep").folders == 1
    assert not place.exists()


def test_a_temporary_folder_of_a_dead_process_is_removed_and_counted() -> None:
    with lent("inputs") as living:
        ended = subprocess.Popen(["true"])
        ended.wait()
        dead = living.with_name(living.name.replace(f"-{os.getpid()}-", f"-{ended.pid}-"))
        (dead / "repository").mkdir(parents=True)
        assert clean().folders >= 1
        assert living.is_dir() and not dead.exists()


@pytest.mark.docker
def test_what_is_kept_is_bounded_and_an_image_without_its_record_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    client = docker.from_env()
    image = ensure_image(client)
    lost = client.containers.create(image, ["true"])
    marks = {**labels("gone", "setup"), OWNER: f"{socket.gethostname()}:{2**22 + 1}"}
    lost.commit("ml-agent-setup", "lost", changes=label_lines(marks))
    lost.remove()
    monkeypatch.setattr(cleanup, "UNUSED_SECONDS", -1.0)
    monkeypatch.setattr(local_place, "MOST_KEPT", 2)
    monkeypatch.setattr(local_place, "LEAST_FREE", 0)
    monkeypatch.setattr(local_place, "IN_USE_SECONDS", -1.0)
    made = [Environments(client, "kept") for _ in range(3)]
    for number, one in enumerate(made):
        one.keep(f"kept{number}", "", "")
    assert [Environments.kept(client, "kept", f"kept{number}") is not None for number in range(3)] == [
        False,
        True,
        True,
    ]
    clean()
    assert not [one for one in client.images.list("ml-agent-setup") if "ml-agent-setup:lost" in one.tags]
    for number in range(3):
        Environments.forget(client, f"kept{number}")
    client.close()
