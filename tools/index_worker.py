"""A second process that makes one part of an index; it ends with its parent, however that ends."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from ml_agent.tools.reading import Progress, Report
from ml_agent.tools.secret_names import without_secrets

_WORKER = "import sys; sys.path.insert(0, sys.argv[1]); from ml_agent.tools.index_work import work; work(*sys.argv[2:])"


@contextlib.contextmanager
def worker(root: Path, version: str, cache: Path, report: Report | None, first: str = "") -> Iterator[None]:
    """Have a second process make the signatures, while the body makes the other parts; it answers through the cache.

    It reads what is in `first` before the rest. Its progress is reported as it comes. What it could not make is made by the caller afterwards.
    """
    home = str(Path(__file__).parents[2])
    command = [sys.executable, "-I", "-c", _WORKER, home, str(root), version, str(cache), first]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env=without_secrets(os.environ),
    ) as process:  # fmt: skip
        listener = threading.Thread(target=_listen, args=(process.stdout or (), report), daemon=True)
        listener.start()
        try:
            yield
            listener.join()
        except BaseException:  # also Ctrl-C must leave no second process
            process.kill()
            raise


def _listen(lines: Iterable[str], report: Report | None) -> None:
    for line in lines:
        if report is not None:
            report(Progress(*json.loads(line)))
