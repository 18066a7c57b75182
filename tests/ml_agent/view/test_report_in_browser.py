"""report.html in a real browser: no errors, folding works, hostile text stays text, it fits a phone, dark mode is dark."""

import json
from pathlib import Path
from typing import Any

import pytest

from ml_agent.runs import RunFolder
from ml_agent.view.report import write_report
from tests.browser import browser, console_errors, require_browser

pytestmark = pytest.mark.slow

HOSTILE = "<script>window.broken=1</script><img src=x onerror='window.broken=1'>\" onload=\"window.broken=1"


CITED = f"kept from docs/usage.md:31, {HOSTILE} a/{HOSTILE}.md:7 and javascript:alert.js:1"
COMMIT = "0123456789" * 4


DRAFT: dict[str, Any] = {
    "kind": "bash",
    "text": HOSTILE,
    "workdir": HOSTILE,
    "because": CITED,
    "findings": [{"message": HOSTILE, "severity": "error", "path": HOSTILE, "line": 3}],
}
EVENTS: list[dict[str, Any]] = [
    {"event": "phase", "phase": "generate", "note": CITED, "seconds": 0.5, "goto": "check"},
    {"event": "draft", "draft": DRAFT},
    {"event": "draft", "draft": {**DRAFT, "text": HOSTILE + " more"}},
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


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """The report of a run in which every text is hostile."""
    require_browser()
    folder = RunFolder(tmp_path / "run")
    (folder.path / "outputs").mkdir(parents=True)
    folder.logs.mkdir()
    (folder.logs / "001.log").write_text(HOSTILE + "".join(f"\nloss: {1 / n}" for n in range(1, 9)))
    (folder.path / "outputs" / "h.csv").write_text("step,<img src=x onerror=alert(1)> loss\n" + "1,1\n2,2\n3,4\n")
    (folder.path / "outputs" / "t.csv").write_text(f'a,b\n"{HOSTILE.replace(chr(34), "")}",2\n')
    folder.trajectory.write_text("".join(json.dumps(event) + "\n" for event in EVENTS))
    result = {
        "id": HOSTILE, "folder": "x", "instruction": HOSTILE, "ending": "failed", "exit_code": 1, "message": HOSTILE,
        "evidence": "none", "asked": "started", "usd": None, "versions": {"python": HOSTILE},
        "answer": {**DRAFT, "source": "llm", "ledger": [{"text": HOSTILE, "value": HOSTILE, "status": "not found", "where": f"--lr {HOSTILE}"}], "declared": {"--lr": "src/fit.py:12"}},
        "unasked": [f"--lr {HOSTILE}", CITED],
        "repository": {"name": HOSTILE, "url": "https://github.com/a/b", "version": COMMIT},
        "sandbox": {"name": "docker", "isolated": True, "log": "001.log"},
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


def test_what_is_cited_is_a_link_to_the_file_at_the_commit(page: Path, tmp_path: Path) -> None:
    with browser(tmp_path / "profile") as driver:
        driver.get(page.as_uri())
        found = driver.execute_script("return [...document.links].map(a => [a.textContent, a.href])")
        links = [(text, href) for text, href in found if href.startswith("https:")]
        base = f"https://github.com/a/b/blob/{COMMIT}"
        assert links.count(("docs/usage.md:31", f"{base}/docs/usage.md#L31")) >= 4
        assert links.count(("src/fit.py:12", f"{base}/src/fit.py#L12")) == 2
        assert all(href.startswith("https://github.com/a/b") for _, href in links)
        assert driver.execute_script("return window.broken === undefined") and console_errors(driver) == []
        assert HOSTILE in driver.find_element("css selector", "#unasked").text


def test_curves_are_drawn_without_a_script_and_their_names_stay_text(page: Path, tmp_path: Path) -> None:
    with browser(tmp_path / "profile", 360) as driver:
        driver.get(page.as_uri())
        names = [one.text for one in driver.find_elements("css selector", "figcaption b")]
        assert names == ["loss", "<img src=x onerror=alert(1)> loss"]
        drawn = driver.execute_script("return [...document.querySelectorAll('polyline')].map(p => p.getBBox().width)")
        assert len(drawn) == 2 and min(drawn) > 300 and console_errors(driver) == []


def test_it_says_how_to_do_it_again(page: Path) -> None:
    said = page.read_text()
    assert '<a href="run.json">' in said and "ml-agent continue &#39;&lt;script" in said


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_it_fits_every_width_and_follows_the_colour_scheme(page: Path, tmp_path: Path, width: int) -> None:
    with browser(tmp_path / "profile", width, dark=width == 360) as driver:
        driver.get(page.as_uri())
        assert driver.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
        background = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(20, 23, 27)") == (width == 360)
