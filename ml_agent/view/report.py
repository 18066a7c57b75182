"""report.html: one file, no server, nothing loaded from elsewhere."""

import shlex
from pathlib import Path
from typing import Any

from jinja2 import ChainableUndefined, Environment, PackageLoader

from ml_agent.files import write_atomically
from ml_agent.runs import RunFolder
from ml_agent.trajectory import read_trajectory
from ml_agent.view.curves import curves_of
from ml_agent.view.outputs import TABLES, outputs_of
from ml_agent.view.page import page_of

FILES = (
    "answer.sh", "answer.py", "reproduce.sh", "Dockerfile", "requirements.lock", "run.json", "trajectory.jsonl",
)  # fmt: skip
"""What the page links to, where it is there."""
LOG_TAIL = 20_000
"""Bytes of the last log that the page shows."""


def _environment() -> Environment:
    # Runs of other versions may lack fields: what is not there is not shown.
    return Environment(loader=PackageLoader("ml_agent.view", "."), undefined=ChainableUndefined, autoescape=True)


def write_report(folder: RunFolder, result: dict[str, Any]) -> None:
    """Render the result and the events of a run; everything shown is escaped."""
    events = list(read_trajectory(folder.trajectory))
    outputs = outputs_of(folder.path)
    log = _own_log(folder.logs, str((result.get("sandbox") or {}).get("log") or ""))
    tables = [folder.path / one.path for one in outputs if Path(one.path).suffix.lower() in TABLES]
    text = (
        _environment()
        .get_template("report.html.j2")
        .render(
            page=page_of(result, events),
            outputs=outputs,
            curves=curves_of(log, tables),
            logs=_logs(folder.logs),
            log=_tail(log),
            # run.json is written last: a run that has one has all the rest.
            files=[name for name in FILES if name == "run.json" or (folder.path / name).exists()],
            run=shlex.quote(str(result["id"])),
        )
    )
    write_atomically(folder.path / "report.html", text)


def _logs(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.log")) if folder.is_dir() else []


def _own_log(folder: Path, log: str) -> Path | None:
    """The program's own log; what we asked the sandbox after it lies in later ones."""
    name = Path(log).name
    return folder / name if name in _logs(folder) else None


def _tail(path: Path | None) -> str:
    """The end of a log."""
    if path is None:
        return ""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - LOG_TAIL))
        return file.read(LOG_TAIL).decode("utf-8", errors="replace")
