"""Sandboxes without a container engine: bubblewrap, and a plain process group as the last resort."""

import math
import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from ml_agent.sandbox import bubblewrap
from ml_agent.sandbox.contract import MOST_BYTES, SYSTEM_SECONDS, Command, OnOutput, Policy, Response, Version, too_long
from ml_agent.sandbox.environment import BUILD_FOLDER, HOME, HOST_FOLDERS, SETUPS, UV, VENV, WORKSPACE, base_environment
from ml_agent.sandbox.errors import SandboxLostError, SandboxUnavailableError
from ml_agent.sandbox.files import check_room, copy_tree
from ml_agent.sandbox.gate.way import GATE_INSIDE, gate_open, gate_variables, relayed
from ml_agent.sandbox.held_folder import held_folder
from ml_agent.sandbox.inner_path import safe_relative
from ml_agent.sandbox.interpreters import Interpreter, find_interpreters, pick_interpreter
from ml_agent.sandbox.local_place import (
    FETCH,
    GATE,
    NOTE_FILE,
    PARTS,
    VENV_FOLDER,
    downloads,
    forget,
    keep,
    kept,
    make_environment,
    make_parts,
    make_place,
    remove,
)
from ml_agent.sandbox.pip_settings import CERTIFICATE_NAMES, DEFAULT_BUNDLE, read_pip_settings
from ml_agent.sandbox.running_local import Launch, LocalRunning
from ml_agent.sandbox.supervise import supervise
from ml_agent.sandbox.uv_program import uv_program, uv_variables

NO_PYTHON = "no Python with the module venv was found (Debian: apt-get install python3-venv)"


