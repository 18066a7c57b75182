"""The measure of start-up runs every case and says ratios."""

import subprocess
import sys
from pathlib import Path

import pytest

from ml_agent.benchmarks.start_up import CASES, Cost, measure, table
from ml_agent.samples import repository_path


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


def test_a_solve_reads_each_of_its_tables_once(tmp_path: Path) -> None:
    """Parsing one again for each name in it cost more than all that was looked up."""
    code = (
        "import collections, sys\nopened = collections.Counter()\n"
        "sys.addaudithook(lambda event, given: event == 'open' and opened.update([str(given[0])]))\n"
        "from ml_agent.cli import run\nrun(sys.argv[1:])\n"
        "print({name: times for name, times in opened.items() if name.endswith('.toml') and times > 1})"
    )
    words = ["solve", "train the perceptron", "--repo", str(repository_path("planar-nets")), "--run", "none", "--quiet"]
    call = subprocess.run(
        [sys.executable, "-c", code, *words, "--out", str(tmp_path / "run")], capture_output=True, text=True, check=True
    )
    assert call.stdout.splitlines()[-1] == "{}"
