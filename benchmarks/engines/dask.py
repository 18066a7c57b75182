"""Work over dask.distributed: an existing cluster by its address, or a local one."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.engines import Engine, Item, Outcome, Work
from benchmarks.errors import BenchError
from ml_agent.keys import give, held
from sandbox.cleanup import reap
from tools.secret_names import names_a_secret

RETRIES = 3
"""How often the loss of its worker is forgiven an item; after that it is the item that kills workers."""
START_SECONDS = 60.0


@contextmanager
def dask_engine(address: str = "", workers: int = 2) -> Iterator[Engine]:
    """An engine on a cluster.

    Items are delivered at least once: what a lost worker had is done again elsewhere, and whoever keeps the outcomes keeps the
    first of each. BenchError where dask.distributed is not installed or the cluster is not there.

    Args:
        address: of an existing scheduler; its workers need this package and see the same folders. "" starts a local one.
        workers: of a local cluster.
    """
    distributed = _library()
    with contextlib.nullcontext(address) if address else local_cluster(workers) as where:
        try:
            client = distributed.Client(where, timeout=START_SECONDS, set_as_default=False)
        except OSError as error:
            raise BenchError(f"no dask scheduler at {where}: {error}") from error
        with client:
            client.wait_for_workers(1, timeout=START_SECONDS)
            if not address:
                client.register_plugin(_keys_for_workers(distributed))
            yield DaskEngine(client)


def _library() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise BenchError("--engine dask needs the extra `dask` (pip install 'ml-agent[dask]')") from error
    return distributed


def _keys_for_workers(distributed: Any) -> Any:
    """What hands our keys to each worker of a cluster of our own, also to one that takes a lost one's place."""
    keys = held()

    class Keys(distributed.WorkerPlugin):  # type: ignore[misc]
        """Gives the keys to the process that talks to the provider."""

        name = "ml-agent-keys"

        def setup(self, worker: Any) -> None:
            """Hold the keys."""
            give(keys)

    return Keys()


class DaskEngine:
    """A connected cluster."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __call__(self, work: Work[Item, Outcome], items: Sequence[Item]) -> Iterator[Outcome]:
        """Outcomes as they come."""
        submit = self._client.submit
        futures = {
            submit(work.carry_out, i, key=f"ml-agent-{work.label(i)}", retries=RETRIES, pure=False): i for i in items
        }
        try:
            for future in _library().as_completed(futures, loop=self._client.loop):
                error = future.exception()
                yield (
                    future.result() if error is None else work.lost(futures[future], f"{type(error).__name__}: {error}")
                )
        finally:
            reap()  # the containers of a worker that was lost keep running


@contextmanager
def local_cluster(workers: int) -> Iterator[str]:
    """The address of a scheduler with workers of its own: plain processes, so that one may die without taking others along."""
    with tempfile.TemporaryDirectory(prefix="ml-agent-dask-", ignore_cleanup_errors=True) as folder:
        file = Path(folder, "scheduler.json")
        common = ["--scheduler-file", str(file), "--no-dashboard"]
        processes = [_start("dask_scheduler", [*common, "--port", "0", "--host", "127.0.0.1"], folder)]
        try:
            options = ["--nworkers", "1", "--nthreads", "1", "--local-directory", folder]
            processes += [_start("dask_worker", [*common, *options], folder) for _ in range(workers)]
            yield _address(file, processes[0])
        finally:
            for process in reversed(processes):
                _end(process)


def _start(module: str, arguments: list[str], folder: str) -> "subprocess.Popen[bytes]":
    environment = {name: value for name, value in os.environ.items() if not names_a_secret(name)}
    environment |= {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    with Path(folder, "log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{module}", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=10)
    process.kill()
    process.wait()


def _address(file: Path, scheduler: "subprocess.Popen[bytes]") -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and scheduler.poll() is None:
        with contextlib.suppress(OSError, ValueError, KeyError):
            return str(json.loads(file.read_text())["address"])
        time.sleep(0.1)
    raise BenchError("the local dask scheduler did not start")
