"""The bench's report.html in a real browser: it sorts, filters, folds, fits a phone, and hostile text stays text."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.report import compare, of_scores, write_report
from ml_agent.benchmarks.scoring import Score, ScoredRow
from tests.browser import browser, console_errors, require_browser

pytestmark = pytest.mark.slow

HOSTILE = "<script>window.broken=1</script><img src=x onerror='window.broken=1'>"


def scored(subject: str, solved: set[int]) -> Score:
    rows = tuple(
        ScoredRow(
            github_id=1, id=number, passed=(number in solved,), reason=("" if number in solved else f"{HOSTILE} {number}",),
            error_class=("" if number in solved else "E3",), repository="alpha" if number < 3 else "beta", kind="bash",
            instruction=f"do {number} {HOSTILE}", reference=f"python right.py {HOSTILE}", answer=f"python {number}.py {HOSTILE}",
        )
        for number in range(12)
    )  # fmt: skip
    return Score(subject=subject, mode="same-call", rows=rows, name=subject.split()[0])


@pytest.fixture
def page(tmp_path: Path) -> Path:
    require_browser()
    record = tmp_path / "records" / "best" / "1-2-0" / "try-1" / "calls.jsonl"
    record.parent.mkdir(parents=True)
    record.write_text('{"ending": "submitted"}')
    subjects = [scored("best", set(range(9))), scored(f"worst {HOSTILE}", {11}), scored("middle", {1, 2, 3})]
    folder = tmp_path / "scores"
    folder.mkdir()
    write_report(compare(of_scores(subjects, folder)), folder)
    return folder / "report.html"


def test_it_sorts_filters_and_folds(page: Path, tmp_path: Path) -> None:
    with browser(tmp_path / "profile") as driver:
        driver.get(page.as_uri())
        assert console_errors(driver) == [] and driver.execute_script("return window.broken === undefined")
        assert driver.execute_script("return document.querySelectorAll('script').length") == 1

        def column(place: int) -> list[str]:
            script = (
                "return [...document.querySelector('table').rows].slice(1).map(r => r.cells[arguments[0]].textContent)"
            )
            return [text.split()[0] for text in driver.execute_script(script, place)]

        head = driver.find_elements("css selector", "table th button")[2]
        head.click()
        assert column(0) == ["worst", "middle", "best"]
        head.click()
        assert column(0) == ["best", "middle", "worst"]
        head.click()

        shown = driver.find_element("id", "shown")
        assert shown.text == "12 of 12"
        driver.find_element("id", "filter").send_keys("alpha e3")
        assert shown.text == "3 of 12"
        assert (
            driver.execute_script("return [...document.querySelectorAll('#rows tr')].filter(r => !r.hidden).length")
            == 4
        )
        folded = driver.find_element("css selector", "#rows tr:not([hidden]) td.why details")
        assert not folded.get_attribute("open")
        folded.find_element("tag name", "summary").click()
        assert HOSTILE in folded.text


def test_a_row_opens_to_its_answer_its_reference_and_its_record(page: Path, tmp_path: Path) -> None:
    with browser(tmp_path / "profile") as driver:
        driver.get(page.as_uri())
        rows = driver.find_elements("css selector", "#rows tr")[1:]
        (row,) = [one for one in rows if one.find_element("tag name", "summary").text == "1-2"]
        first = row.find_elements("css selector", "td.why details")[0]
        assert "answer" not in first.text
        first.find_element("tag name", "summary").click()
        assert f"python 2.py {HOSTILE}" in first.text and f"python right.py {HOSTILE}" in first.text
        (link,) = driver.find_elements("css selector", "#rows a")
        assert link.text == "record of the run"
        driver.get(link.get_attribute("href"))
        assert "submitted" in driver.find_element("tag name", "body").text


@pytest.mark.parametrize(("width", "dark"), [(360, False), (800, True), (1400, False)])
def test_it_fits_and_follows_the_system(page: Path, tmp_path: Path, width: int, dark: bool) -> None:
    with browser(tmp_path / "profile", width, dark=dark) as driver:
        driver.get(page.as_uri())
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        colour = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert colour == ("rgb(20, 24, 31)" if dark else "rgb(255, 255, 255)")
        driver.save_screenshot(str(tmp_path / "page.png"))
