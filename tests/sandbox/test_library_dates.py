"""Libraries as of the day of a repository: which day and Python, and up to which version each may go."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ml_agent.sandbox.library_dates import as_of, is_old
from ml_agent.sandbox.setup.executor import RELEASE_DATES
from tests.sandbox.dated_index import dated_index

FILES = {
    "plain-1.0-py3-none-any.whl": "2018-01-01",
    "plain-2.0-py3-none-any.whl": "2020-01-01",
    "plain-2.1rc1-py3-none-any.whl": "2020-02-01",
    "plain-3.0-py3-none-any.whl": "2024-01-01",
    "built-1.0-cp37-cp37m-any.whl": "2019-01-01",
    "built-2.0-py2-none-any.whl": "2019-02-01",
    "built-3.0-py3-none-any.whl": "2022-01-01",
    "built-4.0-py3-none-any.whl": "2023-01-01",
    "source_only-1.0.tar.gz": "2019-01-01",
    "source_only-2.0.tar.gz": "2021-01-01",
    "new-1.0.tar.gz": "2024-01-01",
}


@pytest.mark.parametrize(
    ("day", "python", "pythons", "expected"),
    [
        ("2025-03-01", (3, 11), [(3, 11), (3, 8)], ("2025-03-01", "3.11")),
        ("2021-03-01", (3, 11), [(3, 11), (3, 9), (3, 8)], ("2021-03-01", "3.8")),
        ("2017-05-01", (3, 11), [(3, 11), (3, 9), (3, 8)], ("2019-10-14", "3.8")),
        ("2017-05-01", (3, 11), [], ("2022-10-24", "3.11")),
    ],
)
def test_the_day_and_the_python(
    day: str, python: tuple[int, int], pythons: list[tuple[int, int]], expected: tuple[str, str]
) -> None:
    (repair,) = as_of(day, python, pythons)
    assert repair.arguments == expected and repair.why.startswith(f"libraries as of {expected[0][:7]}")


def test_without_a_day_there_is_none() -> None:
    assert not list(as_of("", (3, 11), [(3, 8)])) and not is_old("")
    assert is_old("2021-03-01") and not is_old((datetime.now(UTC) - timedelta(days=90)).date().isoformat())


def test_the_newest_of_the_day_with_a_wheel_else_the_oldest_with_one(tmp_path: Path) -> None:
    with dated_index(tmp_path, FILES) as address:
        done = subprocess.run(
            [sys.executable, "-I", RELEASE_DATES, "2021-06-01", "3.11", "plain", "built", "source-only", "new", "nothing"],
            env={"PIP_INDEX_URL": address, "PATH": os.defpath}, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    assert done.stdout.split() == ["plain<=2.0", "built<=3.0", "source-only<=2.0"], done.stderr
