"""Keeps the program harmless and short: nothing is written, started, waited for or connected to."""

import builtins
import ctypes
import dataclasses
import glob
import importlib.metadata
import io
import os
import pathlib
import shutil
import site
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from . import damage
from .unknown import ABSENT, Unknown, caller

FORBIDDEN = ("subprocess.Popen", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.system", "os.kill", "socket.connect",
             "socket.bind", "ctypes.dlopen", "pty.spawn")  # fmt: skip


STARTED_SECONDS = 60.0
"""How long a program that an answer's code starts may run."""


class Outside(Exception):
    """The program needs something that only the real environment has."""


def complete() -> None:
    """Give programs what the bare interpreter lacks: `help` and `exit`, C libraries, and objects of dataclasses as defaults of fields.

    Python 3.11 forbids the last, and programs of the time before it must still load.
    """
    site.sethelper()
    site.setquit()
    ctypes.CDLL = ctypes.PyDLL = Unknown("a library of C")  # type: ignore[assignment, misc]
    module: Any = dataclasses
    make = module._process_class

    def made(*args: Any, **kwargs: Any) -> Any:
        cls = make(*args, **kwargs)
        if cls.__hash__ is None:
            cls.__hash__ = object.__hash__
        return cls

    module._process_class = made


def install(answer: str) -> None:
    """Replace what must not happen, and remember what was not found; `answer` is the file of the answer's own code, or ""."""
    builtins.open = io.open = _opening(builtins.open, answer)
    os.listdir = _listing(os.listdir, answer)
    os.scandir = _listing(os.scandir, answer)
    probes: tuple[tuple[Any, str], ...] = (
        (os.path, "exists isfile isdir lexists"),
        (glob, "glob iglob"),
        (pathlib.Path, "exists is_file is_dir"),
    )
    for module, names in probes:
        for name in names.split():
            setattr(module, name, _probing(getattr(module, name)))
    silenced: tuple[tuple[Any, str], ...] = (
        (os, "mkdir makedirs remove unlink rmdir removedirs rename replace chmod chown symlink link truncate"),
        (shutil, "rmtree move copy copy2 copyfile copytree"),
        (time, "sleep"),
        (pathlib.Path, "mkdir touch unlink rmdir rename write_text write_bytes"),
        (threading.Thread, "start join"),
    )
    for module, names in silenced:
        for name in names.split():
            setattr(module, name, damage.silenced(name))
    importlib.metadata.version = _version(importlib.metadata.version)
    start = _Starter(subprocess.Popen) if answer and answer != os.environ.get("STRICT_ANSWER") else None
    _no_processes()
    if start is not None:
        start.install()
    sys.addaudithook(_refuse)


