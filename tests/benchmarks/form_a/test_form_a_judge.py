"""The published rule and the strict one, over ways in which a run.sh can end."""

from typing import Any

import pytest

from ml_agent.benchmarks.form_a.check import Rules, judge
from ml_agent.benchmarks.form_a.invokes import ScriptUse
from ml_agent.sandbox.contract import Response

RULES = Rules(official_seconds=120, strict_seconds=300)
GOOD = ScriptUse(scripts=("main.py",), own=(), missing=())
TRACEBACK = "Traceback (most recent call last):\n  File ...\nValueError: x\n"


def ended(code: int | None = 0, seconds: float = 5.0, **changes: Any) -> Response:
    return Response(**{"ended": "exited", "exit_code": code, "seconds": seconds, **changes})


@pytest.mark.parametrize(
    ("response", "output", "official", "strict", "code"),
    [
        (ended(0), "", True, True, 0),
        (ended(0), TRACEBACK, True, False, 0),
        (ended(1), "", False, False, 1),
        (ended(1), "KeyboardInterrupt", True, False, 1),
        (ended(0, 200.0), "", True, True, 124),
        (ended(1, 200.0), TRACEBACK, True, False, 124),
        (ended(None, 300.0, ended="timeout"), "", True, True, 124),
        (ended(None, 300.0, ended="timeout"), TRACEBACK, True, False, 124),
        (ended(None, 5.0, ended="out-of-memory", signal=9), "", False, False, 137),
        (ended(None, 5.0, ended="signalled", signal=11), "", False, False, 139),
        (ended(127), "bash: run.sh: not found", False, False, 127),
    ],
)
def test_how_it_ended(response: Response, output: str, official: bool, strict: bool, code: int) -> None:
    checked = judge(response, output, GOOD, RULES)
    assert (checked.official_success, checked.strict_success, checked.exit_code) == (official, strict, code)
    assert bool(checked.reason) != strict


@pytest.mark.parametrize(
    ("use", "reason"),
    [
        (ScriptUse(scripts=(), own=(), missing=()), "not-the-repository"),
        (ScriptUse(scripts=("main.py",), own=(), missing=("0.5", "7")), "value-not-used: 0.5, 7"),
    ],
)
def test_what_it_used(use: ScriptUse, reason: str) -> None:
    checked = judge(ended(0), "", use, RULES)
    assert checked.official_success and not checked.strict_success and checked.reason.startswith(reason)
