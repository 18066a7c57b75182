"""Regular expressions on text made to keep them busy: a pattern that tries every way of splitting cannot be stopped by a deadline."""

import importlib
import pkgutil
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ml_agent import solve
from ml_agent.errors import UsageError
from ml_agent.values.guarded import GuardedPattern
from sandbox.setup.requirements import wanted_by
from tests.processor_time import is_within, within
from tools.signatures import shell_reader
from tools.signatures.sources import Sources

HELD_BY = "patterns without two ways through one text"
PACKAGES = ("ml_agent", "tools", "prompts", "sandbox")
UNITS = (
    "a ", " ", "a", "1", "1,", "1.", "-", "- ", "\n", " \n", "a=", "a.", "a/", "/", "x:", '"', "'", "`", "(", "[", "<", "_", "a_", "A", "$", "{",
    "a,", " a\n", "#", "*", "=", "--a ", "1 ", "\\", "0x", ". ", "a-", "\t", "http://a", "|", "and a ", "a() {\n", "if a:\n", "${a:-", "${1:-", "a=${a", "one point ", "2 ** ",
)  # fmt: skip
CHARACTERS = 1_000
SECONDS = 0.4
"""Of processor time: a pattern that is quadratic in what it reads takes a tenth of it, a cubic one three times as much."""
_RUNS_ALONE = "sandbox.stubrun"
"""Its modules are copied into a sandbox and import each other by their short names."""


def _patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    for package in PACKAGES:
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if found.name.startswith(_RUNS_ALONE) or found.name.endswith("__main__"):
                continue
            for name, value in vars(importlib.import_module(found.name)).items():
                if isinstance(value, GuardedPattern):
                    yield f"{found.name}.{name}", value.compiled
                if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                    yield f"{found.name}.{name}", value


def _slowest(pattern: re.Pattern[str]) -> tuple[float, str]:
    """Processor seconds of the unit that takes longest, and the unit."""
    worst = (0.0, "")
    for unit in UNITS:
        begun = time.process_time()
        for _ in pattern.finditer((unit * CHARACTERS)[:CHARACTERS] + "!"):
            pass
        worst = max(worst, (time.process_time() - begun, unit))
    return worst


@pytest.mark.promise("No text of a thousand characters keeps a pattern of ours busy.", by=HELD_BY)
def test_no_pattern_takes_long() -> None:
    distinct = {value: name for name, value in _patterns()}
    assert len(distinct) > 100
    slow = {name: found for value, name in distinct.items() if not is_within((found := _slowest(value))[0], SECONDS)}
    assert not slow


@pytest.mark.parametrize(
    "text", ["\n" * 60_000, "f() {\n" * 15_000, " " * 90_000 + "x\n"], ids=["empty lines", "functions", "blanks"]
)
@pytest.mark.promise("A script or a README of nothing but blanks or beginnings is read at once.", by=HELD_BY)
def test_files_that_are_all_beginnings(tmp_path: Path, text: str) -> None:
    for name in ("run.sh", "README.md"):
        (tmp_path / name).write_text(text)
    within(2.0, lambda: (shell_reader.read(Sources(tmp_path), "run.sh"), wanted_by(tmp_path)))


@pytest.mark.promise("A request of two megabytes is refused in one line.", by="a limit on instructions")
def test_a_request_without_end() -> None:
    with pytest.raises(UsageError, match="20,000 are read"):
        solve("a " * 1_000_000, repo="here", run="none")