class LocalSandbox:
    """What both kinds share: a folder of the host with workspace, virtual environment and home.

    Logs go to `log_folder`. Python is ML-Agent's base interpreter's version, never its environment's.
    """

    name = "local"
    isolated = False
    _portable = False
    """Whether an environment still works when its folder is moved."""

    def __init__(self, policy: Policy, log_folder: Path) -> None:
        self.policy = policy
        self._log_folder = log_folder
        self._python: Version | None = None
        self._place: Path | None = None
        self._interpreter: Interpreter | None = None
        self._made: Path | None = None
        """Folder of the environment."""
        self._is_kept = False
        """Whether no command may change it any more."""
        self._logs = count(1)
        self._user: int | None = None
        self._filtered = False

    def start(self) -> None:
        """Make the folder and the virtual environment. Raises SandboxUnavailableError."""
        self._place = self._new_place()
        assert self._interpreter is not None
        self._made, self._is_kept = make_environment(self._user), False
        program, venv = shlex.quote(str(self._interpreter.executable)), shlex.quote(self._paths()["venv"])
        self._prepare(f"{program} -m venv --without-pip {venv} && echo 'relocatable = true' >>{venv}/pyvenv.cfg")

    def put(self, source: Path, target: str) -> None:
        """Copy into the workspace; links that leave `source` are left out."""
        check_room(source, self.policy.limits.disk_bytes, self._alive())
        with held_folder(self._alive() / "workspace", self._user) as workspace:
            copy_tree(source, workspace, safe_relative(target))

    def get(self, path: str, most: int = MOST_BYTES) -> bytes:
        """The bytes of one file; FileNotFoundError for what is none, or lies outside the workspace."""
        with held_folder(self._alive() / "workspace") as workspace:
            return workspace.read(safe_relative(path), most, self._paths()["workspace"])

    def run(self, command: Command, on_output: OnOutput | None = None) -> Response:
        """Run one command to its end, its timeout or its probe. Raises SandboxLostError."""
        self._alive()
        if (refused := too_long(command)) is not None:
            return refused
        log = self._log_folder / f"{next(self._logs):03d}-{time.strftime('%H%M%S')}.log"
        with self._way_out(command):
            return supervise(LocalRunning(self._launch(command)), command, self.policy.limits, log, on_output)

    def begin_clean(self) -> None:
        """Make the parts anew; an environment that commands could change, too, where it is one that can be made again."""
        if self._portable and not self._is_kept:
            self.start()
        else:
            make_parts(self._alive(), self._user)

    def stop(self) -> None:
        """Remove the folder, and an environment that is not kept; repeatable."""
        if self._place is not None:
            remove(self._place)
        if self._made is not None and self._made.name.startswith("new-"):
            remove(self._made)
        self._place = self._made = None

    @property
    def base(self) -> str:
        """The interpreter itself."""
        found = self._interpreter or pick_interpreter(self._python)
        return str(found.executable) if found else ""

    def pythons(self) -> tuple[Version, ...]:
        """The interpreters of this machine."""
        return tuple(interpreter.version for interpreter in find_interpreters())

    def python_version(self) -> Version:
        """The base interpreter's, or the one that was asked for."""
        found = self._interpreter or pick_interpreter(self._python)
        if found is None:
            raise SandboxUnavailableError(NO_PYTHON)
        return found.version

    def use_python(self, version: Version) -> None:
        """Take another interpreter of this machine from the next start on."""
        if pick_interpreter(version) is None:
            raise SandboxUnavailableError(f"Python {version[0]}.{version[1]} is not installed on this machine")
        self._python, self._interpreter = version, None

    def install_system(self, packages: tuple[str, ...], seconds: float = SYSTEM_SECONDS) -> Response:
        """Not here: the system is the host's."""
        said = f"system packages need Docker: {' '.join(packages)}"
        return Response(ended="exited", exit_code=1, stderr=said + "\n", error_lines=(said,))

    def keep_setup(self, key: str, note: str) -> None:
        """As a folder beside the sandboxes; for later runs only where commands find it under the same path again."""
        place = self._alive()
        assert self._made is not None
        with suppress(OSError):  # there is none, or it goes with the place, which nobody waits for
            (self._made / VENV_FOLDER / BUILD_FOLDER).rename(place / BUILD_FOLDER)
        if self._portable:
            self._made, self._is_kept = keep(self._made, key, note), True
        make_parts(place, self._user)

    def start_with(self, key: str) -> str | None:
        """With such a folder, read-only."""
        found = kept(key) if self._portable else None
        if found is None:
            return None
        self._place = self._new_place()
        self._made, self._is_kept = found, True
        return (found / NOTE_FILE).read_text()

    def forget_setup(self, key: str) -> None:
        """Remove the folder."""
        forget(key)

    def _new_place(self) -> Path:
        self.stop()
        self._interpreter = pick_interpreter(self._python)
        if self._interpreter is None:
            raise SandboxUnavailableError(NO_PYTHON)
        self._log_folder.mkdir(parents=True, exist_ok=True)
        self._user = self._pick_user()
        place = make_place(self.policy.run_id, self.name, self._user)
        self._filtered = bubblewrap.write_system(place, self._user)
        return place

    def _pick_user(self) -> int | None:
        """Whom commands run as; None: as we do."""
        return None

    @contextmanager
    def _way_out(self, command: Command) -> Iterator[None]:
        """What a command's network needs on the host while it runs."""
        yield

    def _paths(self) -> Mapping[str, str]:
        """Where commands find the parts."""
        raise NotImplementedError

    def _launch(self, command: Command) -> Launch:
        raise NotImplementedError

    def _installer(self) -> str:
        """Where commands find the installer's program while an environment is made."""
        return f"{UV}/uv"

    def _installs_into(self, venv: str) -> dict[str, str]:
        """What a step of the installer is told of the environment."""
        assert self._interpreter is not None
        return {"VIRTUAL_ENV": venv, "ML_AGENT_PYTHON": str(self._interpreter.executable)}

    def _environment(self, command: Command, host: Mapping[str, str]) -> dict[str, str]:
        """The whole environment of a command; `host` is what the phase adds."""
        paths = self._paths()
        base = base_environment(paths["venv"], paths["home"], math.ceil(self.policy.limits.cpus))
        installer = {} if self._is_kept else {"ML_AGENT_UV": self._installer()}
        return {**base, **installer, **host, **command.environment}

    def _prepare(self, text: str) -> None:
        """Run one of our own commands while making the place."""
        command = Command(text=text, timeout=120)
        log = self._alive() / "prepare.log"
        response = supervise(LocalRunning(self._launch(command)), command, self.policy.limits, log)
        if not response.ok:
            self.stop()
            raise SandboxUnavailableError(f"a virtual environment cannot be made here: {response.why}")

    def _alive(self) -> Path:
        if self._place is None or not (self._place / "workspace").is_dir():
            raise SandboxLostError("the sandbox is not running")
        return self._place


