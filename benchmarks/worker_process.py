"""What a worker process does; it imports nothing but Python's own modules until it is sure to end with its parent."""

import contextlib
import ctypes
import os
import pickle
import signal
from typing import Any

PR_SET_PDEATHSIG = 1


def serve(pipe: Any, parent: int, packed: bytes) -> None:
    """Do what is handed over until nobody is there any more.

    Args:
        pipe: gives items and takes outcomes; None is sent once the process is up.
        parent: its number.
        packed: a pickle of what carries out an item, and of the keys: these come by pipe, not by environment.
    """
    _die_with(parent)
    os.setpgid(0, 0)
    carry_out, keys = pickle.loads(packed)
    from ml_agent.keys import give

    give(keys)
    pipe.send(None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends its workers
    while True:
        try:
            item = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(carry_out(item))


def _die_with(parent: int) -> None:
    """End this process when its parent ends, however that ends; where the system can (Linux)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
