"""Draw a finished run as it looked in the terminal: `.venv/bin/python scripts/record-run.py RUN docs/run.svg`."""

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

from ml_agent.summary import summary
from ml_agent.terminal import Terminal

COLUMNS = 110
MOST_LINES = 3
"""Lines of a phase's note that are drawn; the picture says how many more there are."""
_FONT = re.compile(r"@font-face\s*\{.*?\}\s*", re.DOTALL)
"""Fonts that a page would fetch from elsewhere."""


def draw(run: Path) -> str:
    """The command, the phases, the summary and the answer as SVG."""
    result = json.loads((run / "run.json").read_text(encoding="utf-8"))
    console = Terminal(file=io.StringIO(), record=True, force_terminal=True, color_system="truecolor", width=COLUMNS)
    console.print(
        Text(f'$ ml-agent solve "{result["instruction"]}" --repo {result["repository"]["name"]} --run full'),
        style="bold green",
    )
    for line in (run / "trajectory.jsonl").read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["event"] == "phase":
            console.print(phase(event))
    for row in summary({**result, "folder": f"runs/{result['id']}"}):
        console.print(Text(row, no_wrap=True, overflow="ellipsis"))
    return _FONT.sub("", console.export_svg(title="ml-agent", theme=DIMMED_MONOKAI, unique_id="run"))


def phase(event: dict[str, Any]) -> Table:
    """One phase, as `ml_agent.progress` shows it."""
    lines = event["note"].splitlines()
    shown = lines if len(lines) <= MOST_LINES + 1 else [*lines[:MOST_LINES], f"… {len(lines) - MOST_LINES} more lines"]
    grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
    grid.add_column(width=10, no_wrap=True)
    grid.add_column(ratio=1, overflow="ellipsis", no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    for number, text in enumerate(shown):
        name, seconds = (event["phase"], f"{event['seconds']:.1f} s") if number == 0 else ("", "")
        grid.add_row(
            Text(name, style="bold"), Text(text, style="" if number == 0 else "dim"), Text(seconds, style="dim")
        )
    return grid


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(draw(Path(sys.argv[1])), encoding="utf-8")
