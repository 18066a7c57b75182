"""One process at a time for one place of results."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ml_agent.benchmarks.errors import BenchError
from ml_agent.files import locked


@contextmanager
def lock_folder(folder: Path, out: Path) -> Iterator[None]:
    """Hold a folder of parts of `out` for this process. BenchError where another one works on it, or it cannot be written."""
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(folder / ".lock"))
        except BlockingIOError as error:
            raise BenchError(f"{out}: another process is working on it") from error
        except OSError as error:
            raise BenchError(f"{out} cannot be written: {error.strerror or error}") from error
        yield
