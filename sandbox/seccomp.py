"""A system call filter for local sandboxes: classic BPF, allowed but for what a program that computes never needs.

What it refuses are doors to other kernel code: mounts and namespaces, keys, modules, tracing of the kernel, other machines'
clocks, and typing into a terminal. Refused calls fail with EPERM, newer ones with ENOSYS so that libraries fall back.
"""

import errno
import platform
import struct
from collections.abc import Mapping

LOAD, JUMP_EQUAL, JUMP_SET, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000
NUMBER, ARCHITECTURE, FIRST, SECOND = 0, 4, 16, 24
"""Offsets in what the kernel gives to the filter; of an argument its lower half."""
CLONE_NEWUSER = 0x10000000
TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX."""
X32 = 0x40000000
"""Calls of x86-64's third kind have this bit; nothing uses them."""

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_COMMON = {
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "clone3": 435, "mount_setattr": 442, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
}  # fmt: skip
"""Newer calls have one number everywhere."""
_OLDER = {
    "x86_64": {
        "ptrace": 101, "syslog": 103, "personality": 135, "uselib": 134, "pivot_root": 155, "chroot": 161, "acct": 163,
        "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169,
        "sethostname": 170, "setdomainname": 171, "iopl": 172, "ioperm": 173, "init_module": 175, "delete_module": 176,
        "quotactl": 179, "lookup_dcookie": 212, "clock_settime": 227, "kexec_load": 246, "add_key": 248,
        "request_key": 249, "keyctl": 250, "unshare": 272, "perf_event_open": 298, "name_to_handle_at": 303,
        "open_by_handle_at": 304, "clock_adjtime": 305, "setns": 308, "process_vm_readv": 310,
        "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "kexec_file_load": 320, "bpf": 321,
        "userfaultfd": 323,
    },
    "aarch64": {
        "lookup_dcookie": 18, "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "quotactl": 60, "acct": 89,
        "personality": 92, "unshare": 97, "kexec_load": 104, "init_module": 105, "delete_module": 106,
        "clock_settime": 112, "syslog": 116, "ptrace": 117, "reboot": 142, "sethostname": 161, "setdomainname": 162,
        "settimeofday": 170, "add_key": 217, "request_key": 218, "keyctl": 219, "swapon": 224, "swapoff": 225,
        "perf_event_open": 241, "name_to_handle_at": 264, "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268,
        "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "bpf": 280,
        "userfaultfd": 282, "kexec_file_load": 294,
    },
}  # fmt: skip
_SPECIAL = {"x86_64": {"clone": 56, "ioctl": 16}, "aarch64": {"clone": 220, "ioctl": 29}}


def filter_program(machine: str = "") -> bytes | None:
    """The filter for a kind of machine (`uname -m`; empty: this one); None where we have no table for it."""
    machine = machine or platform.machine()
    if machine not in _ARCHITECTURES:
        return None
    denied, missing = ERROR | errno.EPERM, ERROR | errno.ENOSYS
    code = [
        (LOAD, 0, 0, ARCHITECTURE), (JUMP_EQUAL, 1, 0, _ARCHITECTURES[machine]), (RETURN, 0, 0, denied),
        (LOAD, 0, 0, NUMBER), (JUMP_AT_LEAST, 0, 1, X32), (RETURN, 0, 0, denied),
    ]  # fmt: skip
    for number in _COMMON.values():
        code += _refuse(number, missing)
    for number in _OLDER[machine].values():
        code += _refuse(number, denied)
    code += _special(_SPECIAL[machine], denied)
    return b"".join(struct.pack("=HBBI", *line) for line in [*code, (RETURN, 0, 0, ALLOW)])


def _refuse(number: int, answer: int) -> list[tuple[int, int, int, int]]:
    return [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, answer)]


def _special(numbers: Mapping[str, int], denied: int) -> list[tuple[int, int, int, int]]:
    """No new user namespace, and nothing typed into a terminal."""
    typing = [line for request in TERMINAL_INPUT for line in _refuse(request, denied)]
    return [
        (JUMP_EQUAL, 0, 4, numbers["clone"]),
        (LOAD, 0, 0, FIRST),
        (JUMP_SET, 0, 1, CLONE_NEWUSER),
        (RETURN, 0, 0, denied),
        (RETURN, 0, 0, ALLOW),
        (JUMP_EQUAL, 0, len(typing) + 1, numbers["ioctl"]),
        (LOAD, 0, 0, SECOND),
        *typing,
    ]
