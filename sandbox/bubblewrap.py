"""The bubblewrap command line: a bare system with nothing of the host's but programs and libraries, read-only."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec

from ml_agent.sandbox.seccomp import filter_program

_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "mime.types", "nsswitch.conf")
_NETWORK_SETTINGS = ("resolv.conf", "hosts", "services", "protocols", "ssl/openssl.cnf", "gai.conf")
_USERS = "agent:x:{0}:{0}::/home/agent:/bin/bash\nroot:x:0:0::/root:/bin/bash\n"
_GROUPS = "agent:x:{0}:\nroot:x:0:\n"


USER = 64321
"""Whom commands run as when we are root: a number that nobody has, so nothing on this host is theirs."""
FILTER = 9
"""Descriptor on which bubblewrap finds the system call filter."""
SETPRIV = "/usr/bin/setpriv"
_TRIES = 3
"""Of a probe: a mount that goes away meanwhile, or a busy machine, is not taken for a kernel that forbids it."""
_COVERED = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs")
"""What only ownership protects: read-only also where the sandbox's user is the host's."""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What a command sees."""

    place: Path
    """Folder of the host with `workspace`, `home`, `tmp` and `etc` in it; `etc` is nobody's to change."""
    writable: Mapping[str, Path] = {}
    """Folders of the host that a command may change, by where they appear."""
    read_only: Mapping[str, Path] = {}
    """Further folders and files of the host, by where they appear."""
    shown: tuple[Path, ...] = ()
    """Files and folders of the host that appear where they are; read-only."""
    covered: tuple[Path, ...] = ()
    """Folders below those that appear empty."""
    network: bool = False
    devices: tuple[Path, ...] = ()
    """Device files, for GPUs."""
    user: int | None = None
    """Whom commands run as, where we are root; None: as we do, by another number."""
    filtered: bool = True
    """Whether the filter stands ready on its descriptor."""
    memory_disk_bytes: int = 1024**3
    """Size of each file system in memory."""


@cache
def find_bubblewrap() -> str | None:
    """Its path where it is installed and this kernel lets it work, else None."""
    return None if why_not() else shutil.which("bwrap")


@cache
def why_not() -> str | None:
    """Why bubblewrap does not work here: what it says itself, or that it is not installed; None where it works."""
    program = shutil.which("bwrap")
    if program is None:
        return "not installed"
    return _trouble([program, *_namespaces(network=False, user=None), *_programs(), "true"])


@cache
def forbids_namespaces(program: str) -> bool:
    """Whether it can keep commands from making user namespaces of their own (bubblewrap 0.8)."""
    return not _trouble([program, *_namespaces(network=False, user=None), "--disable-userns", *_programs(), "true"])


@cache
def other_user() -> int | None:
    """As root, whom commands run as; None where we are not root, or root may not make the namespaces itself.

    A user namespace of root's alone would map the command's user to root, whom the files of /proc and the host belong to.
    """
    program = shutil.which("bwrap")
    if os.geteuid() != 0 or program is None or not Path(SETPRIV).exists():
        return None
    test = [program, *_namespaces(network=False, user=USER), *_programs(), *_become(USER), "true"]
    return None if _trouble(test) else USER


def _trouble(command: list[str]) -> str | None:
    """What keeps a short command from ending well here, asked up to three times; None where nothing does."""
    said = ""
    for _ in range(_TRIES):
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, env={})
        except (OSError, subprocess.SubprocessError) as error:
            said = str(error)
            continue
        if done.returncode == 0:
            return None
        said = " ".join(done.stderr.decode(errors="replace").split()) or f"exit code {done.returncode}"
    return said


def write_system(place: Path, user: int | None) -> bool:
    """Write the user table that commands see and the filter of their system calls; whether there is a filter."""
    (place / "etc").mkdir(exist_ok=True)
    (place / "etc/passwd").write_text(_USERS.format(1000 if user is None else user))
    (place / "etc/group").write_text(_GROUPS.format(1000 if user is None else user))
    program = filter_program()
    if program is not None:
        (place / "etc/filter").write_bytes(program)
    return program is not None


