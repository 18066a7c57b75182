"""Keeps a program short and lets it go on: nothing is written, waited for or started.

Functions of the standard library are replaced before the program begins. Isolation is bubblewrap's matter; here a program only shall not stop
for want of a file, a folder or another program. Functions that heard of a missing file are remembered (`ABSENT`): what fails in them proves nothing.
"""

import builtins
import ctypes
import glob
import importlib.metadata
import io
import os
import pathlib
import shutil
import site
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

from .unknown import ABSENT, Unknown, caller

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


def complete() -> None:
    """Give programs what the bare interpreter lacks: `help`, `exit` and C libraries."""
    site.sethelper()
    site.setquit()
    ctypes.CDLL = ctypes.PyDLL = Unknown("a library of C")  # type: ignore[assignment, misc]


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
    _start_nothing()


def _nothing(*_args: Any, **_settings: Any) -> None:
    """What stands in for a function that changes files or waits."""


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


def _start_nothing() -> None:
    """Let no program be started: what the caller hears is what a program that ended well would leave."""
    results = {"run": subprocess.CompletedProcess("", 0, "", ""), "call": 0, "check_call": 0}
    results |= dict.fromkeys(("check_output", "getoutput", "getstatusoutput"), Unknown("output"))
    for name, result in results.items():
        setattr(subprocess, name, _giving(result))
    subprocess.Popen = Unknown("subprocess.Popen")  # type: ignore[misc, assignment]
    instead: dict[str, Callable[..., Any]] = {
        "system": _giving(0),
        "popen": _giving(Unknown("output")),
        "fork": _no_fork,
    }
    instead |= dict.fromkeys(("execv", "execvp", "execve", "execvpe"), _leave)
    for name, function in instead.items():
        setattr(os, name, function)


def _giving(result: Any) -> Callable[..., Any]:
    return lambda *_args, **_settings: result


def _leave(*_args: Any) -> None:
    raise SystemExit(0)


def _no_fork() -> int:
    raise OSError("a program that is scored may not start other processes")
