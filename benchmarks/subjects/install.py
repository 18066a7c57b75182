"""Virtual environments of other agents, made on demand and used where they are.

`Needs` says what an agent's environment is made of, `install` makes it under the folder of agents with uv, `find` gives it where it is whole and of
just these needs (`installed.json` is written last). Sandboxes show it read-only under its own path, so it is never moved.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.results import read_kept
from ml_agent.benchmarks.subjects.model import Say
from ml_agent.files import write_atomically
from ml_agent.sandbox.interpreters import Interpreter, pick_interpreter
from ml_agent.sandbox.pip_settings import read_pip_settings
from ml_agent.sandbox.uv_program import uv_program, uv_variables
from ml_agent.settings import load_settings

MARK = "installed.json"
LOG = "install.log"
INSTALL_SECONDS = 1800.0
_KEPT = re.compile(r"SSL_CERT|REQUESTS_CA|CURL_CA|(HTTPS?|NO|https?|no)_(PROXY|proxy)$|(PATH|HOME|LANG|TMPDIR)$")


class Needs(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent's environment is made of."""

    requirements: tuple[str, ...]
    """As pip takes them; the first one is the agent itself, pinned."""
    pythons: tuple[tuple[int, int], ...]
    """Versions that it runs on, the preferred one first."""
    check: str
    """Python code that prints the agent's version; it fails where the installation is no good."""
    source: Path | None = None
    """A checkout that is copied beside the environment and installed in place."""
    wants_source: bool = False
    """Whether it cannot be installed without one."""


class Installed(msgspec.Struct, frozen=True, kw_only=True):
    """An environment that is ready."""

    folder: Path
    version: str
    python: str
    """Version of the interpreter, such as 3.12."""
    prefix: Path
    """Folder of the interpreter that the environment was made with."""
    fingerprint: str

    @property
    def venv(self) -> Path:
        """The environment."""
        return self.folder / "venv"

    @property
    def source(self) -> Path:
        """The copy of the checkout, where it was installed from one."""
        return self.folder / "source"

    def mounts(self) -> tuple[Path, ...]:
        """Folders that a sandbox must show, read-only and under their own names."""
        folders = [self.venv, *([self.source] if self.source.is_dir() else [])]
        return tuple(folders if self.prefix.is_relative_to("/usr") else [*folders, self.prefix])


def find(home: Path, name: str, needs: Needs) -> Installed | None:
    """What is installed under `home`; None where it is missing, unfinished or of other requirements."""
    found = read_kept(home / name / MARK, Installed)
    if found is None:
        return None
    whole = found.fingerprint == fingerprint(needs) and (found.venv / "bin/python").exists()
    return found if whole and found.folder == home / name else None


def install(home: Path, name: str, needs: Needs, say: Say) -> Installed:
    """Make the environment `home`/`name`, or return the one that is there; from a checkout it is made anew.

    Raises AgentMissingError with one line: no fitting Python, or pip's own reason and the path of its log.
    """
    interpreter = pick_python(name, needs.pythons)
    folder = home.absolute() / name
    folder.mkdir(parents=True, exist_ok=True)
    with _lock(folder / ".lock"):
        found = find(home.absolute(), name, needs)
        if found is not None and needs.source is None:
            return found
        if needs.wants_source and needs.source is None:
            raise AgentMissingError(f"{name} is not in the package index: give a checkout of it with --from DIR")
        (folder / MARK).unlink(missing_ok=True)
        version = _build(folder, needs, interpreter, say)
        done = Installed(
            folder=folder,
            version=version,
            python=".".join(map(str, interpreter.version)),
            prefix=interpreter.prefix,
            fingerprint=fingerprint(needs),
        )
        write_atomically(folder / MARK, msgspec.json.encode(done, enc_hook=str).decode())
    say(f"{name} {version} is ready in {folder}")
    return done


def pick_python(name: str, versions: tuple[tuple[int, int], ...]) -> Interpreter:
    """The first of the versions that this machine has; AgentMissingError where it has none of them."""
    found = next((one for version in versions if (one := pick_interpreter(version)) is not None), None)
    if found is None:
        wanted = " or ".join(".".join(map(str, version)) for version in versions)
        raise AgentMissingError(f"{name} needs Python {wanted} with venv, which is not installed on this machine")
    return found


def fingerprint(needs: Needs) -> str:
    """Changes with everything that an environment is made of."""
    text = json.dumps([needs.requirements, needs.check])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _build(folder: Path, needs: Needs, interpreter: Interpreter, say: Say) -> str:
    """Make the environment; returns the agent's version."""
    log = folder / LOG
    log.write_text("")
    for part in ("venv", "source"):
        shutil.rmtree(folder / part, ignore_errors=True)
    requirements = list(needs.requirements)
    if needs.source is not None:
        requirements += ["-e", str(_copy_source(needs.source, folder / "source"))]
    say(f"making an environment with Python {'.'.join(map(str, interpreter.version))}")
    _run(["uv", "venv", "--python", str(interpreter.executable), str(folder / "venv")], log)
    python = str(folder / "venv/bin/python")
    if requirements:
        say(f"installing {' '.join(requirements)} (a minute or two; log {log})")
        _run(["uv", "pip", "install", "--python", python, *requirements], log)
    return _run([python, "-c", needs.check], log).strip().splitlines()[-1]


def _run(arguments: list[str], log: Path) -> str:
    """Run one step with its output in the log; AgentMissingError with its last words where it fails."""
    program = str(uv_program())
    settings = read_pip_settings()
    kept = {name: value for name, value in os.environ.items() if _KEPT.match(name)}
    variables = uv_variables(settings, str, str(load_settings().cache_dir / "agents-uv"), program)
    environment = {**variables, **settings.environment(str), **kept}
    words = [program if word == "uv" else word for word in arguments]
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            errors="replace",
            env=environment,
            timeout=INSTALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise AgentMissingError(f"the installation took more than {INSTALL_SECONDS:g} s (log: {log})") from error
    with log.open("a", encoding="utf-8") as out:
        out.write(done.stdout + done.stderr)
    if done.returncode != 0:
        raise AgentMissingError(f"the installation failed: {_reason(done.stdout + done.stderr)} (log: {log})")
    return done.stdout


def _reason(text: str) -> str:
    """The last line of a traceback, else what uv says of its error, which goes over several lines."""
    lines = [line.strip(" │╰─▶×╭") for line in text.splitlines() if line.strip()]
    last = next((line for line in reversed(lines) if re.match(r"\w*(Error|Exception)\b", line)), "")
    first = next((number for number, line in enumerate(lines) if line.startswith("error")), -1)
    return (last or " ".join(lines[first:]) or "no output")[:300]


def _copy_source(source: Path, target: Path) -> Path:
    if not (source / "pyproject.toml").is_file():
        raise AgentMissingError(
            f"{source} has no pyproject.toml: give the root folder of the source code of the agent that is installed"
        )
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(".git", "__pycache__"), symlinks=True)
    return target


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold the lock file; a second process that installs the same waits."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
