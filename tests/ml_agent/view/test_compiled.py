"""The template that comes compiled is the one that is there, and is used by the jinja2 that compiled it alone."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from ml_agent.view.compiled import report_page
from ml_agent.view.page import page_of
from ml_agent.view.report import template

ROOT = Path(__file__).parents[3]
RESULT: dict[str, Any] = {
    "id": "1", "instruction": "<b>fit</b>", "ending": "checked", "exit_code": 0, "message": "", "evidence": "checked", "usd": None,
    "versions": {}, "answer": {"kind": "bash", "text": "python fit.py --lr 1", "because": "adapted from README.md:3", "ledger": []},
    "repository": {"name": "a/b", "url": "https://github.com/a/b", "version": "a" * 40},
    "budget": {"prompt_tokens": 1, "completion_tokens": 1, "calls": 1, "seconds": 1.0},
}  # fmt: skip


@pytest.mark.skipif(version("jinja2") != report_page.JINJA2, reason="another jinja2 is installed")
def test_it_is_up_to_date() -> None:
    check = subprocess.run([sys.executable, ROOT / "scripts/compile-templates.py", "--check"], check=False)
    assert check.returncode == 0, "stale: run scripts/compile-templates.py"


def test_it_says_what_the_source_says_and_is_left_alone_by_another_version() -> None:
    pages = []
    for installed in (report_page.JINJA2, "0"):
        found = template(installed)
        pages.append(found.render(page=page_of(RESULT, []), outputs=[], logs=[], log="", files=["run.json"], run="1"))
        assert str(found.filename).endswith("report_page.py") == (installed == report_page.JINJA2)
    assert pages[0] == pages[1] and "&lt;b&gt;fit" in pages[0] and "README.md#L3" in pages[0]
