"""A real headless browser for tests of pages; they skip themselves where there is none, or fail where one is required."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


REQUIRE_BROWSER = bool(os.environ.get("ML_AGENT_TEST_REQUIRE_BROWSER"))
"""Set by continuous integration where there is one: a test of a page that cannot run is then a failure, not a skip."""


def require_browser() -> None:
    """Skip where Chromium or its driver is missing; fail where they are required."""
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        if REQUIRE_BROWSER:
            pytest.fail("Chromium and chromedriver are required here and are not there")
        pytest.skip("no Chromium here: apt-get install chromium chromium-driver")


@contextmanager
def browser(profile: Path, width: int = 1000, *, dark: bool = False) -> Iterator[Any]:
    """A driven Chromium with a window of that width in pixels and a fresh profile."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in (*_FLAGS, f"--user-data-dir={profile}", f"--window-size={width},900"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        driver.set_page_load_timeout(30)
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
        yield driver
    finally:
        driver.quit()


def console_errors(driver: Any) -> list[str]:
    """What the page logged as severe."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
