"""What one line says of a run."""

from ml_agent.execution import summary_of
from ml_agent.sandbox.contract import Response


def test_the_line_says_of_which_day_the_libraries_were() -> None:
    well = Response(ended="exited", exit_code=0, seconds=2.0)
    assert summary_of(well) == "ran to its end in 2.0 s"
    assert summary_of(well, dated="libraries as of 2021-04") == "ran to its end in 2.0 s (libraries as of 2021-04)"
