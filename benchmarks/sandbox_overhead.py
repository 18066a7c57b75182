"""What the container sandbox costs beside the bare engine: `python -m benchmarks.sandbox_overhead [--repo DIR --command TEXT]`.

Both sides take turns in one run, on the same image and with the same limits, so that other load meets both alike.
"""

import argparse
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from statistics import median
from unittest import mock

import msgspec

from ml_agent.sandbox.cleanup import clean
from ml_agent.sandbox.contract import Command, Network, Policy
from ml_agent.sandbox.docker_engine import connect
from ml_agent.sandbox.docker_sandbox import UID, DockerSandbox
from ml_agent.sandbox.environment import WORKSPACE
from ml_agent.sandbox.image import ensure_image
from ml_agent.sandbox.owner import RUN
from ml_agent.sandbox.session import Session
from ml_agent.sandbox.task import Source, Task

RUN_ID = "overhead"
START_BAR = EXEC_BAR = 1.5
"""Times the bare engine."""
SECOND_BAR = 1.0
"""Seconds."""
MODULES = 300
"""Files of the repository that is made where none is given."""


class OverheadMedians(msgspec.Struct, frozen=True, kw_only=True):
    """Medians in seconds."""

    what: str
    bare: float | None
    ours: float
    bar: float
    """How often `bare`, or where there is none how many seconds, `ours` may be."""

    @property
    def value(self) -> float:
        """What the bar is for: the ratio, or the seconds."""
        return self.ours / self.bare if self.bare else self.ours

    def __str__(self) -> str:
        bare = f"{self.bare * 1000:8.0f}" if self.bare else " " * 8
        unit = "x" if self.bare else "s"
        met = "met" if self.value <= self.bar else "MISSED"
        return f"{self.what:36}{bare}{self.ours * 1000:9.0f}{self.value:8.2f}{unit}{self.bar:7.1f}{unit}  {met}"


def main(arguments: list[str] | None = None) -> int:
    """Print one line a measurement; 1 when one is over its bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=20, help="times each thing is measured")
    parser.add_argument(
        "--repo", type=Path, metavar="DIR", help="repository of the second task; one is made by default"
    )
    parser.add_argument("--command", default="python main.py", metavar="TEXT", help="the second task's command")
    options = parser.parse_args(arguments)
    image, repeat = _image(), options.repeat
    measurements: list[Callable[[], OverheadMedians]] = [
        lambda: measure_start(image, "none", repeat),
        lambda: measure_start(image, "install", repeat),
        lambda: measure_exec(image, repeat),
        lambda: measure_second(options.repo, options.command, repeat),
    ]
    print(f"{'':36}{'bare ms':>8}{'ours ms':>9}{'':>8} {'bar':>7}")
    measured = []
    for measurement in measurements:
        measured.append(measurement())
        print(measured[-1], flush=True)
    return int(any(one.value > one.bar for one in measured))


def measure_start(image: str, network: Network, repeat: int) -> OverheadMedians:
    """Until a container runs, in which commands can be started."""
    with tempfile.TemporaryDirectory() as logs:
        sandbox = DockerSandbox(Policy(network=network, run_id=RUN_ID), image, log_folder=Path(logs))
        bare, ours = [], []
        for _ in range(repeat):
            began = time.perf_counter()
            container = _bare_container(image, "none" if network == "none" else "bridge")
            bare.append(time.perf_counter() - began)
            _docker("rm", "-f", container)
            ours.append(_seconds(sandbox.start))
            sandbox.stop()
    return OverheadMedians(what=f"start, network {network}", bare=median(bare), ours=median(ours), bar=START_BAR)


def measure_exec(image: str, repeat: int) -> OverheadMedians:
    """A command that does nothing, in a container that is there."""
    container = _bare_container(image, "none")
    bare, ours = [], []
    with tempfile.TemporaryDirectory() as logs:
        sandbox = DockerSandbox(Policy(network="none", run_id=RUN_ID), image, log_folder=Path(logs))
        try:
            sandbox.start()
            sandbox.run(Command(text="true"))
            words = ("exec", "-u", f"{UID}:{UID}", "-w", WORKSPACE, container, "bash", "-c", "true")
            for _ in range(repeat):
                bare.append(_seconds(lambda: _docker(*words)))
                ours.append(_seconds(lambda: sandbox.run(Command(text="true"))))
        finally:
            sandbox.stop()
            _docker("rm", "-f", container)
    return OverheadMedians(what="exec", bare=median(bare), ours=median(ours), bar=EXEC_BAR)


def measure_second(repository: Path | None, command: str, repeat: int) -> OverheadMedians:
    """From a planned task to a workspace in which it can run, when an earlier run has installed what it needs."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        settings: Mapping[str, str] = {}
        if repository is None:
            repository, settings = _make_repository(place)
        source, task = Source(root=repository, version="measured"), Task(text=command)
        with mock.patch.dict("os.environ", settings):
            notes: list[str] = []
            _prepare(source, task, place, notes)
            notes.clear()
            ours = [_prepare(source, task, place, notes) for _ in range(repeat)]
    if sum("earlier run" in note for note in notes) < repeat:
        raise SystemExit("the environment was not kept: " + "; ".join(notes[:3]))
    return OverheadMedians(what="second task on a repository, ready", bare=None, ours=median(ours), bar=SECOND_BAR)


