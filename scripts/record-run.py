"""Record a real run as a picture for the README: `.venv/bin/python scripts/record-run.py docs/run.svg`."""

import io
import re
import shlex
import sys
import tempfile
from pathlib import Path

from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

from ml_agent import progress
from ml_agent.console import Terminal
from ml_agent.job import Job
from ml_agent.run_job import begin_job
from ml_agent.settings import load_settings
from ml_agent.summary import summary

TASK = "cluster 600 points into 4 groups"
FLAGS = ("--catalog", "sample", "--run", "full")
COLUMNS = 110
_FONT = re.compile(r"@font-face\s*\{.*?\}\s*", re.DOTALL)
"""Fonts that a page would fetch from elsewhere."""


def record(work: Path) -> str:
    """The run as SVG, by the same display as on a terminal, without what moves."""
    console = Terminal(file=io.StringIO(), record=True, force_terminal=True, color_system="truecolor", width=COLUMNS)
    console.print(Text(f"$ {shlex.join(['ml-agent', 'solve', TASK, *FLAGS])}", style="bold green"), soft_wrap=True)
    settings = load_settings(run="full", sandbox="local", runs_dir=work / "runs", cache_dir=work / "cache")
    job = Job(instruction=TASK, catalog="sample")
    progress.PATIENCE = 600.0
    begin_job(job, settings, work / "runs" / "first")  # sets up: what is shown is a second run
    result = begin_job(job, settings, work / "runs" / "second", progress.Progress(console, live=False))
    for line in summary(result):
        console.print(Text(line.replace(str(work), "~/.cache/ml-agent")))
    console.print(Text(result["answer"]["text"], style="bold"))
    svg = console.export_svg(title="ml-agent", theme=DIMMED_MONOKAI, unique_id="run")
    return _FONT.sub("", svg)


def main() -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory(prefix="ml-agent-run-") as folder:
        Path(sys.argv[1]).write_text(record(Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