class _Starter:
    """Starts what code of a shell answer starts (`python -c "import subprocess; …"`), through a shell: it is judged as if the answer's had started it."""

    at_work = False

    def __init__(self, popen: Any) -> None:
        self._popen = popen

    def install(self) -> None:
        """Stand in the place of all that starts a program and whose end can be waited for."""
        os.system = self.system  # type: ignore[assignment]
        os.popen = self.shell_unknown  # type: ignore[assignment]
        for name in ("execv", "execvp", "execve", "execvpe"):
            setattr(os, name, self.replace)
        for name in ("call", "check_call"):
            setattr(subprocess, name, self.call)
        for name in ("getoutput", "getstatusoutput"):
            setattr(subprocess, name, self.shell_unknown)
        for name, function in {"run": self.run, "check_output": self.unknown, "Popen": _Popen(self.call)}.items():
            setattr(subprocess, name, function)

    def call(self, command: Any, *args: Any, **settings: Any) -> int:
        """Start a program and wait for it; nothing that it says comes back."""
        kept = {name: settings[name] for name in ("shell", "cwd", "env") if name in settings}
        words = [command] if isinstance(command, (str, os.PathLike)) else list(command)
        if any(isinstance(word, Unknown) for word in words):
            return 0
        plain = [os.fspath(word).replace(sys.executable, "python") for word in words]
        shell = ["bash", "-c", plain[0]] if kept.pop("shell", False) else ["bash", "-c", '"$@"', "bash", *plain]
        _Starter.at_work = True
        try:
            self._popen(shell, stdin=subprocess.DEVNULL, **kept).wait(STARTED_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Outside(str(error)) from error
        finally:
            _Starter.at_work = False
        return 0

    def run(self, command: Any, *args: Any, **settings: Any) -> Any:
        """As `subprocess.run`."""
        return subprocess.CompletedProcess(command, self.call(command, **settings), "", "")

    def system(self, command: str) -> int:
        """As `os.system`."""
        return self.call(command, shell=True)

    def unknown(self, command: Any, *args: Any, **settings: Any) -> Any:
        """As `subprocess.check_output`; what it says is not known."""
        self.call(command, **settings)
        return Unknown("output")

    def shell_unknown(self, command: str, *args: Any, **settings: Any) -> Any:
        """As `os.popen` and `subprocess.getoutput`."""
        return self.unknown(command, shell=True)

    def replace(self, file: Any, words: Any, *args: Any) -> None:
        """As `os.execvp`."""
        self.call([file, *list(words)[1:]])
        raise SystemExit(0)


def _record_absence() -> None:
    ABSENT.add(caller().f_code)


def _probing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a test for a file; the caller that hears "no" is remembered, but not where it asks for a bare word: that is a name."""

    def probe(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        if not found and set(str(args[0] if args else "/")) & set("/.*"):
            _record_absence()
        return found

    return probe


def _opening(function: Callable[..., Any], answer: str) -> Any:
    """Wrap `open`: writing goes nowhere; the answer's own missing data files are unknown, so that the rest of it still runs."""

    def opening(file: Any, mode: Any = "r", *args: Any, **kwargs: Any) -> Any:
        if isinstance(file, Unknown):
            return Unknown("file")
        if isinstance(mode, str) and not isinstance(file, int) and set(mode) & set("wax+"):
            damage.note([file])
            return io.BytesIO() if "b" in mode else io.StringIO()
        try:
            return function(file, mode, *args, **kwargs)
        except OSError:
            if answer and caller().f_code.co_filename == answer:
                return Unknown("file")
            _record_absence()
            raise

    return opening


def _listing(function: Callable[..., Any], answer: str) -> Any:
    def listing(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except OSError:
            if answer and caller().f_code.co_filename == answer:
                return Unknown("files")
            raise

    return listing


def _version(function: Callable[[str], str]) -> Any:
    """Nothing is installed here: a distribution that is asked for has some version."""

    def version(name: str) -> str:
        try:
            return function(name)
        except importlib.metadata.PackageNotFoundError:
            return "99.0.0"

    return version


class _Popen(Unknown):
    """Stands for the class that starts a program: what it gives is unknown, as is whatever inherits from it."""

    def __init__(self, start: Callable[..., Any]) -> None:
        super().__init__("subprocess.Popen")
        vars(self)["_start"] = start

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        vars(self)["_start"](*args, **kwargs)
        return Unknown("subprocess.Popen()")


def _no_processes() -> None:
    results: dict[str, Any] = {
        "run": subprocess.CompletedProcess([], 0, "", ""),
        "call": 0,
        "check_call": 0,
        "check_output": Unknown("output"),
        "getoutput": Unknown("output"),
    }
    for name, value in results.items():
        setattr(subprocess, name, damage.not_started(value))
    subprocess.Popen = _Popen(damage.not_started(None))  # type: ignore[misc, assignment]
    os.system = damage.not_started(None)
    os.popen = damage.not_started(Unknown("output"))


def _refuse(event: str, args: tuple[Any, ...]) -> None:
    if _Starter.at_work:
        return
    if event in FORBIDDEN:
        raise Outside(event)
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT
    if event == "open" and isinstance(args[2], int) and args[2] & writing and args[0] != os.devnull:
        raise Outside(f"writing {args[0]}")
