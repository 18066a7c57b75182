"""report.html: one file, no server, nothing loaded from elsewhere."""

import base64
import csv
import io
import shlex
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import msgspec
from jinja2 import ChainableUndefined, Environment, PackageLoader

from ml_agent.delivery.binary_kinds import picture_size
from ml_agent.files import write_atomically
from ml_agent.pictures import TYPES as PICTURE_TYPES
from ml_agent.runs import PATCH, RunFolder
from ml_agent.summary import evidence_of
from ml_agent.tools.bounded import read_bytes
from ml_agent.tools.foreign_files import read_text
from ml_agent.tools.walk import Walk
from ml_agent.trajectory import read_trajectory
from ml_agent.view.curves import curves_of
from ml_agent.view.page import page_of

# What a run made, as it can be shown on a page: pictures as pictures, tables as tables, the head of texts.

TABLES = {".csv": ",", ".tsv": "\t"}
TEXTS = {".json", ".jsonl", ".txt", ".log", ".md", ".yaml", ".yml", ".toml", ".srt", ".vtt"}

MOST_FILES = 60
MOST_PICTURE_BYTES = 600_000
MOST_PIXELS = 20_000_000
"""Of one picture: a few bytes can unpack to gigabytes in a browser."""
MOST_EMBEDDED_BYTES = 4_000_000
"""All pictures of a page together."""
MOST_TEXT_BYTES = 4_000
MOST_LOCK_BYTES = 4_000_000
MOST_ROWS = 20
MOST_CELLS = 12
_CELL = 60


class OutputView(msgspec.Struct, frozen=True, kw_only=True):
    """One file that a run made."""

    path: str
    """Relative to the run's folder: the link on the page."""
    size: int
    """Bytes."""
    kind: Literal["picture", "table", "text", "file"]
    picture: str = ""
    """A data URI."""
    rows: tuple[tuple[str, ...], ...] = ()
    text: str = ""


def outputs_of(folder: Path) -> tuple[OutputView, ...]:
    """The files below a run's `outputs`, in order of their names; links are left out."""
    root = folder / "outputs"
    if not root.is_dir() or root.is_symlink():
        return ()
    found: list[OutputView] = []
    left = MOST_EMBEDDED_BYTES
    for entry in islice((entry for entry in Walk(root) if entry.is_file), MOST_FILES):
        view = _view(root / entry.path, f"outputs/{entry.path}", left)
        left -= len(view.picture)
        found.append(view)
    return tuple(found)


def _view(path: Path, name: str, left: int) -> OutputView:
    size, ending = path.stat().st_size, path.suffix.lower()
    if ending in PICTURE_TYPES and size <= min(MOST_PICTURE_BYTES, left):
        content = path.read_bytes()
        shape = picture_size(content)
        if shape is None or shape[0] * shape[1] > MOST_PIXELS:
            return OutputView(path=name, size=size, kind="file")
        data = base64.b64encode(content).decode()
        return OutputView(path=name, size=size, kind="picture", picture=f"data:{PICTURE_TYPES[ending]};base64,{data}")
    if ending in TABLES or ending in TEXTS:
        text = _head(path)
        if ending in TABLES:
            return OutputView(path=name, size=size, kind="table", rows=_rows(text, TABLES[ending]))
        return OutputView(path=name, size=size, kind="text", text=text)
    return OutputView(path=name, size=size, kind="file")


def _head(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(MOST_TEXT_BYTES).decode("utf-8", errors="replace")


def _rows(text: str, delimiter: str) -> tuple[tuple[str, ...], ...]:
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))[:MOST_ROWS]
    except csv.Error:  # not a table after all
        return ()
    return tuple(tuple(cell[:_CELL] for cell in row[:MOST_CELLS]) for row in rows)


FILES = (
    "answer.sh", "answer.py", PATCH, "reproduce.sh", "Dockerfile", "requirements.lock", "run.json", "trajectory.jsonl",
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
            own_log=log.name if log else "",
            logs=[
                name
                for name in _logs(folder.logs)
                if (folder.logs / name) != log and (folder.logs / name).stat().st_size
            ],
            log=_tail(log),
            patch=read_text(folder.path / PATCH, LOG_TAIL).splitlines(),
            # run.json is written last: a run that has one has all the rest.
            files=[name for name in FILES if name == "run.json" or (folder.path / name).exists()],
            run=shlex.quote(str(result["id"])),
            evidence=evidence_of(result),
            packages=_packages(folder.path / "requirements.lock"),
        )
    )
    write_atomically(folder.path / "report.html", text)


def _packages(lock: Path) -> str:
    """The packages of a lock file with their versions, without hashes; "" where there is none of ours."""
    if lock.is_symlink():
        return ""
    try:
        lines = read_bytes(lock, MOST_LOCK_BYTES).decode(errors="replace").splitlines()
    except OSError:
        return ""
    return "\n".join(line.split(" --hash")[0].rstrip(" \\") for line in lines if line[:1].isalnum())


def _logs(folder: Path) -> list[str]:
    """The logs of a run; a link or a pipe is none of ours."""
    return [entry.path for entry in Walk(folder, lambda _: True) if entry.is_file and entry.path.endswith(".log")]


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
