"""The run folder: made, found, locked, listed, deleted. Only a folder that this user made here is found."""

import hashlib
import hmac
import json
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ml_agent.errors import ConfigurationError, RunLockedError, UsageError, exit_code_for
from ml_agent.files import locked, read_small, write_atomically
from ml_agent.sandbox.temporary import remove
from ml_agent.settings import Settings
from ml_agent.tools.atomic import remove_unfinished
from ml_agent.tools.bounded import open_bytes
from ml_agent.tools.content_cache import warn_of_cache
from ml_agent.tools.errors import RepositoryError, UnreachableError
from ml_agent.tools.own_cache import own_cache
from ml_agent.tools.walk import CHECKPOINTS, TRAJECTORY
from ml_agent.trajectory import read_trajectory

CONFIG, RESULT, LOCK = "config.json", "run.json", ".lock"
PATCH = "changes.patch"
"""What the run changed in text files of the repository."""
STAGED = ".source-"
"""Begins the names of folders for a sandbox."""
_OUTPUTS = ".outputs-"
"""Begins the names of folders of what single executions made."""
FORMAT = 3
"""Of the run folder; another one's is refused."""
MOST_JSON = 64 * 1024 * 1024


_held: list["RunFolder"] = []
"""Runs that this process holds or held last."""
_MOST_HELD = 100


