"""Tasks whose first draft passes the static check and fails when it is run, with what a model can know from the error."""

import json
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec


class Attempt(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One draft."""

    text: str
    """The draft as it is run from `workdir`."""
    workdir: str = "."
    """Relative to the repository."""
    kind: Literal["", "bash", "python"] = ""
    """Where it is not the task's."""


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """What the repository's code must have recorded."""

    file: str
    expect: dict[str, Any]


class FeedbackTask(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One instruction with a draft that fails and one that succeeds."""

    id: str
    why: str
    """What kind of mistake the first draft makes."""
    folder: Path
    """The repository."""
    instruction: str
    kind: Literal["bash", "python"]
    first: Attempt
    second: Attempt
    error: str
    """The line of the first run that the second prompt must contain."""
    metrics: Metrics

    def mismatches(self, outputs: Path) -> list[str]:
        """What does not match in the files that a run made, laid out as in the repository; empty when the task was done."""
        file = outputs / self.metrics.file
        if not file.is_file():
            return [f"{self.metrics.file}: not written"]
        content = json.loads(file.read_text(encoding="utf-8"))
        return [f"{key}: {content.get(key)!r}, expected {value!r}" for key, value in self.metrics.expect.items()
                if content.get(key) != value]  # fmt: skip


class Tasks(msgspec.Struct, frozen=True, kw_only=True):
    """What a file holds, in its order."""

    feedback: tuple[FeedbackTask, ...]
    """Only a second draft does the task."""
    repaired: tuple[FeedbackTask, ...]
    """Rules repair the first draft, so that the model is not asked again."""


def load(file: Path) -> Tasks:
    """The tasks of a file; the folder `repositories` lies beside it."""
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    repositories = file.resolve().parent / "repositories"
    found = {name: tuple(_task(repositories, **entry) for entry in content[name]) for name in ("task", "repaired")}
    return Tasks(feedback=found["task"], repaired=found["repaired"])


def _task(repositories: Path, repository: str, **rest: Any) -> FeedbackTask:
    return msgspec.convert({"folder": repositories / repository, **rest}, FeedbackTask)
