"""Pasted into an interactive bash, an answer brings back no earlier command of the user's. Bash itself is the judge."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ml_agent.tools.check.host_bash import bash_risks
from ml_agent.tools.check.host_scope import HostScope

pytestmark = pytest.mark.promise(
    "An answer that is pasted into a shell brings back no earlier command.", by="tools.check.host_bash"
)
MARK = "SPRUNG"
EVENTS = ["!!", "!:", "!?SPR?", "!-1", "!$", "^:^true "]
PLAIN = [
    "'", "'", '"', '"', "\\", "#", " #", " ", "\n", "\\\n", "true ", "a", "=", "!", "! ", "[", "]", ";", "|", "x=", "$x", "$", "${", "}", "it's ", "(", ")", "!=1",
]  # fmt: skip
_AROUND = st.lists(st.sampled_from(PLAIN), max_size=6).map("".join)
TEXTS = st.tuples(_AROUND, st.sampled_from(EVENTS), _AROUND).map("".join)
KNOWN = [
    '"a!!"',
    "'\"!!",
    "# it's\n!! '",
    "true \\' !! '",
    "true 'a\n!!",
    "[!!",
    "a!!",
    '"\\!!"',
    "'a' !! 'b'",
    "x\n^:^true ",
]
FINE = [
    "python fit.py --name 'a!b'", 'python fit.py --name "hi!"', "python fit.py --name a\\!b",
    "python fit.py # it is !new", "python fit.py & wait $!",
]  # fmt: skip


def bash_brings_back(text: str, folder: Path) -> bool:
    """Whether an interactive bash puts its earlier command into the text: it then prints what it made of the line."""
    done = subprocess.run(
        ["bash", "--norc", "-i"],
        input=f"set -o history -o histexpand\n: {MARK}\n{text}\n", cwd=folder, capture_output=True, text=True, timeout=120, check=False,
        env={"PATH": "/usr/bin:/bin", "HISTFILE": "/dev/null", "PS1": "", "PS2": ""},
    )  # fmt: skip
    return MARK in done.stderr.replace(f": {MARK}\n", "", 1)


def is_seen(text: str) -> bool:
    """Whether the gate refuses the text."""
    return bool(bash_risks(text, HostScope(named="true a x it's")))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
@example(text=KNOWN[0])
@example(text=KNOWN[1])
@example(text=KNOWN[2])
@example(text=KNOWN[3])
@example(text=KNOWN[4])
def test_what_bash_brings_back_was_seen(text: str, tmp_path: Path) -> None:
    assert is_seen(text) or not bash_brings_back(text, tmp_path)


@pytest.mark.parametrize("text", KNOWN)
def test_known_ways_are_seen_or_harmless(text: str, tmp_path: Path) -> None:
    assert is_seen(text) >= bash_brings_back(text, tmp_path)


def test_the_judge_sees_an_earlier_command(tmp_path: Path) -> None:
    assert bash_brings_back("true !!", tmp_path)
    assert not bash_brings_back("true '!!'", tmp_path)


@pytest.mark.parametrize("text", FINE)
def test_ordinary_exclamation_marks_pass(text: str) -> None:
    assert not is_seen(text)
