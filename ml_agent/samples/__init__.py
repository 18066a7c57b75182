"""The sample catalogue: three small repositories among 200 other entries, and fifteen tasks with what must come out.

A catalogue entry whose `url` reads `sample:NAME` stands for the folder `repository_path(NAME)`; the others point to a host
that cannot exist (RFC 2606), so that nobody can register a name that the samples rank.
"""

import json
import math
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

_HERE = Path(__file__).resolve().parent
_ABSENT = object()

URL_SCHEME = "sample:"


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """What a task's script must have recorded."""

    file: str
    """Relative to the repository, or to the folder the command ran in."""
    expect: dict[str, Any]
    """Dotted key in the file to the value it must have."""


class SampleTask(msgspec.Struct, frozen=True, kw_only=True):
    """One instruction as a user would write it, and what shows that it was followed."""

    id: str
    instruction: str
    repository: str
    """Name of the sample repository that can do it."""
    kind: Literal["bash", "python"]
    metrics: Metrics


def catalog_path() -> Path:
    """The catalogue that the sample repositories are searched in (JSON lines)."""
    return _HERE / "catalog.jsonl"


@cache
def tasks() -> tuple[SampleTask, ...]:
    """The fifteen tasks, in the order of the file."""
    decoder = msgspec.json.Decoder(SampleTask)
    return tuple(decoder.decode_lines((_HERE / "tasks.jsonl").read_bytes()))


def repository_path(name: str) -> Path:
    """The folder of a sample repository.

    Args:
        name: its folder's name, or a catalogue URL `sample:NAME`.

    Raises:
        KeyError: no sample repository has this name.
    """
    name = name.removeprefix(URL_SCHEME)
    folders = {folder.name: folder for folder in (_HERE / "repositories").iterdir() if folder.is_dir()}
    return folders[name]


def verify(task: SampleTask, workdir: Path) -> list[str]:
    """What does not match after a run; empty when the user's values were really used.

    Args:
        task: the task that was run.
        workdir: the copy of the repository that it ran in.
    """
    file = _metrics_file(workdir, task.metrics.file)
    if file is None:
        return [f"{task.metrics.file}: not written"]
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        return [f"{task.metrics.file}: {error}"]
    mismatches = []
    for key, expected in task.metrics.expect.items():
        found = _look_up(content, key)
        if found is _ABSENT:
            mismatches.append(f"{key}: absent, expected {expected!r}")
        elif not _same(found, expected):
            mismatches.append(f"{key}: {found!r}, expected {expected!r}")
    return mismatches


def _metrics_file(workdir: Path, name: str) -> Path | None:
    """The file below the repository, or below the sub-folder that the command ran in; the newest of several."""
    direct = workdir / name
    if direct.is_file():
        return direct
    below = [path for path in workdir.rglob(Path(name).name) if path.is_file() and path.as_posix().endswith("/" + name)]
    return max(below, key=lambda path: path.stat().st_mtime, default=None)


def _look_up(content: Any, key: str) -> Any:
    for part in key.split("."):
        if isinstance(content, dict) and part in content:
            content = content[part]
        elif isinstance(content, list) and part.isdigit() and int(part) < len(content):
            content = content[int(part)]
        else:
            return _ABSENT
    return content


def _same(found: Any, expected: Any) -> bool:
    """Equality that keeps true apart from 1 and forgives rounding."""
    if isinstance(found, bool) or isinstance(expected, bool):
        return found is expected
    if isinstance(found, int | float) and isinstance(expected, int | float):
        return math.isclose(found, expected, rel_tol=1e-6)
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(map(_same, found, expected))
    return bool(found == expected)