class BubblewrapSandbox(LocalSandbox):
    """Commands see an empty system with the host's programs read-only, and no network but while installing."""

    name = "bubblewrap"
    isolated = True
    _portable = True

    def start(self) -> None:
        """Make the folder and the virtual environment. Raises SandboxUnavailableError."""
        if bubblewrap.find_bubblewrap() is None:
            raise SandboxUnavailableError(
                f"bubblewrap does not work here ({bubblewrap.why_not()}): install it (Debian: apt-get install bubblewrap)"
            )
        super().start()

    def _paths(self) -> Mapping[str, str]:
        return {"workspace": WORKSPACE, "venv": VENV, "home": HOME}

    def _launch(self, command: Command) -> Launch:
        place, program = self._alive(), bubblewrap.find_bubblewrap()
        assert program is not None and self._interpreter is not None and self._made is not None
        read_only, host = self._host(command) if self.policy.gives_network(command) else ({}, {})
        (writable, more), prefix = self._parts(command), self._interpreter.prefix
        view = bubblewrap.View(
            place=place,
            writable=writable,
            # the interpreter's folder, where the read-only system does not show it already
            read_only=({} if prefix.is_relative_to("/usr") else {str(prefix): prefix}) | more | read_only,
            shown=() if command.install else self.policy.shown,
            covered=() if command.install else self.policy.covered,
            network=self.policy.network == "full",
            devices=_devices(self.policy.gpus),
            user=self._user,
            filtered=self._filtered,
            memory_disk_bytes=self.policy.limits.memory_disk_bytes,
        )
        run: tuple[str, ...] = ("/bin/bash", "-c", command.text)
        if self.policy.gives_index(command):
            run = relayed(str(self._interpreter.executable), run)
        folder = HOME if command.install else f"{WORKSPACE}/{safe_relative(command.folder)}"
        return Launch(
            arguments=bubblewrap.arguments(program, view, folder, self._environment(command, host), run),
            folder="/",
            environment={},
            timeout=command.timeout,
            limits=self.policy.limits,
            workspace=place / "workspace",
            counted=() if self._is_kept else (self._made,),
            files={bubblewrap.FILTER: place / "etc/filter"} if self._filtered else {},
        )

    def _parts(self, command: Command) -> tuple[dict[str, Path], dict[str, Path]]:
        """What of the place and the environment a command may change, and what it may only read.

        A step of the installer sees the environment that is being made and the downloads, and no workspace and no home.
        """
        place, made = self._alive(), self._made
        assert made is not None
        if command.install:
            cache = downloads(self._user)
            own = {HOME: place / FETCH, "/tmp": place / FETCH, f"{SETUPS}/{cache.name}": cache}
            return own | {f"{SETUPS}/{made.name}/{VENV_FOLDER}": made / VENV_FOLDER}, {f"{UV}/uv": uv_program()}
        own = {WORKSPACE: place / "workspace", HOME: place / "home", "/tmp": place / "tmp"}
        venv = {VENV: made / VENV_FOLDER}
        return (own, venv) if self._is_kept else (own | venv, {f"{UV}/uv": uv_program()})

    def _pick_user(self) -> int | None:
        """As root, somebody whom nothing of this host belongs to."""
        return bubblewrap.other_user()

    @contextmanager
    def _way_out(self, command: Command) -> Iterator[None]:
        if not self.policy.gives_index(command):
            yield
            return
        with gate_open(self._alive() / GATE, read_pip_settings()):
            yield

    def _host(self, command: Command) -> tuple[dict[str, Path], dict[str, str]]:
        """What of the host a command with a network sees: its files by where they appear, and variables."""
        settings, files, variables = read_pip_settings(), dict[str, Path](), dict[str, str]()
        if settings.certificates:
            files[str(DEFAULT_BUNDLE)] = settings.certificates.resolve()
            variables |= dict.fromkeys(CERTIFICATE_NAMES, str(DEFAULT_BUNDLE))
        if command.install:
            inside = {folder: f"{HOST_FOLDERS}/{n}" for n, folder in enumerate(settings.folders())}
            files |= {name: folder for folder, name in inside.items()}
            variables |= settings.environment(lambda folder: inside[folder])
            variables |= uv_variables(settings, lambda folder: inside[folder], f"{SETUPS}/{downloads(self._user).name}")
            variables |= self._installs_into(f"{SETUPS}/{self._made.name}/{VENV_FOLDER}" if self._made else VENV)
        if self.policy.gives_index(command):
            files[GATE_INSIDE] = self._alive() / GATE
            variables |= gate_variables()
        return files, variables


class ProcessSandbox(LocalSandbox):
    """No isolation at all: only limits, an environment of its own, and no process left behind."""

    name = "process"

    def _installer(self) -> str:
        return str(uv_program())

    def _paths(self) -> Mapping[str, str]:
        place = self._alive()
        venv = {"venv": str(self._made / VENV_FOLDER)} if self._made is not None else {}
        return {part: str(place / part) for part in PARTS} | venv

    def _launch(self, command: Command) -> Launch:
        place, host = self._alive(), dict[str, str]()
        if self.policy.gives_network(command):
            settings = read_pip_settings()
            if command.install:
                host |= settings.environment(str)
                host |= uv_variables(settings, str, str(downloads(self._user)), str(uv_program()))
                host |= self._installs_into(self._paths()["venv"])
            if settings.certificates:
                host |= dict.fromkeys(CERTIFICATE_NAMES, str(settings.certificates))
        environment = self._environment(command, host) | {"TMPDIR": str(place / "tmp")}
        return Launch(
            arguments=("/bin/bash", "-c", command.text),
            folder=str(place / "workspace" / safe_relative(command.folder).pure),
            environment=environment,
            timeout=command.timeout,
            limits=self.policy.limits,
            workspace=place / "workspace",
        )


def _devices(gpus: str) -> tuple[Path, ...]:
    """Device files of the wanted NVIDIA cards."""
    if gpus == "none":
        return ()
    names = [*_cards(gpus), "nvidiactl", "nvidia-uvm*", "nvidia-modeset"]
    return tuple(path for name in names for path in Path("/dev").glob(name))


def has_cards(gpus: str) -> bool:
    """Whether this machine has each of the wanted NVIDIA GPUs, or any where all are wanted."""
    return all(any(Path("/dev").glob(name)) for name in _cards(gpus))


def _cards(gpus: str) -> list[str]:
    """Patterns of device files: "all", or numbers with commas between."""
    return ["nvidia[0-9]*"] if gpus == "all" else [f"nvidia{number.strip()}" for number in gpus.split(",")]
