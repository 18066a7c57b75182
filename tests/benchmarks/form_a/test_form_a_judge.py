"""The published rule and the executed one, over ways in which a run.sh can end."""

from pathlib import Path
from typing import Any

import pytest

from ml_agent.benchmarks.form_a.check import Rules, judge, uses
from ml_agent.sandbox.contract import Response

RULES = Rules(official_seconds=120, seconds=300)
TRACEBACK = "Traceback (most recent call last):\n  File ...\nValueError: x\n"


def ended(code: int | None = 0, seconds: float = 5.0, **changes: Any) -> Response:
    return Response(**{"ended": "exited", "exit_code": code, "seconds": seconds, **changes})


@pytest.mark.parametrize(
    ("response", "output", "official", "executed", "code"),
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
def test_how_it_ended(response: Response, output: str, official: bool, executed: bool, code: int) -> None:
    checked = judge(response, output, True, RULES)
    assert (checked.official_success, checked.executed, checked.exit_code) == (official, executed, code)
    assert bool(checked.reason) != executed


def test_what_has_nothing_to_do_with_the_repository_is_not_executed() -> None:
    checked = judge(ended(0), "", False, RULES)
    assert checked.official_success and not checked.executed and checked.reason.startswith("not-the-repository")


@pytest.mark.parametrize(
    ("script", "used"),
    [
        ("python train.py --lr 0.5", True),
        ("#!/bin/bash\nset -e\npip install -r ../requirements.txt\npython3 -u train.py > log 2>&1", True),
        ("cd .. && python main.py", True),
        ("python /workspace/toy/main.py", True),
        ("timeout 60 torchrun --nproc_per_node 1 train.py", True),
        ("bash ../tools/prepare.sh 0.5 7", True),
        ("python -m netlib.train", True),
        ("net-train --lr 0.5", True),
        ("python - <<EOF\nfrom netlib import fit\nfit(lr=0.5)\nEOF", True),
        ("true", False),
        ("sleep 200", False),
        ("#!/bin/bash\n# python train.py\nexit 0", False),
        ("echo python train.py", False),
        ("python other.py", False),
        ("pip install netlib", False),
        ("python -c 'import torch'", False),
        ("bash run.sh", False),
    ],
)
def test_which_scripts_use_the_repository(script: str, used: bool, tmp_path: Path) -> None:
    for path in ("main.py", "tools/prepare.sh", "examples/train.py", "src/netlib/__init__.py", "src/netlib/cli.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    scripts = '[project]\nname = "netlib"\n[project.scripts]\nnet-train = "netlib.cli:main"\n'
    (tmp_path / "pyproject.toml").write_text(scripts)
    assert uses(script, tmp_path, "examples") is used
