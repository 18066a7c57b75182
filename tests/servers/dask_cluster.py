"""A dask scheduler with two workers, as processes of this machine."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def dask_cluster() -> Iterator[str]:
    """The scheduler's address; the test is left out where the extra `dask` is missing."""
    distributed = pytest.importorskip("distributed", reason="the extra `dask`")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", silence_logs=50
    ) as cluster:
        yield cluster.scheduler_address
