"""Keeps a program short and lets it go on: nothing is written, waited for or started, but for what the answer's own code starts."""

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

from .record import SEEN
from .unknown import ABSENT, Unknown, caller

STARTED_SECONDS = 60.0
"""How long a program that an answer's code starts may run."""
SILENCED: tuple[tuple[Any, str], ...] = (
    (os, "mkdir makedirs remove unlink rmdir removedirs rename replace chmod chown symlink link truncate"),
    (shutil, "rmtree move copy copy2 copyfile copytree"),
    (time, "sleep"),
    (pathlib.Path, "mkdir touch unlink rmdir rename write_text write_bytes"),
    (threading.Thread, "start join"),
)
PROBES: tuple[tuple[Any, str], ...] = (
    (os.path, "exists isfile isdir lexists"),
    (glob, "glob iglob"),
    (pathlib.Path, "exists is_file is_dir"),
)


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
    for module, names in PROBES:
        for name in names.split():
            setattr(module, name, _probing(getattr(module, name)))
    for module, names in SILENCED:
        for name in names.split():
            setattr(module, name, _nothing)
    # nothing is installed here: a distribution that is asked for has some version
    vars(importlib.metadata)["version"] = lambda *_name, **_named: "99.0.0"
    _Processes(subprocess.Popen).install()


def _nothing(*_args: Any, **_settings: Any) -> None:
    """What stands in for a function that changes files or waits."""


def _asked_by_answer() -> bool:
    """Whether of all code but that of libraries the answer's stands nearest."""
    scope, frame = SEEN.scope, sys._getframe(1)
    while scope is not None and frame.f_back is not None and not scope.has(frame.f_code.co_filename):
        frame = frame.f_back
    return scope is not None and bool(scope.answer) and frame.f_code.co_filename == scope.answer


def _probing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a test for a file; the caller that hears "no" is remembered, but not where it asks for a bare word: that is a name."""

    def probe(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        if not found and set(str(args[0] if args else "/")) & set("/.*"):
            ABSENT.add(caller().f_code)
        return found

    return probe


def _opening(function: Callable[..., Any], answer: str) -> Any:
    """Wrap `open`: writing goes nowhere; the answer's own missing data files are unknown, so that the rest of it still runs."""

    def opening(file: Any, mode: Any = "r", *args: Any, **kwargs: Any) -> Any:
        if isinstance(file, Unknown):
            return Unknown("file")
        if isinstance(mode, str) and not isinstance(file, int) and set(mode) & set("wax+"):
            return io.BytesIO() if "b" in mode else io.StringIO()
        try:
            return function(file, mode, *args, **kwargs)
        except OSError:
            if answer and caller().f_code.co_filename == answer:
                return Unknown("file")
            ABSENT.add(caller().f_code)
            raise

    return opening


class _Processes:
    """Stands in the place of all that starts a program.

    What the answer's own code starts goes through a shell, where it is seen as if the answer's shell had started it. Programs that a
    repository's code would start are not started.
    """

    def __init__(self, popen: Any) -> None:
        self._popen = popen

    def install(self) -> None:
        """Replace the functions."""
        done = subprocess.CompletedProcess("", 0, "", "")
        results = {"run": done, "call": 0, "check_call": 0, "check_output": Unknown("output")}
        for name, result in results.items():
            setattr(subprocess, name, self._starting(result))
        for name in ("getoutput", "getstatusoutput"):
            setattr(subprocess, name, self._starting(Unknown("output"), shell=True))
        subprocess.Popen = _Popen(self._starting(Unknown("subprocess.Popen()")))  # type: ignore[misc, assignment]
        os.system = self._starting(0, shell=True)
        os.popen = self._starting(Unknown("output"), shell=True)
        for name in ("execv", "execvp", "execve", "execvpe"):
            setattr(os, name, self._replace)
        os.fork = _no_fork

    def _starting(self, result: Any, *, shell: bool = False) -> Callable[..., Any]:
        def start(command: Any = (), *args: Any, **settings: Any) -> Any:
            self._start(command, **({"shell": shell} | settings))
            return result

        return start

    def _replace(self, file: Any, words: Any, *args: Any) -> None:
        self._start([file, *list(words)[1:]])
        raise SystemExit(0)

    def _start(self, command: Any, **settings: Any) -> None:
        """Start a program of the answer and wait for it; nothing that it says comes back."""
        words = [command] if isinstance(command, (str, os.PathLike)) else list(command)
        if not _asked_by_answer() or any(isinstance(word, Unknown) for word in words):
            return
        plain = [os.fspath(word).replace(sys.executable, "python") for word in words]
        text = ["bash", "-c", plain[0]] if settings.get("shell") else ["bash", "-c", '"$@"', "bash", *plain]
        kept = {name: settings[name] for name in ("cwd", "env") if settings.get(name) is not None}
        if "env" in kept:
            kept["env"] = {
                **kept["env"],
                **{n: v for n, v in os.environ.items() if n.startswith(("BENCH_", "BASH_ENV", "PATH"))},
            }
        try:
            self._popen(text, stdin=subprocess.DEVNULL, **kept).wait(STARTED_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Outside(str(error)) from error


def _no_fork() -> int:
    raise Outside("os.fork")


class _Popen(Unknown):
    """Stands for the class that starts a program: what it gives is unknown, as is whatever inherits from it."""

    def __init__(self, start: Callable[..., Any]) -> None:
        super().__init__("subprocess.Popen")
        vars(self)["_start"] = start

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return vars(self)["_start"](*args, **kwargs)
