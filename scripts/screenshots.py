"""Pictures of a run's page and of the bench's page at three widths: `.venv/bin/python scripts/screenshots.py docs/pictures`.

Both pages are of real runs: a task on a sample repository, and sample rows answered and scored. Needs Chromium and its driver.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from browser import browser, console_errors  # noqa: E402

TASK = "train a perceptron on the intertwined spirals for 25 epochs with a learning rate of 0.05"
WIDTHS = ((360, False), (800, True), (1400, False))
"""A phone, a small window in dark mode, a wide one."""
SAMPLES = ROOT / "ml_agent/samples/repositories"


def agent(*arguments: str) -> str:
    """Call the program; what it answers."""
    call = [sys.executable, "-m", "ml_agent", *arguments]
    return subprocess.run(call, cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True).stdout


def pages(work: Path) -> Iterator[tuple[str, Path]]:
    """The pages with their names, made in that folder."""
    run = work / "run"
    agent("solve", TASK, "--repo", str(SAMPLES / "planar-nets"), "--run", "full", "--out", str(run))
    yield "report", run / "report.html"
    rows, answers = work / "rows.jsonl", work / "offline.jsonl"
    agent("bench", "make", *map(str, sorted(SAMPLES.iterdir())), "--out", str(rows), "--rows", "6")
    given = ("--tasks", str(rows), "--repos", str(SAMPLES))
    agent("bench", "predict", *given, "--out", str(answers), "--attempts", "1")
    (work / "scored").mkdir()
    scored = agent("bench", "score", *given, "--predictions", str(answers), "--mode", "same-call", "--json")
    (work / "scored/offline.json").write_text(scored, encoding="utf-8")
    agent("bench", "report", str(work / "scored"))
    yield "bench", work / "scored/report.html"


def main() -> None:
    """Take the pictures; a page that logs an error ends it."""
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ml-agent-pictures-") as work:
        for name, page in pages(Path(work)):
            for width, dark in WIDTHS:
                with browser(Path(work) / f"profile-{name}-{width}", width, dark=dark) as driver:
                    driver.get(page.as_uri())
                    assert console_errors(driver) == [], f"{name} at {width}"
                    driver.save_screenshot(str(folder / f"{name}-{width}.png"))


if __name__ == "__main__":
    main()
