"""Whether what shuts an answer in works on this machine: decided at the first answer, and said where it does not."""

import shutil
import subprocess
import sys
import threading
import time

TRIES = 3
PAUSE_SECONDS = 0.5
WITHOUT = "bubblewrap does not work here: answers run with limits, but with the files of this machine in reach"


class _Decision:
    """What this process found: a bubblewrap that worked once counts for good, one that did not is asked again."""

    lock = threading.Lock()
    path: str | None = None
    told = False


def bubblewrap() -> str | None:
    """Path of a bubblewrap that works here, or None; said on stderr before the first answer that runs without.

    Once it worked, answers never run without it: where it then fails, the answer fails.
    """
    with _Decision.lock:
        if _Decision.path is None:
            _Decision.path = _find(1 if _Decision.told else TRIES)
        if _Decision.path is None and not _Decision.told:
            _Decision.told = True
            sys.stderr.write(f"{WITHOUT}\n")
        return _Decision.path


def _find(tries: int) -> str | None:
    path = shutil.which("bwrap")
    for number in range(tries if path else 0):
        if number:
            time.sleep(PAUSE_SECONDS)
        if path and _works(path):
            return path
    return None


def _works(path: str) -> bool:
    command = [path, "--ro-bind", "/", "/", "--unshare-all", "true"]
    try:
        return subprocess.run(command, capture_output=True, check=False, timeout=10).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
