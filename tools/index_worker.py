"""A second process that makes one part of an index; it ends with its parent, however that ends."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from tools.reading import Progress, Report

_WORKER = "import sys; sys.path.insert(0, sys.argv[1]); from tools.index_worker import work; work(*sys.argv[2:])"
_PART = "signatures"


@contextlib.contextmanager
def worker(root: Path, version: str, cache: Path, report: Report | None) -> Iterator[None]:
    """Have a second process make the signatures, while the body makes the other parts; it answers through the cache.

    Its progress is reported once the body is done. What it could not make is made by the caller afterwards.
    """
    home = str(Path(__file__).parents[1])
    command = [sys.executable, "-I", "-c", _WORKER, home, str(root), version, str(cache)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield
            for line in process.stdout or ():
                if report is not None:
                    report(Progress(*json.loads(line)))
        except BaseException:  # also Ctrl-C must leave no second process
            process.kill()
            raise


def work(root: str, version: str, cache: str) -> None:
    """The second process: make that part and keep it in the cache, then help with the Python files."""
    from tools.index import RepoIndex

    threading.Thread(target=_end_with_parent, daemon=True).start()
    index = RepoIndex.open(Path(root), version, Path(cache), _print)
    index.make([_PART])
    index.read_ahead()


def _end_with_parent() -> None:
    """The parent holds the other end of the standard input and never writes: it ends when the parent does."""
    sys.stdin.buffer.read()
    os._exit(1)


def _print(progress: Progress) -> None:
    print(json.dumps(progress), flush=True)
