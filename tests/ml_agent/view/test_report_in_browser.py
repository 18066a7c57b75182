"""report.html in a real browser: no errors, folding works, hostile text stays text, it fits a phone, dark mode is dark."""

import json
from pathlib import Path
from typing import Any

import pytest

from ml_agent.runs import RunFolder
from ml_agent.view.report import write_report
from tests.browser import browser, console_errors, require_browser

HOSTILE = "<script>window.broken=1</script><img src=x onerror='window.broken=1'>\" onload=\"window.broken=1"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """The report of a run in which every text is hostile."""
    require_browser()
    folder = RunFolder(tmp_path / "run")
    (folder.path / "outputs").mkdir(parents=True)
    folder.logs.mkdir()
    (folder.logs / "001.log").write_text(HOSTILE)
    (folder.path / "outputs" / "t.csv").write_text(f'a,b\n"{HOSTILE.replace(chr(34), "")}",2\n')
    draft = {
        "kind": "bash",
        "text": HOSTILE,
        "workdir": HOSTILE,
        "because": HOSTILE,
        "findings": [{"message": HOSTILE, "severity": "error", "path": HOSTILE, "line": 3}],
    }
    events: list[dict[str, Any]] = [
        {"event": "phase", "phase": "generate", "note": HOSTILE, "seconds": 0.5, "goto": "check"},
        {"event": "draft", "draft": draft},
        {"event": "draft", "draft": {**draft, "text": HOSTILE + " more"}},
        {
            "event": "model-call",
            "phase": "generate",
            "seconds": 1,
            "usage": {},
            "request": {"text": HOSTILE},
            "reply": HOSTILE,
        },
        {"event": "setup", "line": HOSTILE},
        {"event": "stand-in", "phase": "rank", "reason": HOSTILE},
    ]
    folder.trajectory.write_text("".join(json.dumps(event) + "\n" for event in events))
    result = {
        "id": HOSTILE, "folder": "x", "instruction": HOSTILE, "ending": "failed", "exit_code": 1, "message": HOSTILE,
        "evidence": "none", "usd": None, "versions": {"python": HOSTILE},
        "answer": {**draft, "source": "llm", "ledger": [{"text": HOSTILE, "value": HOSTILE, "status": "not found", "where": HOSTILE}]},
        "repository": {"name": HOSTILE, "url": "javascript:alert(1)", "version": "x"},
        "sandbox": {"name": "docker", "isolated": True},
        "budget": {"prompt_tokens": 1, "completion_tokens": 1, "calls": 1, "seconds": 1.0},
    }  # fmt: skip
    write_report(folder, result)
    return folder.path / "report.html"


def test_hostile_text_stays_text_and_folding_works(page: Path, tmp_path: Path) -> None:
    with browser(tmp_path / "profile") as driver:
        driver.get(page.as_uri())
        assert console_errors(driver) == []
        assert driver.execute_script("return window.broken === undefined")
        assert HOSTILE in driver.find_element("tag name", "h1").text
        assert driver.execute_script("return document.querySelectorAll('script').length") == 1
        assert driver.execute_script("return [...document.links].every(a => ['file:', 'https:'].includes(a.protocol))")
        folded = driver.find_element("css selector", "#conversation details")
        assert not folded.get_attribute("open")
        folded.find_element("tag name", "summary").click()
        assert folded.get_attribute("open") and HOSTILE[:20] in folded.text


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_it_fits_every_width_and_follows_the_colour_scheme(page: Path, tmp_path: Path, width: int) -> None:
    with browser(tmp_path / "profile", width, dark=width == 360) as driver:
        driver.get(page.as_uri())
        assert driver.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
        background = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(20, 23, 27)") == (width == 360)