class RunFolder:
    """One run's files."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def id(self) -> str:
        """The folder's name."""
        return self.path.name

    @property
    def trajectory(self) -> Path:
        """One event a line."""
        return self.path / TRAJECTORY

    @property
    def checkpoints(self) -> Path:
        """SQLite file of the state after every node."""
        return self.path / CHECKPOINTS

    @property
    def logs(self) -> Path:
        """Full logs of what ran in the sandbox."""
        return self.path / "logs"

    @property
    def outputs(self) -> Path:
        """Files that the proven command made."""
        return self.path / "outputs"

    def new_outputs(self) -> Path:
        """A new folder for what one execution made; none gets the files of another."""
        return self.path / f"{_OUTPUTS}{secrets.token_hex(4)}"

    def publish_outputs(self, name: str) -> None:
        """Make what one execution made the run's outputs, and remove what others made; "" keeps none."""
        own = self.path / name
        if name.startswith(_OUTPUTS) and own.is_dir():
            remove(self.outputs)
            own.rename(self.outputs)
        for other in self.path.glob(f"{_OUTPUTS}*"):
            remove(other)

    def config(self) -> dict[str, Any]:
        """What the run was started with."""
        return _read_json(self.path / CONFIG)

    def write_config(self, config: dict[str, Any]) -> None:
        """Keep what the run is started with, under this user's mark."""
        self.write_json(CONFIG, sealed({"format": FORMAT, "made": secrets.token_hex(16), **config, "id": self.id}))

    def result(self) -> dict[str, Any] | None:
        """The result, or None while the run is unfinished."""
        path = self.path / RESULT
        found = _read_json(path) if path.exists() else None
        return {name: value for name, value in found.items() if name != SEAL} if found is not None else None

    def write_result(self, result: dict[str, Any]) -> None:
        """Keep the result, under this user's mark for this very run."""
        self.write_json(RESULT, sealed(result, self.made))

    @property
    def made(self) -> str:
        """What no other run has: its result and its states are marked with it, and its config ties it to its id and its job."""
        return str(self.config().get("made", ""))

    @property
    def has_draft(self) -> bool:
        """Whether the run got as far as a draft: from then on it holds what cost something to come by."""
        return any(event.get("event") == "draft" for event in read_trajectory(self.trajectory))

    def write_json(self, name: str, content: dict[str, Any]) -> None:
        """Write one JSON file atomically."""
        write_atomically(self.path / name, json.dumps(content, indent=2, ensure_ascii=False) + "\n")

    @property
    def was_cut(self) -> bool:
        """Whether the last process that worked on it was killed: then nobody closed its file of states."""
        return self.path.joinpath(f"{CHECKPOINTS}-wal").exists()

    def remove_staged(self) -> None:
        """Remove what was laid ready for a sandbox, also by a process that was killed; only whoever holds the run may."""
        for staged in self.path.glob(f"{STAGED}*"):
            shutil.rmtree(staged, ignore_errors=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the run for this process; RunLockedError where another one has it."""
        with ExitStack() as stack:
            try:
                stack.enter_context(locked(self.path / LOCK))
            except BlockingIOError as error:
                raise RunLockedError(
                    f"the run {self.id} is in use by another process: wait until that has ended"
                ) from error
            _held[:] = [*_held[1 - _MOST_HELD :], self]
            yield


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_small(path, MOST_JSON))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"the run's file {path} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise UsageError(f"{path} is not a file that a run wrote")
    return content


def new_run(runs_dir: Path, out: Path | None, config: dict[str, Any]) -> RunFolder:
    """Make a run folder: `out` itself where given (it must be empty or new), else a fresh one below `runs_dir`."""
    path = out or runs_dir / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
    remove_unfinished(path)  # of a start that was killed before it had a config
    _check_empty(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        folder = RunFolder(path.resolve())
        with locked(folder.path / LOCK):
            _check_empty(path)  # another start may have been quicker
            folder.write_config(config)
            folder.logs.mkdir()
            for file in (folder.trajectory, folder.checkpoints):  # from now on it is known as a run
                file.touch()
    except BlockingIOError as error:
        raise UsageError(f"{path} is used by another run: choose another --out") from error
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written ({error.strerror}): choose another --out") from error
    return folder


def _check_empty(path: Path) -> None:
    """UsageError for a folder in which there is something, what is none, and one of somebody else's, who could exchange what is in it."""
    if not path.exists():
        return
    if path.stat().st_uid != os.geteuid() or not path.is_dir() or any(one.name != LOCK for one in path.iterdir()):
        raise UsageError(f"{path} exists and is not an empty folder of yours: choose another --out")


@contextmanager
def discarded_on_bad_input(folder: RunFolder) -> Iterator[None]:
    """Leave no run folder behind where the user's words, settings or repository were off and no draft was written: there is nothing to resume."""
    try:
        yield
    except Exception as error:  # it is raised again
        off = exit_code_for(error) in (UsageError.exit_code, ConfigurationError.exit_code)
        no_such = isinstance(error, RepositoryError) and not isinstance(error, UnreachableError)
        if (off or no_such) and not folder.has_draft:
            shutil.rmtree(folder.path)
        raise


def unfinished() -> list[RunFolder]:
    """The runs that this process worked on, newest last, which have no result: they can be gone on with."""
    return [folder for folder in _held if is_run(str(folder.path)) and not (folder.path / RESULT).exists()]


def find_run(runs_dir: Path, name: str) -> RunFolder:
    """A run by its folder, its id or a unique beginning of its id; UsageError for one that this user did not make here."""
    if is_run(name):
        return _own(RunFolder(Path(name).resolve()))
    hits = [folder for folder in list_runs(runs_dir) if folder.id.startswith(name)] if name else []
    if len(hits) != 1:
        problem = f"several runs have an id that begins with {name!r}" if hits else f"run {name!r} is not known"
        raise UsageError(f"{problem}: `ml-agent runs list` shows all runs")
    return hits[0]


def is_run(name: str) -> bool:
    """Whether this is the path of a run's folder; no name is too long or too odd to ask."""
    return os.path.isfile(os.path.join(name, CONFIG))  # noqa: PTH113, PTH118 - a Path raises where this says no


def list_runs(runs_dir: Path) -> list[RunFolder]:
    """All runs of this user's below a folder, oldest first."""
    if not runs_dir.is_dir():
        return []
    there = [RunFolder(path.resolve()) for path in sorted(runs_dir.iterdir()) if (path / CONFIG).exists()]
    return [folder for folder in there if is_own(folder)]


def _own(folder: RunFolder) -> RunFolder:
    config, result = folder.config(), folder.path / RESULT
    own = is_sealed(config)
    if own and config.get("format") != FORMAT:
        raise UsageError(f"{folder.path} was made by another version of ML-Agent; start the run again")
    own = own and config.get("id") == folder.id and (not result.exists() or is_sealed(_read_json(result), folder.made))
    if not own:
        raise UsageError(
            f"{folder.path} is not a run made by you on this machine, or renamed or changed since: start the task again"
        )
    return folder


def is_own(folder: RunFolder) -> bool:
    """Whether this user made the run here, and its config and its result are as they were."""
    try:
        return bool(_own(folder))
    except UsageError:
        return False


def delete_run(folder: RunFolder) -> None:
    """Remove a run's folder; RunLockedError while it is being worked on."""
    with folder.locked():
        shutil.rmtree(folder.path)


SEAL = "seal"
_KEY_FILE = "run.key"
_BYTES = 32


def sealed(content: dict[str, Any], run: str = "") -> dict[str, Any]:
    """The content with this user's mark, for the run of that name; without one, and so not to be resumed, where no key can be kept."""
    mark = signature(_plain(content), run)
    return {**content, SEAL: mark} if mark else content


def is_sealed(content: dict[str, Any], run: str = "") -> bool:
    """Whether this user made the content here, for the run of that name, and nobody changed it since."""
    mark = signature(_plain(content), run, make=False)
    return bool(mark) and hmac.compare_digest(str(content.get(SEAL, "")).encode(), mark.encode())


def signature(data: bytes, run: str = "", *, make: bool = True) -> str:
    """This user's mark of some bytes of a run; "" where there is no key, or none can be kept: such a run is not resumed."""
    try:
        key = _key(make=make)
    except OSError as error:
        if make:
            warn_of_cache(error)
        return ""
    return hmac.new(key, run.encode() + b"\n" + data, hashlib.sha256).hexdigest()


def _plain(content: dict[str, Any]) -> bytes:
    return json.dumps({name: value for name, value in content.items() if name != SEAL}, sort_keys=True).encode()


def _key(*, make: bool) -> bytes:
    """This user's key; OSError where there is none, or none can be made."""
    path = own_cache() / _KEY_FILE
    if make and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f"{_KEY_FILE}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(_BYTES))
        try:
            os.link(temporary, path)  # the first of several processes makes it
        except FileExistsError:
            pass
        finally:
            temporary.unlink()
    try:
        key = read_small(path, 4 * _BYTES).strip().encode()
    except UnicodeDecodeError:
        key = b""
    if path.stat().st_uid != os.geteuid():
        raise OSError(f"{path} belongs to another user and is not used")
    if len(key) < _BYTES:
        raise OSError(f"the key file {path} is damaged: remove it")
    return key


# Where runs are: those made with `--out` lie anywhere, so each run's folder is noted when it is made.

INDEX = "runs.txt"
MOST_BYTES = 4 * 1024**2
MOST = 10_000
"""Lines that are looked at, newest last."""


def note_run(settings: Settings, folder: RunFolder) -> None:
    """Remember a run's folder; where the cache cannot be written the run goes on without."""
    path = settings.cache_dir / INDEX
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
        with os.fdopen(handle, "wb") as file:
            file.write(os.fsencode(f"{folder.path}\n"))
    except OSError:
        return  # only the list of runs is poorer for it


def known_runs(settings: Settings) -> list[RunFolder]:
    """All runs that are still there: below the runs folder and elsewhere, oldest first."""
    there = [RunFolder(path) for path in _noted_folders(settings) if is_run(str(path))]
    noted = [folder for folder in there if is_own(folder)]
    found = {run.path: run for run in [*list_runs(settings.runs_dir), *noted]}
    return sorted(found.values(), key=lambda run: (run.path / CONFIG).stat().st_mtime)


def known_run(settings: Settings, name: str) -> RunFolder:
    """A run by its folder, its id or a unique beginning of its id, wherever it lies. UsageError where there is none."""
    hits = [run for run in known_runs(settings) if name and run.id.startswith(name)]
    exact = [run for run in hits if run.id == name]
    if len(exact or hits) == 1 and not is_run(name):
        return (exact or hits)[0]
    if len(hits) > 1 and not is_run(name):
        raise UsageError(f"several runs have an id that begins with {name!r}: `ml-agent runs list` shows all runs")
    return find_run(settings.runs_dir, name)


def _noted_folders(settings: Settings) -> list[Path]:
    """The folders that were noted; lines that name none, after damage to the file, count for nothing."""
    try:
        with open_bytes(settings.cache_dir / INDEX, sys.maxsize) as file:
            file.seek(max(file.seek(0, os.SEEK_END) - MOST_BYTES, 0))
            lines = file.read(MOST_BYTES).split(b"\n")[-MOST:]
    except OSError:
        return []
    return [Path(os.fsdecode(line)) for line in lines if line.startswith(b"/") and b"\0" not in line]
