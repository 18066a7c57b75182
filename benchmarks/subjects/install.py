"""Virtual environments of other agents, made on demand and used where they are."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.kept_rows import read_kept
from ml_agent.benchmarks.subjects.model import Say
from ml_agent.files import write_atomically
from ml_agent.sandbox.interpreters import Interpreter, find_interpreters
from ml_agent.tools.work_tree import WorkTree, is_work_tree

MARK = "installed.json"
LOG = "install.log"
INSTALL_SECONDS = 1800.0
NO_CHECKOUT = "{} is not in the package index: name a checkout of it (--from DIR)"
_KEPT = re.compile(r"PIP_|SSL_CERT|REQUESTS_CA|CURL_CA|(HTTPS?|NO|https?|no)_(PROXY|proxy)$|(PATH|HOME|LANG|TMPDIR)$")
_WORTH_SAYING = re.compile(r"^(Collecting|Downloading|Building wheel|Installing collected)\b")


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
    commit: str = ""
    """Of the checkout, where it was installed from one."""

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
    same = needs.source is None or found.commit == _commit(needs.source)
    return found if whole and same and found.folder == home / name else None


def install(home: Path, name: str, needs: Needs, say: Say) -> Installed:
    """Make the environment `home`/`name`, or return the one that is there.

    Raises AgentMissingError with one line: no fitting Python, or pip's own reason and the path of its log.
    """
    interpreter = pick_interpreter(name, needs.pythons)
    folder = home.absolute() / name
    folder.mkdir(parents=True, exist_ok=True)
    with _lock(folder / ".lock"):
        found = find(home.absolute(), name, needs)
        if found is not None:
            return found
        if needs.wants_source and needs.source is None:
            raise AgentMissingError(NO_CHECKOUT.format(name))
        (folder / MARK).unlink(missing_ok=True)
        version = _build(folder, needs, interpreter, say)
        done = Installed(
            folder=folder,
            version=version,
            python=".".join(map(str, interpreter.version)),
            prefix=interpreter.prefix,
            fingerprint=fingerprint(needs),
            commit=_commit(needs.source),
        )
        write_atomically(folder / MARK, msgspec.json.encode(done, enc_hook=str).decode())
    say(f"{name} {version} is ready in {folder}")
    return done


def pick_interpreter(name: str, versions: tuple[tuple[int, int], ...]) -> Interpreter:
    """The first of the versions that this machine has; AgentMissingError where it has none of them."""
    here = {interpreter.version: interpreter for interpreter in find_interpreters()}
    for version in versions:
        if version in here:
            return here[version]
    wanted = " or ".join(".".join(map(str, version)) for version in versions)
    raise AgentMissingError(f"{name} cannot run here: it needs Python {wanted} with venv, and none was found")


def hindrance(name: str, needs: Needs) -> str:
    """Why it cannot be installed here, as far as a look tells; empty where nothing is in the way."""
    try:
        pick_interpreter(name, needs.pythons)
    except AgentMissingError as error:
        return str(error)
    return NO_CHECKOUT.format(name) if needs.wants_source and needs.source is None else ""


def fingerprint(needs: Needs) -> str:
    """Changes with everything that an environment is made of."""
    text = json.dumps([needs.requirements, needs.check])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _build(folder: Path, needs: Needs, interpreter: Interpreter, say: Say) -> str:
    log = folder / LOG
    log.write_text("")
    for part in ("venv", "source"):
        shutil.rmtree(folder / part, ignore_errors=True)
    requirements = list(needs.requirements)
    if needs.source is not None:
        requirements += ["-e", str(_copy_source(needs.source, folder / "source"))]
    say(f"making an environment with Python {'.'.join(map(str, interpreter.version))}")
    bare = [] if requirements else ["--without-pip"]
    _run([str(interpreter.executable), "-m", "venv", *bare, str(folder / "venv")], log, say)
    python = str(folder / "venv/bin/python")
    if requirements:
        say(f"installing {' '.join(requirements)} (a minute or two; log {log})")
        _run([python, "-m", "pip", "install", "--no-input", "--progress-bar", "off", *requirements], log, say)
    said = _run([python, "-c", needs.check], log, say)
    return said.strip().splitlines()[-1]


def _run(arguments: list[str], log: Path, say: Say) -> str:
    """Run one step with its output in the log; AgentMissingError with its last words where it fails."""
    environment = {name: value for name, value in os.environ.items() if _KEPT.match(name)}
    began, said = log.stat().st_size, ""
    with log.open("ab") as out:
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
    deadline = time.monotonic() + INSTALL_SECONDS
    try:
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
            said = _say_last(log, said, say)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=60)
    with log.open("rb") as written:
        written.seek(began)
        text = written.read().decode("utf-8", "replace")
    if process.returncode != 0:
        raise AgentMissingError(f"installation failed: {_reason(text)} (log: {log})")
    return text


def _say_last(log: Path, before: str, say: Say) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 2000))
        lines = file.read().decode("utf-8", "replace").splitlines()
    now = next((line.strip() for line in reversed(lines) if _WORTH_SAYING.match(line.strip())), before)
    if now != before:
        say(now[:120])
    return now


def _reason(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR") or re.match(r"\w*(Error|Exception)\b", line)]
    return (errors or lines or ["no output"])[-1][:300]


def _copy_source(source: Path, target: Path) -> Path:
    if not (source / "pyproject.toml").is_file():
        raise AgentMissingError(f"{source}: no checkout of the agent there (pyproject.toml is missing)")
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(".git", "__pycache__"), symlinks=True)
    return target


def _commit(source: Path | None) -> str:
    """The commit of a checkout, else its path."""
    if source is None:
        return ""
    return (WorkTree(source).head if is_work_tree(source) else "") or str(source)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold the lock file; a second process that installs the same waits."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
