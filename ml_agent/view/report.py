"""report.html: one file, no server, nothing loaded from elsewhere."""

import contextlib
from pathlib import Path
from typing import Any

from jinja2 import ChainableUndefined, Environment, FileSystemBytecodeCache, PackageLoader
from jinja2.bccache import Bucket

from ml_agent.files import write_atomically
from ml_agent.runs import RunFolder
from ml_agent.trajectory import read_trajectory
from ml_agent.view.outputs import outputs_of
from ml_agent.view.page import page_of

LOG_TAIL = 20_000
"""Bytes of the last log that the page shows."""


class _Compiled(FileSystemBytecodeCache):
    """Templates compiled by an earlier run. A full or read-only disk costs only that."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled, where that can be."""
        with contextlib.suppress(OSError):
            Path(self.directory).mkdir(parents=True, exist_ok=True)
            super().dump_bytecode(bucket)


def write_report(folder: RunFolder, result: dict[str, Any], cache: Path) -> None:
    """Render the result and the events of a run; everything shown is escaped. `cache` is where compiled templates are kept."""
    # Runs of other versions may lack fields: what is not there is not shown.
    environment = Environment(
        loader=PackageLoader("ml_agent.view", "."),
        undefined=ChainableUndefined,
        autoescape=True,
        bytecode_cache=_Compiled(str(cache)),
    )
    events = list(read_trajectory(folder.trajectory))
    text = environment.get_template("report.html.j2").render(
        page=page_of(result, events),
        outputs=outputs_of(folder.path),
        logs=_logs(folder.logs),
        log=_tail(folder.logs),
        files=[
            name
            for name in (
                "answer.sh",
                "answer.py",
                "reproduce.sh",
                "Dockerfile",
                "requirements.lock",
                "run.json",
                "trajectory.jsonl",
            )
            if (folder.path / name).exists()
        ],
    )
    write_atomically(folder.path / "report.html", text)


def _logs(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.log")) if folder.is_dir() else []


def _tail(folder: Path) -> str:
    """The end of what ran last."""
    logs = _logs(folder)
    if not logs:
        return ""
    path = folder / logs[-1]
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - LOG_TAIL))
        return file.read(LOG_TAIL).decode("utf-8", errors="replace")
