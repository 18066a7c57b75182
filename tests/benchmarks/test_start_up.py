"""The measure of start-up runs every case and says ratios."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.start_up import CASES, Cost, measure, table


@pytest.mark.slow
def test_every_case_runs_and_help_stays_far_below_a_solve(tmp_path: Path) -> None:
    costs = measure(1, tmp_path)
    assert costs.keys() == CASES.keys()
    assert (
        costs["import ml_agent"].processor
        < costs["ml-agent --help"].processor
        < costs["ml-agent solve, indexed"].processor
    )


def test_the_table_states_ratios() -> None:
    assert "| `b` | 0.50 | 0.60 | 25 |" in table({"a": Cost(0.02, 0.03), "b": Cost(0.5, 0.6)})


def test_workers_without_a_model_do_without_its_client() -> None:
    """Importing it takes longer than all else that a worker imports."""
    code = "import sys, benchmarks.predict.respondent; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
