"""The bubblewrap command line: a bare system with nothing of the host's but programs and libraries, read-only."""

import shutil
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec

WORKSPACE = "/workspace"
VENV = "/opt/venv"
HOME = "/home/agent"
HOST_FOLDERS = "/mnt/host"
"""Below it, folders of the host's package index, numbered."""
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"

_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "mime.types", "nsswitch.conf")
_NETWORK_SETTINGS = ("resolv.conf", "hosts", "services", "protocols", "ssl/openssl.cnf", "gai.conf")
_USERS = "agent:x:1000:1000::/home/agent:/bin/bash\nroot:x:0:0::/root:/bin/bash\n"
_GROUPS = "agent:x:1000:\nroot:x:0:\n"


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What a command sees."""

    place: Path
    """Folder of the host with `workspace`, `venv`, `home` and `etc` in it."""
    read_only: Mapping[str, Path] = {}
    """Further folders and files of the host, by where they appear."""
    network: bool = False
    devices: tuple[Path, ...] = ()
    """Device files, for graphics cards."""


@cache
def find_bubblewrap() -> str | None:
    """Its path where it is installed and this kernel lets it work, else None."""
    program = shutil.which("bwrap")
    if program is None:
        return None
    try:
        test = [program, *_namespaces(network=False), "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
        subprocess.run(test, check=True, capture_output=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return program


def write_users(place: Path) -> None:
    """Write the user table that commands see."""
    (place / "etc").mkdir(exist_ok=True)
    (place / "etc/passwd").write_text(_USERS)
    (place / "etc/group").write_text(_GROUPS)


def arguments(program: str, view: View, folder: str, environment: Mapping[str, str], command: str) -> tuple[str, ...]:
    """The whole command line that runs `command` by bash in `folder`, an absolute path inside."""
    line = [
        program,
        *_namespaces(view.network),
        "--die-with-parent",
        "--new-session",
        "--cap-drop",
        "ALL",
        "--clearenv",
    ]
    line += _system(view)
    for name, path in view.read_only.items():
        line += ["--ro-bind", str(path), name]
    for device in view.devices:
        line += ["--dev-bind-try", str(device), str(device)]
    for inside, name in ((WORKSPACE, "workspace"), (VENV, "venv"), (HOME, "home")):
        line += ["--bind", str(view.place / name), inside]
    line += ["--remount-ro", "/"]
    for name, value in environment.items():
        line += ["--setenv", name, value]
    return (*line, "--chdir", folder, "--", "bash", "-c", command)


def _namespaces(network: bool) -> list[str]:
    own = ["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
    return [*own, *([] if network else ["--unshare-net"]), "--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]


def _system(view: View) -> list[str]:
    line = ["--ro-bind", "/usr", "/usr"]
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            line += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            line += ["--ro-bind", name, name]
    line += ["--proc", "/proc", "--dev", "/dev"]
    for empty in ("/tmp", "/run", "/var/tmp", "/root", "/home"):
        line += ["--tmpfs", empty]
    for name in ("passwd", "group"):
        line += ["--ro-bind", str(view.place / "etc" / name), f"/etc/{name}"]
    return line + _try_each("/etc", [*_SETTINGS, *(_NETWORK_SETTINGS if view.network else ())])


def _try_each(folder: str, names: Iterable[str]) -> list[str]:
    line = []
    for name in names:
        path = Path(folder, name).resolve()  # resolv.conf is often a link into /run, which is empty inside
        line += ["--ro-bind-try", str(path), f"{folder}/{name}"]
    return line
