"""The run's wall time as the limit of all that is waited for in a sandbox."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ml_agent.model.budget import Budget
from ml_agent.sandbox.contract import (
    MOST_BYTES,
    SYSTEM_SECONDS,
    Command,
    OnOutput,
    Response,
    Sandbox,
    Version,
)
from ml_agent.sandbox.errors import SandboxError


def within_wall_time(sandbox: Sandbox, budget: Budget) -> Sandbox:
    """The sandbox with no command longer than the wall time that is left, and none begun after it: BudgetExceededError."""
    if budget.seconds_left() is None:
        return sandbox
    return _Limited(sandbox, budget)


class _Limited:
    """A sandbox within the wall time."""

    def __init__(self, inner: Sandbox, budget: Budget) -> None:
        self._inner, self._budget = inner, budget
        self.name, self.isolated, self.policy = inner.name, inner.isolated, inner.policy

    @property
    def image(self) -> str:
        """What its containers are made from; "" where there are none."""
        return getattr(self._inner, "image", None) or ""

    def start(self) -> None:
        with self._in_time():
            self._inner.start()

    def put(self, source: Path, target: str) -> None:
        with self._in_time():
            self._inner.put(source, target)

    def get(self, path: str, most: int = MOST_BYTES) -> bytes:
        return self._inner.get(path, most)

    def run(self, command: Command, on_output: OnOutput | None = None) -> Response:
        with self._in_time():
            seconds = self._budget.time_for(command.timeout)
            return self._inner.run(msgspec.structs.replace(command, timeout=seconds), on_output)

    def begin_clean(self) -> None:
        with self._in_time():
            self._inner.begin_clean()

    def stop(self) -> None:
        self._inner.stop()

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        """BudgetExceededError before anything is begun too late, and in place of a failure that the end of the time brought about."""
        self._budget.check_time()
        try:
            yield
        except SandboxError:
            self._budget.check_time()
            raise

    @property
    def base(self) -> str:
        return self._inner.base

    def pythons(self) -> tuple[Version, ...]:
        return self._inner.pythons()

    def python_version(self) -> Version:
        return self._inner.python_version()

    def use_python(self, version: Version) -> None:
        self._inner.use_python(version)

    def install_system(self, packages: tuple[str, ...], seconds: float = SYSTEM_SECONDS) -> Response:
        with self._in_time():
            return self._inner.install_system(packages, self._budget.time_for(seconds))

    def keep_setup(self, key: str, note: str) -> None:
        self._inner.keep_setup(key, note)

    def start_with(self, key: str) -> str | None:
        with self._in_time():
            return self._inner.start_with(key)

    def forget_setup(self, key: str) -> None:
        self._inner.forget_setup(key)
