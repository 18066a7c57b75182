"""Commands in a container: no capabilities, no host folder to write in, limits by the kernel, network by phase.

One container runs the commands; the environment is a volume (`docker_environments`), read-only once it was kept. Steps of the installer run in a
second container, which alone has the package index (`docker_network`) and the downloads. `running_docker` follows a command, `supervise` ends it.
"""

import hashlib
import math
import shlex
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any

import docker
from docker.errors import APIError, DockerException, ImageNotFound
from docker.models.containers import Container
from docker.types import DeviceRequest, Mount, Ulimit
from requests import exceptions
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError

from ml_agent.sandbox.contract import (
    MOST_BYTES,
    SYSTEM_SECONDS,
    Command,
    Limits,
    OnOutput,
    Policy,
    Response,
    Version,
    too_long,
)
from ml_agent.sandbox.docker_engine import Reach, connect, reach_of
from ml_agent.sandbox.docker_environments import Environments
from ml_agent.sandbox.docker_exec import Allowed, run_short
from ml_agent.sandbox.docker_network import ContainerNetwork
from ml_agent.sandbox.environment import BUILD_FOLDER, HOME, PATHS, UV, VENV, WORKSPACE, base_environment
from ml_agent.sandbox.errors import SandboxLostError, SandboxUnavailableError
from ml_agent.sandbox.files import check_room, write_tar
from ml_agent.sandbox.gate.way import FIND_PYTHON, relayed
from ml_agent.sandbox.image import ensure_image, image_name, python_of
from ml_agent.sandbox.inner_path import safe_relative
from ml_agent.sandbox.interpreters import Interpreter, find_interpreters, pick_interpreter
from ml_agent.sandbox.owner import label_lines, labels
from ml_agent.sandbox.running_docker import DockerRunning, Exec
from ml_agent.sandbox.supervise import supervise

UID = 1000
SETUPS = "ml-agent-setup"
"""Images with Debian packages, named by what they were made of."""
PACKAGES = "ml-agent.packages"
"""The label with the Debian packages of such an image."""
READ = """
PATH=/usr/bin:/bin
case "$(realpath -e -- "$0")" in
  /workspace/*) [ -f "$0" ] && head -c "$1" -- "$0";;
  *) exit 3;;
esac
"""
"""Prints the first bytes of a regular file that lies in the workspace, however its path is written."""
OWN_PYTHON = "/opt/host-python"
OWN_PROCESSES = 2
"""The engine's init and the container's `sleep`."""
LOOKS, LOOK_SECONDS = 5, 0.05
"""A process that was killed is seen for a moment longer."""
SHARED_MEMORY = 1024**3
"""Bytes of /dev/shm, within the memory limit; the default of 64 MB stops data loaders with workers."""


