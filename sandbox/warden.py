"""Runs one command on this host and leaves no process of it behind. A program of its own, standard library only.

Started as `python -I -S warden.py CONTROL STATUS SPEC` with two file descriptors and what to run as JSON: on CONTROL come
single letters (i, t, k) for signals; its end of file means that ML-Agent is gone. On STATUS goes one line of JSON when
everything has ended. Being the child subreaper, it sees every descendant, also those that left their session.
"""

# It starts with every command: without pathlib that takes half the time.
# ruff: noqa: PTH123, PTH118, PTH208

import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from typing import Any

SAMPLE_SECONDS = 0.1
KILL_AFTER = 2.0
PR_SET_CHILD_SUBREAPER = 36
SWEEP_SECONDS = 10.0
HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SIGNALS = {"i": signal.SIGINT, "t": signal.SIGTERM, "k": signal.SIGKILL}


def descendants(root: int) -> list[int]:
    """Process ids of all children, their children, and so on."""
    found: list[int] = []
    todo = [root]
    while todo:
        pid = todo.pop()
        try:
            threads = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue
        for thread in threads:
            try:
                with open(f"/proc/{pid}/task/{thread}/children") as file:
                    children = [int(word) for word in file.read().split()]
            except OSError:
                continue
            found += children
            todo += children
    return found


def read(path: str) -> str:
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def resident(pids: list[int], limit: int | None) -> int:
    """Bytes in memory; what processes share is counted once when the simple sum is over the limit."""
    page = os.sysconf("SC_PAGE_SIZE")
    total = 0
    for pid in pids:
        words = read(f"/proc/{pid}/statm").split()
        total += int(words[1]) * page if len(words) > 1 else 0
    if not limit or total <= limit:
        return total
    total = 0
    for pid in pids:
        for line in read(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total


def processor_seconds(pids: list[int]) -> float:
    """Processor time of living processes and of the children they have waited for."""
    tick = os.sysconf("SC_CLK_TCK")
    total = 0
    for pid in pids:
        words = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
        total += sum(int(word) for word in words[11:15])
    return total / tick


def kill(pids: list[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


class Warden:
    """One command from its start until no process of it is left."""

    def __init__(self, spec: dict[str, Any], control: int) -> None:
        self.spec, self.control = spec, control
        self.deadline = time.monotonic() + spec["timeout"]
        self.kill_at: float | None = None
        self.peak = 0
        self.note = ""
        self.timed_out = self.out_of_memory = False
        self.exit_status: int | None = None
        self.child = self.end = 0

    def run(self) -> None:
        self.child = self.start()
        self.end = os.pidfd_open(self.child)
        while self.exit_status is None:
            self.reap()
            if self.exit_status is None:
                self.listen()
                self.sample()
        self.sweep()

    def start(self) -> int:
        pid = os.fork()
        if pid:
            return pid
        try:
            os.setsid()
            for number in (*HANDLED, signal.SIGPIPE):  # Python ignores the last, so that `yes | head` would never end
                signal.signal(number, signal.SIG_DFL)
            self.confine()
            os.chdir(self.spec["folder"])
            os.execve(self.spec["arguments"][0], self.spec["arguments"], self.spec["environment"])
        except BaseException as error:  # noqa: BLE001 - a forked child must never return into the warden's own code
            os.write(2, f"cannot start: {error}\n".encode())
        os._exit(126)

    def confine(self) -> None:
        for folder in self.spec["cgroups"]:
            with open(os.path.join(folder, "cgroup.procs"), "w") as file:
                file.write("0")
        for name, value in self.spec["rlimits"].items():
            kind = getattr(resource, name)
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))
        if self.spec["processors"]:
            os.sched_setaffinity(0, self.spec["processors"])
        for number, path in self.spec["files"].items():
            os.dup2(os.open(path, os.O_RDONLY), int(number))

    def reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.child:
                self.exit_status = status

    def listen(self) -> None:
        ready, _, _ = select.select([self.control, self.end], [], [], SAMPLE_SECONDS if self.peak else 0.01)
        if self.control not in ready:
            return
        letters = os.read(self.control, 64).decode()
        if not letters:
            self.note = "the calling program has ended"
            self.signal(signal.SIGKILL)
        for letter in letters:
            self.signal(SIGNALS[letter])

    def sample(self) -> None:
        now = time.monotonic()
        pids = descendants(os.getpid())
        limit = self.spec["memory_bytes"]
        used = resident(pids, limit)
        self.peak = max(self.peak, used)
        if limit and used > limit:
            self.out_of_memory, self.note = True, f"memory limit of {limit} bytes reached"
            self.signal(signal.SIGKILL)
        elif self.spec["pids"] and len(pids) > self.spec["pids"]:
            self.note = f"limit of {self.spec['pids']} processes reached"
            self.signal(signal.SIGKILL)
        if self.kill_at is None and now >= self.deadline:
            self.timed_out, self.kill_at = True, now + KILL_AFTER
            self.signal(signal.SIGTERM)
        elif self.kill_at is not None and now >= self.kill_at:
            self.signal(signal.SIGKILL)

    def signal(self, number: int) -> None:
        """Signal every process of the command; bubblewrap's own ones only to kill."""
        pids = descendants(os.getpid())
        if number == signal.SIGKILL:
            kill(pids, number)
            return
        pids = [pid for pid in pids if read(f"/proc/{pid}/comm").strip() != "bwrap"]
        kill(pids, number)
        kill(pids, signal.SIGCONT)

    def sweep(self) -> None:
        """End what outlived the command: a stopped, forking or detached child."""
        deadline = time.monotonic() + SWEEP_SECONDS
        while pids := descendants(os.getpid()):
            kill(pids, signal.SIGSTOP)
            kill(descendants(os.getpid()), signal.SIGKILL)
            self.reap()
            if time.monotonic() > deadline:
                self.note = f"processes that cannot be ended: {pids}"
                return
            time.sleep(0.005)

    def status(self) -> dict[str, Any]:
        code = os.waitstatus_to_exitcode(self.exit_status or 0)
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return {
            "exit_code": code if code >= 0 else None,
            "signal": -code if code < 0 else None,
            "timed_out": self.timed_out,
            "out_of_memory": self.out_of_memory,
            "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 3),
            "peak_memory_bytes": max(self.peak, usage.ru_maxrss * 1024),
            "note": self.note,
        }


def main() -> None:
    control, status = int(sys.argv[1]), int(sys.argv[2])
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for number in HANDLED:
        signal.signal(number, signal.SIG_IGN)
    for descriptor in (control, status):
        os.set_inheritable(descriptor, False)
    warden = Warden(json.loads(sys.argv[3]), control)
    warden.run()
    os.write(status, (json.dumps(warden.status()) + "\n").encode())


if __name__ == "__main__":
    main()