def _prepare(source: Source, task: Task, place: Path, notes: list[str]) -> float:
    sandbox = DockerSandbox(Policy(network="install", run_id=RUN_ID), log_folder=place / "logs")
    session = Session(sandbox, source, note=notes.append)
    try:
        return _seconds(lambda: session.prepare(task))
    finally:
        session.close()


def _make_repository(place: Path) -> tuple[Path, Mapping[str, str]]:
    """A repository of some size that needs one package, and the settings that find it."""
    root, wheels = place / "repository", place / "wheels"
    for folder in (root / "package", wheels):
        folder.mkdir(parents=True)
    for number in range(MODULES):
        (root / f"package/module_{number}.py").write_text(f"VALUE = {number}\n" * 200)
    (root / "main.py").write_text("import overhead_example\nfrom package import module_1\nprint(module_1.VALUE)\n")
    with zipfile.ZipFile(wheels / "overhead_example-1.0-py3-none-any.whl", "w") as archive:
        about = "overhead_example-1.0.dist-info"
        archive.writestr("overhead_example.py", "")
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: overhead-example\nVersion: 1.0\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    return root, {"PIP_FIND_LINKS": str(wheels), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null"}


def _bare_container(image: str, network: str) -> str:
    """The plain command that does the same, with the same limits."""
    limits = Policy().limits
    words = [
        *("run", "-d", "--init", "--user", "0:0", "--workdir", WORKSPACE, "--network", network),
        *("--memory", str(limits.memory_bytes), "--memory-swap", str(limits.memory_bytes), "--cpus", str(limits.cpus)),
        *("--pids-limit", str(limits.pids), "--shm-size", str(1024**3), "--cap-drop", "ALL"),
        *("--security-opt", "no-new-privileges", "--ulimit", f"nofile={limits.open_files}", "--ulimit", "core=0"),
    ]
    return _docker(*words, image, "sleep", "infinity")


def _docker(*words: str) -> str:
    return subprocess.run(["docker", *words], check=True, capture_output=True, text=True).stdout.strip()


def _forget() -> None:
    """Remove what was made, the kept environment included."""
    clean(run_id=RUN_ID)
    with closing(connect()) as client:
        for image in client.images.list(filters={"label": f"{RUN}={RUN_ID}"}):
            client.images.remove(str(image.id), force=True)


def _image() -> str:
    with closing(connect()) as client:
        return ensure_image(client)


def _seconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


if __name__ == "__main__":
    try:
        code = main()
    finally:
        _forget()
    raise SystemExit(code)
