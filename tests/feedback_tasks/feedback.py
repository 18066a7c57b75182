"""Tasks whose first draft passes a static check and fails when it is run, with the draft that a model can write from the error."""

import json
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

HERE = Path(__file__).resolve().parent


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One draft, to be run from `workdir`."""

    text: str
    workdir: str = "."
    """Relative to the repository."""


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """What the repository's code must have recorded."""

    file: str
    expect: dict[str, Any]


class FeedbackTask(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One instruction with a draft that fails and one that succeeds."""

    id: str
    why: str
    """What kind of mistake the first draft makes."""
    repository: str
    instruction: str
    kind: Literal["bash", "python"]
    first: Attempt
    second: Attempt
    error: str
    """The line of the first run that the second prompt must contain."""
    metrics: Metrics

    @property
    def folder(self) -> Path:
        """The folder of the repository."""
        return HERE / "repositories" / self.repository


def load() -> list[FeedbackTask]:
    """All tasks in the order of the file."""
    content = tomllib.loads((HERE / "tasks.toml").read_text(encoding="utf-8"))
    return msgspec.convert(content["task"], list[FeedbackTask])


def mismatches(task: FeedbackTask, workdir: Path) -> list[str]:
    """What does not match after a run in the copy `workdir` of the repository; empty when the task was done."""
    file = workdir / task.metrics.file
    if not file.is_file():
        return [f"{task.metrics.file}: not written"]
    content = json.loads(file.read_text(encoding="utf-8"))
    return [
        f"{key}: {content.get(key)!r}, expected {value!r}"
        for key, value in task.metrics.expect.items()
        if content.get(key) != value
    ]
