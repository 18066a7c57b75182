"""What the second process does that makes one part of an index (see `tools.index_worker`)."""

import gc
import json
import os
import sys
import threading
import time
from pathlib import Path

from ml_agent.tools.index import RepoIndex
from ml_agent.tools.reading import Progress

_PART = "signatures"


def work(root: str, version: str, cache: str, first: str = "") -> None:
    """The second process: make that part and keep it in the cache, then help with the Python files."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.disable()  # it ends soon, and nearly all that it makes are trees: looking for garbage is a fifth of its time
    index = RepoIndex.open(Path(root), version, Path(cache), _print, first)
    started = time.thread_time()
    index.make([_PART])
    index.read_ahead(time.thread_time() - started)


def _end_with_parent() -> None:
    """The parent holds the other end of the standard input and never writes: it ends when the parent does."""
    sys.stdin.buffer.read()
    os._exit(1)


def _print(progress: Progress) -> None:
    print(json.dumps(progress), flush=True)