class DockerSandbox:
    """One container. `image` None takes the project's own, which is built where it is missing; logs go to `log_folder`."""

    name = "docker"
    isolated = True

    def __init__(self, policy: Policy, image: str | None = None, *, log_folder: Path) -> None:
        self.policy = policy
        self.image = image
        self._log_folder = log_folder
        self._client: docker.DockerClient | None = None
        self._container: Container | None = None
        self._fetching: Container | None = None
        self._now: str | None = None
        """The image that the container was made from."""
        self._network: ContainerNetwork | None = None
        self._interpreter: Interpreter | None = None
        self._version: Version | None = None
        self._told: dict[str, Any] | None = None
        self._environment: Environments | None = None
        self._logs = count(1)

    def start(self) -> None:
        """Make the container. Raises SandboxUnavailableError."""
        client = self._connect()
        self.image = ensure_image(client, self.image)
        with self._translate_errors():
            self._environment = Environments(client, self.policy.run_id)
        self._run_image(self.image)
        if self._interpreter is not None:
            self._make_environment()

    def put(self, source: Path, target: str) -> None:
        """Copy into the workspace; links that leave `source` are left out."""
        path = safe_relative(target)
        if source.is_file() and path.is_top:
            path = safe_relative(source.name)
        check_room(source, self.policy.limits.disk_bytes, Path(tempfile.gettempdir()))
        with tempfile.TemporaryFile() as archive, self._translate_errors():
            write_tar(source, path, archive, UID)
            archive.seek(0)
            self._alive().put_archive(WORKSPACE, archive)

    def get(self, path: str, most: int = MOST_BYTES) -> bytes:
        """The bytes of one file of the workspace, read by the commands' user; FileNotFoundError where there is none."""
        inside = f"{WORKSPACE}/{safe_relative(path)}"
        with self._translate_errors():
            arguments, allowed = ["/bin/bash", "-c", READ, inside, str(most)], Allowed(printed=most)
            done = run_short(self._engine(), str(self._alive().id), arguments, f"{UID}:{UID}", allowed)
        if done.exit_code != 0:
            raise FileNotFoundError(path)
        return done.stdout

    def run(self, command: Command, on_output: OnOutput | None = None) -> Response:
        """Run one command to its end, its timeout or its probe. Raises SandboxLostError."""
        self._alive()
        if (refused := too_long(command)) is not None:
            return refused
        network = self._network
        assert network is not None
        text, folder = command.text, f"{WORKSPACE}/{safe_relative(command.folder)}"
        if command.install:
            text, folder = f'export ML_AGENT_PYTHON="{self._python()}"\n{text}', HOME
        job = Exec(
            container=str((self._installer() if command.install else self._alive()).id),
            text=_behind_relay(text) if self.policy.gives_index(command) else text,
            folder=folder,
            environment={**self._variables(command), **command.environment},
            timeout=command.timeout,
            probing=command.probe_seconds is not None,
            store=self._store(),
        )
        with ExitStack() as stack:
            with self._translate_errors():
                stack.enter_context(network.way_out(command))
            try:
                return supervise(
                    DockerRunning(self._engine(), job), command, self.policy.limits, self._log(), on_output
                )
            finally:
                self._end_all()

    def _end_all(self) -> None:
        """Start the container anew where a process outlived its command: one that kills all others cannot be swept from inside."""
        container = self._alive()
        with self._translate_errors():
            for _ in range(LOOKS):
                if len(container.top()["Processes"]) <= OWN_PROCESSES:
                    return
                time.sleep(LOOK_SECONDS)
            container.restart(timeout=0)

    def _variables(self, command: Command) -> dict[str, str]:
        """The whole environment of a command, but for its own part."""
        assert self._network is not None
        base = base_environment(VENV, HOME, math.ceil(self.policy.limits.cpus))
        if self._interpreter is not None:
            base["LD_LIBRARY_PATH"] = f"{OWN_PYTHON}/lib"  # a shared libpython is looked for where it was built
        if command.install or (self._environment is not None and not self._environment.is_kept):
            base["ML_AGENT_UV"] = f"{UV}/uv"
        installer = self._network.installer() if command.install else {}
        return {**base, **self._network.environment(command), **installer}

    def _python(self) -> str:
        """The interpreter that environments are made with, in bash."""
        return f"{OWN_PYTHON}/bin/{self._interpreter.executable.name}" if self._interpreter else f"$({FIND_PYTHON})"

    def _installer(self) -> Container:
        """A container beside this one in which nothing but the installer runs: it alone has the index and what was downloaded."""
        assert self._network is not None and self._environment is not None
        if self._fetching is None:
            mounts = [*self._network.mounts(), *self._python_mount(), *self._environment.mounts(installer=True)]
            with self._translate_errors():
                self._fetching = self._create(str(self._now), mounts)
                self._fetching.start()
                self._environment.bring_program(self._fetching)
                self._network.began(self._fetching)
        return self._fetching

    def begin_clean(self) -> None:
        """Replace the container by a new one from the same image; the environment, too, where commands could change it."""
        self._alive()
        if self._environment is None or not self._environment.is_kept:
            self.start()
            return
        self._remove_container()
        self._run_image(str(self._now))

    def stop(self) -> None:
        """Remove the container and an environment that is not kept; repeatable."""
        self._remove_container()
        if self._client is None:
            return
        if self._environment is not None:
            self._environment.close()
        self._environment = None
        if self._network is not None:
            self._network.close()
        self._client.close()
        self._client = self._network = None

    def pythons(self) -> tuple[Version, ...]:
        """The image's own, and those of this machine where the engine can mount them."""
        found = [interpreter.version for interpreter in find_interpreters()] if self._reach() != "none" else []
        return tuple(dict.fromkeys([self.python_version(), *found]))

    def python_version(self) -> Version:
        """The mounted interpreter's, else the image's."""
        if self._interpreter is not None:
            return self._interpreter.version
        if self._version is None:
            with ExitStack() as stack:
                client = self._client or stack.enter_context(closing(connect()))
                stack.enter_context(self._translate_errors())
                self._version = python_of(client, ensure_image(client, self.image))
        return self._version

    @property
    def base(self) -> str:
        """What its environments are built upon."""
        return self.image or image_name()

    def use_python(self, version: Version) -> None:
        """Take an interpreter of this machine, mounted read-only, from the next start on."""
        if version == self._version:
            self._interpreter = None  # the image's own
            return
        self._interpreter = pick_interpreter(version)
        if self._interpreter is None:
            raise SandboxUnavailableError(f"Python {version[0]}.{version[1]} is not installed on this machine")

    def install_system(self, packages: tuple[str, ...], seconds: float = SYSTEM_SECONDS) -> Response:
        """Go on in a container of an image with these Debian packages, which is made where there is none; workspace and home come along."""
        images = self._engine().images
        with self._translate_errors():
            base, present = images.get(str(self.image)), images.get(str(self._now)).labels.get(PACKAGES, "")
            names = sorted({*packages, *present.split(",")} - {""})
            marks = labels(self.policy.run_id, "setup") | {PACKAGES: ",".join(names)}
            image = f"{SETUPS}:{hashlib.sha256(repr((base.id, names)).encode()).hexdigest()[:24]}"
            done = Response(ended="exited", exit_code=0)
            if not self._has_image(image):
                done = install_packages(self._engine(), (str(self._now), image), packages, marks, seconds)
            if done.ok and image != self._now:
                self._move_to(image)
        return done

    def _move_to(self, image: str) -> None:
        """Replace the container by one of another image, in which workspace and home are the same."""
        before = self._alive()
        self._run_image(image)
        try:
            for folder in map(PurePosixPath, (WORKSPACE, HOME)):
                content, _ = before.get_archive(str(folder))
                self._alive().put_archive(str(folder.parent), content)
        finally:
            before.remove(force=True, v=True)

    def keep_setup(self, key: str, note: str) -> None:
        """As a volume, which outlives `stop`, and the name of the image where Debian packages came."""
        assert self._environment is not None
        self.run(Command(text=f'rm -rf "$VIRTUAL_ENV/{BUILD_FOLDER}"', timeout=120))
        with self._translate_errors():
            self._environment.keep(key, note, str(self._now) if self._now != self.image else "")
        self._remove_container()
        self._run_image(str(self._now))

    def start_with(self, key: str) -> str | None:
        """With such a volume, read-only."""
        client = self._connect()
        self.image = ensure_image(client, self.image)
        with self._translate_errors():
            found = Environments.kept(client, self.policy.run_id, key)
        if found is None or (found.image and not self._has_image(found.image)):
            self.stop()
            return None
        self._environment = found
        self._run_image(found.image or self.image)
        return found.note

    def forget_setup(self, key: str) -> None:
        """Remove the volume, once no container has it."""
        with closing(connect()) as client, self._translate_errors():
            Environments.forget(client, key)

    def _connect(self) -> docker.DockerClient:
        self.stop()
        self._client = connect()
        self._log_folder.mkdir(parents=True, exist_ok=True)
        return self._client

    def _run_image(self, image: str) -> None:
        client = self._engine()
        try:
            if self._network is None:
                self._network = ContainerNetwork(self.policy, client, image)
            assert self._environment is not None
            self._now = image
            mounts = [*self._network.mounts(gate=False), *self._python_mount(), *self._shown_mounts()]
            self._container = self._create(image, [*mounts, *self._environment.mounts()])
            self._container.start()
            if not self._environment.is_kept:
                self._environment.bring_program(self._container)
            self._network.began(self._container)
        except (DockerException, RequestException) as error:
            text = str(getattr(error, "explanation", "") or error)
            self.stop()
            if "could not select device driver" in text:
                text = "Docker has no driver for --gpus: install NVIDIA's container toolkit, or use --sandbox local"
            raise SandboxUnavailableError(f"the sandbox's container cannot be started: {text}") from error

    def _create(self, image: str, mounts: list[Mount]) -> Container:
        """Create a container; with a disk quota where the engine's storage has one."""
        create, options = self._engine().containers.create, {**self._options(), "mounts": mounts}
        if self.policy.limits.disk_bytes is not None:
            with suppress(APIError):
                return create(image, storage_opt={"size": str(self.policy.limits.disk_bytes)}, **options)
        return create(image, **options)

    def _options(self) -> dict[str, Any]:
        limits, network = self.policy.limits, self._network
        assert network is not None
        return {
            "command": ["sleep", "infinity"],
            "init": True,
            # the main process is root's without capabilities: the commands' user can be swept without ending it
            "user": "0:0",
            "working_dir": WORKSPACE,
            "labels": labels(self.policy.run_id, "sandbox"),
            "network_mode": network.mode,
            "mem_limit": limits.memory_bytes,
            "memswap_limit": limits.memory_bytes,
            "shm_size": min(SHARED_MEMORY, limits.memory_bytes // 2),
            "pids_limit": limits.pids,
            "nano_cpus": int(min(limits.cpus, self._about().get("NCPU") or 1) * 1e9),
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges"],
            "ulimits": _ulimits(limits),
            "device_requests": _gpus(self.policy.gpus),
        }

    def _shown_mounts(self) -> list[Mount]:
        if self._reach() != "any":
            return []
        shown = [Mount(str(path), str(path), type="bind", read_only=True) for path in self.policy.shown]
        return shown + [Mount(str(path), None, type="tmpfs", read_only=True) for path in self.policy.covered]

    def _store(self) -> Path | None:
        """The folder in which an engine of this machine keeps its containers."""
        folder = Path(self._about().get("DockerRootDir") or "/none")
        return folder if self._reach() == "any" and folder.is_dir() else None

    def _about(self) -> dict[str, Any]:
        """What the engine says of itself. Raises SandboxUnavailableError."""
        if self._told is None:
            try:
                self._told = dict(self._engine().info())
            except (DockerException, RequestException) as error:
                raise SandboxUnavailableError(f"the container engine does not answer: {error}") from error
        return self._told

    def _reach(self) -> Reach:
        """What of this machine the engine can mount."""
        if self._network is not None:
            return self._network.reach
        with ExitStack() as stack:
            client = self._client or stack.enter_context(closing(connect()))
            stack.enter_context(self._translate_errors())
            return reach_of(client, ensure_image(client, self.image))

    def _python_mount(self) -> list[Mount]:
        if self._interpreter is None:
            return []
        return [Mount(OWN_PYTHON, str(self._interpreter.prefix), type="bind", read_only=True)]

    def _make_environment(self) -> None:
        """Replace the image's environment by one of the mounted interpreter."""
        assert self._interpreter is not None
        program = f"{OWN_PYTHON}/bin/{self._interpreter.executable.name}"
        response = self.run(Command(text=f"{program} -m venv --clear {VENV}", timeout=120))
        if not response.ok:
            self.stop()
            raise SandboxUnavailableError(
                f"{self._interpreter.executable.name} does not work in the image: {response.why}"
            )

    def _has_image(self, name: str) -> bool:
        with self._translate_errors():
            try:
                self._engine().images.get(name)
            except ImageNotFound:
                return False
        return True

    def _log(self) -> Path:
        return self._log_folder / f"{next(self._logs):03d}-{time.strftime('%H%M%S')}.log"

    def _remove_container(self) -> None:
        for container in (self._container, self._fetching):
            if container is not None:
                with suppress(DockerException, RequestException):  # gone, or another clean-up has it in hand
                    container.remove(force=True, v=True)
        self._container = self._fetching = None

    def _engine(self) -> docker.DockerClient:
        if self._client is None:
            raise SandboxLostError("the sandbox is not running")
        return self._client

    def _alive(self) -> Container:
        if self._container is None:
            raise SandboxLostError("the sandbox is not running")
        return self._container

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Turn the engine's errors into ours."""
        try:
            yield
        except (DockerException, RequestException, HTTPError) as error:
            text = str(getattr(error, "explanation", "") or error)
            raise SandboxLostError(f"the container engine reports an error: {text}") from error


def _behind_relay(text: str) -> str:
    """The command behind a relay, which the image's own Python runs."""
    run = shlex.join(relayed("PYTHON", ("/bin/bash", "-c", text)))
    return f'exec "$({FIND_PYTHON})"{run.removeprefix("PYTHON")}'


def _ulimits(limits: Limits) -> list[Ulimit]:
    values = {"nofile": limits.open_files, "core": 0}
    if limits.disk_bytes is not None:
        values["fsize"] = limits.disk_bytes
    return [Ulimit(name=name, soft=value, hard=value) for name, value in values.items()]


def _gpus(gpus: str) -> list[DeviceRequest] | None:
    if gpus == "none":
        return None
    if gpus == "all":
        return [DeviceRequest(count=-1, capabilities=[["gpu"]])]
    return [DeviceRequest(device_ids=gpus.split(","), capabilities=[["gpu"]])]


CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETUID", "SETGID"]
"""What apt and dpkg need to change users and owners; everything else is dropped."""
KEPT = 4000
"""Characters of output kept."""

_INSTALL = (
    "apt-get update -qq && apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-unsafe-io "
    '-- "$@" && apt-get clean && rm -rf /var/lib/apt/lists/*'
)


def install_packages(
    client: docker.DockerClient,
    images: tuple[str, str],
    packages: tuple[str, ...],
    labels: dict[str, str],
    seconds: float,
) -> Response:
    """Install into the first of the images and keep the outcome as the second. Raises docker's errors; that it takes longer is a response."""
    image, result = images
    container = client.containers.create(
        image,
        ["/bin/bash", "-c", _INSTALL, "apt", *packages],
        user="0:0",
        network_mode="bridge",
        cap_drop=["ALL"],
        cap_add=CAPABILITIES,
        security_opt=["no-new-privileges"],
        environment={"DEBIAN_FRONTEND": "noninteractive", "PATH": PATHS},
        labels=labels,
    )
    try:
        container.start()
        try:
            code = int(container.wait(timeout=seconds)["StatusCode"])
        except (exceptions.ReadTimeout, exceptions.ConnectionError):  # before or after the answer has begun
            said = f"the system packages {' '.join(packages)} were not installed within {seconds:.0f} s"
            return Response(ended="timeout", exit_code=None, error_lines=(said,))
        out = container.logs(stdout=True, stderr=False, tail=200).decode("utf-8", "replace")[-KEPT:]
        err = container.logs(stdout=False, stderr=True, tail=200).decode("utf-8", "replace")[-KEPT:]
        if code == 0:
            repository, _, tag = result.partition(":")
            container.commit(
                repository=repository, tag=tag, pause=False, changes=[*label_lines(labels), 'CMD ["sleep", "infinity"]']
            )
        errors = tuple(line for line in err.splitlines() if line.startswith("E:"))
        return Response(ended="exited", exit_code=code, stdout=out, stderr=err, error_lines=errors)
    finally:
        container.remove(force=True, v=True)
