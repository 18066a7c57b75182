"""Ten kills at random moments, over every command; `python -m benchmarks.kills` makes a hundred."""

import pytest

from ml_agent.benchmarks.kills.__main__ import main
from ml_agent.sandbox.bubblewrap import find_bubblewrap


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ten_kills_are_survived(capsys: pytest.CaptureFixture[str]) -> None:
    if find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    assert main(["--kills", "10", "--seed", "7", "--sandbox", "local"]) == 0, capsys.readouterr().out