def arguments(
    program: str, view: View, folder: str, environment: Mapping[str, str], command: tuple[str, ...]
) -> tuple[str, ...]:
    """The whole command line that runs `command` in `folder`, an absolute path inside."""
    line = [
        program,
        *_namespaces(view.network, view.user),
        "--die-with-parent",
        "--new-session",
        "--clearenv",
        *(["--disable-userns"] if view.user is None and forbids_namespaces(program) else []),
        *(["--seccomp", str(FILTER)] if view.filtered else []),
    ]
    line += _system(view)
    for name, path in view.read_only.items():
        line += [*folders_above(name), "--ro-bind", str(path), name]
    for device in view.devices:
        line += ["--dev-bind-try", str(device), str(device)]
    for inside, path in view.writable.items():
        line += [*folders_above(inside), "--bind", str(path), inside]
    for path in view.shown:
        line += [*folders_above(str(path)), "--ro-bind", str(path), str(path)]
    for path in view.covered:
        line += ["--tmpfs", str(path), "--remount-ro", str(path)]
    line += ["--remount-ro", "/", "--remount-ro", "/dev"]
    for name, value in environment.items():
        line += ["--setenv", name, value]
    if view.user is None:
        return (*line, "--chdir", folder, "--", *command)
    # root without capabilities may not enter what is the other user's
    return (*line, "--chdir", "/", "--", *_become(view.user), "/usr/bin/env", "-C", folder, *command)


def system_folders(names: Iterable[str]) -> list[str]:
    """Options that show these folders of the system, as far as there are any, read-only; links stay links."""
    line: list[str] = []
    for name in names:
        path = Path(name)
        if path.is_symlink():
            line += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            line += ["--ro-bind", name, name]
    return line


def folders_above(name: str) -> list[str]:
    """Options that make the folders above a place, which bubblewrap would make for itself alone."""
    parents = [str(parent) for parent in reversed(Path(name).parents[:-1])]
    return [word for parent in parents for word in ("--perms", "0755", "--dir", parent)]


def _namespaces(network: bool, user: int | None) -> list[str]:
    """Namespaces and capabilities: none at all, or those that are needed to become another user and give them up."""
    line = ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox"]
    line += [] if network else ["--unshare-net"]
    line += ["--cap-drop", "ALL"]
    if user is None:
        return [*line, "--unshare-user", "--uid", "1000", "--gid", "1000"]
    return [*line, *(word for name in ("SETUID", "SETGID", "SETPCAP") for word in ("--cap-add", f"CAP_{name}"))]


def _become(user: int) -> list[str]:
    drop = ["--clear-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]
    return [SETPRIV, "--reuid", str(user), "--regid", str(user), *drop, "--"]


def _programs() -> list[str]:
    return [*system_folders(("/usr", *_SYSTEM)), "--proc", "/proc", "--dev", "/dev"]


def _system(view: View) -> list[str]:
    line = _programs()
    for covered in filter(os.path.exists, _COVERED):
        line += ["--ro-bind", covered, covered]
    line += [*folders_above("/etc/ssl/certs/any"), *folders_above("/var/tmp")]
    for empty in ("/dev/shm", "/run", "/var/tmp", "/root", "/home"):
        line += ["--perms", "1777", "--size", str(view.memory_disk_bytes), "--tmpfs", empty]
    for name in ("passwd", "group"):
        line += ["--ro-bind", str(view.place / "etc" / name), f"/etc/{name}"]
    return line + _try_each("/etc", [*_SETTINGS, *(_NETWORK_SETTINGS if view.network else ())])


def _try_each(folder: str, names: Iterable[str]) -> list[str]:
    line = []
    for name in names:
        path = Path(folder, name).resolve()  # resolv.conf is often a link into /run, which is empty inside
        line += ["--ro-bind-try", str(path), f"{folder}/{name}"]
    return line
