"""Keeps a script that runs under stubs from changing anything: limits, harmless file functions, and an audit hook behind them."""

# Foreign code may raise anything, and pathlib would call the functions that are replaced here.

import builtins
import ctypes
import io
import os
import resource
import shutil
import sys
import time
import urllib.request

from stubrun.stubs import Stub

FORBIDDEN = [
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.chmod",
    "os.chown",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.system",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.kill",
    "shutil.rmtree",
    "shutil.move",
    "subprocess.Popen",
    "socket.connect",
    "socket.bind",
    "socket.sendto",
    "ctypes.dlopen",
    "pty.spawn",
]
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
MEGABYTE = 1 << 20


def limit(seconds):
    """Bound processor time (seconds), memory and file size of this process."""
    for what, value in (
        (resource.RLIMIT_CPU, int(seconds) + 2),
        (resource.RLIMIT_AS, 2048 * MEGABYTE),
        (resource.RLIMIT_FSIZE, MEGABYTE),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(what, (value, hard))


def _nothing(*args, **kwargs):
    return None


def _open(file, mode="r", *args, **kwargs):
    if isinstance(file, int) or not set(mode) & set("wax+"):
        return _real_open(file, mode, *args, **kwargs)
    return io.BytesIO() if "b" in mode else io.StringIO()


_real_open = builtins.open


def pretend():
    """Replace the functions that change files or wait by ones that do nothing."""
    builtins.open = io.open = _open
    for module, names in (
        (os, "mkdir makedirs remove unlink rmdir removedirs rename replace chmod chown symlink link system truncate"),
        (shutil, "rmtree move copy copy2 copyfile copytree"),
        (time, "sleep"),
    ):
        for name in names.split():
            setattr(module, name, _nothing)
    ctypes.CDLL = ctypes.PyDLL = ctypes.cdll.LoadLibrary = lambda name=None, *args, **kwargs: Stub("library")
    urllib.request.urlopen = urllib.request.urlretrieve = _nothing


def forbid():
    """Refuse what is left: writing, processes, connections. An audit hook cannot be taken out again."""

    def hook(event, args):
        if event in FORBIDDEN:
            raise PermissionError(event + " is not allowed here")
        writing = event == "open" and isinstance(args[2], int) and args[2] & WRITING
        if writing and args[0] != os.devnull:
            raise PermissionError("writing is not allowed here: " + str(args[0]))

    sys.addaudithook(hook)
