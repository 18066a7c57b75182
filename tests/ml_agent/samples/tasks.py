"""The sample tasks, and whether the user's values were really used."""

import json
from functools import reduce
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ml_agent import samples


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """What a task's script must have recorded: a file, and the values of dotted keys in it."""

    file: str
    expect: dict[str, Any]


class SampleTask(msgspec.Struct, frozen=True, kw_only=True):
    """One instruction as a user would write it, and what shows that it was followed."""

    id: str
    instruction: str
    repository: str
    kind: str
    metrics: Metrics


TASKS = msgspec.json.Decoder(SampleTask).decode_lines(samples.catalog_path().with_name("tasks.jsonl").read_bytes())


def verify(task: SampleTask, folder: Path) -> list[str]:
    """The keys whose values are not as wished in the newest file of that name, wherever the command ran."""
    files = sorted(folder.rglob(Path(task.metrics.file).name), key=lambda path: path.stat().st_mtime)
    content = json.loads(files[-1].read_text()) if files else {}
    return [key for key, wanted in task.metrics.expect.items() if _at(content, key) != pytest.approx(wanted)]


def _at(content: Any, key: str) -> Any:
    def inner(found: Any, part: str) -> Any:
        if isinstance(found, list):
            return found[int(part)] if int(part) < len(found) else None
        return found.get(part) if isinstance(found, dict) else None

    return reduce(inner, key.split("."), content)
