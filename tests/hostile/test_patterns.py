"""Regular expressions on text made to keep them busy: a pattern that tries every way of splitting cannot be stopped by a deadline."""

import importlib
import pkgutil
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import ml_agent
from ml_agent import solve
from ml_agent.errors import UsageError
from ml_agent.tools.python_api.requirements import wanted_by
from ml_agent.tools.signatures import shell_reader
from ml_agent.tools.signatures.sources import Sources
from tests.hostile.used_patterns import used_patterns
from tests.processor_time import TRIES, is_within, within

HELD_BY = "patterns without two ways through one text"
PACKAGES = ("ml_agent", "tools", "prompts", "sandbox")
UNITS = (
    "a ", " ", "a", "1", "1,", "1.", "-", "- ", "\n", " \n", "a=", "a.", "a/", "/", "x:", '"', "'", "`", "(", "[", "<", "_", "a_", "A", "$", "{",
    "a,", " a\n", "#", "*", "=", "--a ", "1 ", "\\", "0x", ". ", "a-", "\t", "http://a", "|", "and a ", "a() {\n", "if a:\n", "${a:-", "${1:-", "a=${a", "one point ", "2 ** ",
)  # fmt: skip
FEW, SOME, MANY = 200, 2_000, 20_000
"""Characters: those that take longest of few are tried on some, and what is not quick there on many."""
QUICK = 0.0015
"""Of processor time, for some characters; no pattern that looks at each of them in turn needs as much."""
GROWTH = 15
"""How much longer many characters may take than some, of which they are ten times as many."""
SECONDS = 0.1
"""Of processor time for many characters; whatever grows in a bad moment of the machine and takes less is quick."""
BOUNDED = {
    "the user's own words": (
        "delivery/request_words.py _FILE", "delivery.request_words._FILE", "request_words.py _OPTION", "request_words.py _ROWS", "request_words.py names", "request_words.py 130",
        "numbers._POINT", "numbers._PART",
        "readings.py _RANGE", 
    ),
    "one answer, or code in it": ("conversation/objects.py _DOTTED", "bash_commands.py 231", "reader.py VARIABLE", "repair_rules.py match"),
    "tried at the beginning of a line, or where a word begins": (
        "lexer.py _PROMPT", "lexer.py _HARMLESS_PROMPT", "read.py RUNS", "read.py CALLS", 
        "secret_files._NAMED", "secret_files._PLACED",
    ),
    "cut before": ("docstrings._PLAIN", "programs.py _HANDS_ON", "outline.py _HEADER", "sandbox/output.py _DOWNLOAD", "sandbox/output.py _PROGRESS"),
}  # fmt: skip
"""Why patterns that take long for long texts see none, and the ends of their places."""
_LEFT_OUT = ("ml_agent.benchmarks",)
"""Modules that are copied into a sandbox and import each other by their short names; the bench reads no foreign text while somebody waits."""


def _patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    for found in pkgutil.walk_packages(ml_agent.__path__, "ml_agent."):
        if found.name.startswith(_LEFT_OUT) or found.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(found.name)).items():
            if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                yield f"{found.name}.{name}", value


def _seconds(pattern: re.Pattern[str], way: str, unit: str, characters: int) -> float:
    text = (unit * characters)[:characters] + "!"
    begun = time.process_time()
    found = getattr(pattern, way)(text)
    if way == "finditer":
        for _ in found:
            pass
    return time.process_time() - begun


def _grows(pattern: re.Pattern[str], way: str, unit: str) -> bool:
    """Whether a text takes much longer than four times what its quarter does, at the best of both: a bad moment of the machine is no growth."""
    quarter, whole = (min(_seconds(pattern, way, unit, n) for _ in range(TRIES)) for n in (MANY // 4, MANY))
    return whole > 7 * quarter


def _is_slow(pattern: re.Pattern[str], way: str) -> str | None:
    """The unit with which the pattern takes a time that grows with the square of the text."""
    units = sorted(UNITS, key=lambda unit: _seconds(pattern, way, unit, FEW))[-3:]
    for unit in units:
        some = _seconds(pattern, way, unit, SOME)
        if some <= QUICK:
            continue
        many = _seconds(pattern, way, unit, MANY)
        if many > SECONDS and many > GROWTH * some and not is_within(many, SECONDS) and _grows(pattern, way, unit):
            return unit
    return None


@pytest.mark.promise("The time that a pattern of ours takes grows with a text as the text does.", by=HELD_BY)
def test_no_pattern_takes_long() -> None:
    of_modules = {(value, "finditer"): name for name, value in _patterns()}
    written = list(used_patterns(PACKAGES))
    known = {one.pattern for one in written}
    distinct = {key: name for key, name in of_modules.items() if key[0] not in known}
    distinct |= {(one.pattern, one.way): one.place for one in written}
    assert len(distinct) > 500
    bounded = tuple(end for ends in BOUNDED.values() for end in ends)
    measured = {key: name for key, name in distinct.items() if not name.endswith(bounded)}
    assert {name: unit for key, name in measured.items() if (unit := _is_slow(*key)) is not None} == {}


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
    with pytest.raises(UsageError, match="the limit is 20,000"):
        solve("a " * 1_000_000, repo="here", run="none")
