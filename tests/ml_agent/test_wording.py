"""How a run is worded: one of a thing and several, and where a draft comes from."""

import pytest

from ml_agent.draft import Draft
from ml_agent.wording import counted, of_draft


def test_one_is_not_several() -> None:
    assert [counted(number, "request") for number in (0, 1, 2)] == ["0 requests", "1 request", "2 requests"]


@pytest.mark.parametrize(
    ("because", "said"),
    [
        ("fit.py after its signature", "based on fit.py after its signature"),
        ("adapted from README.md:5", "adapted from README.md:5"),
        ("written by the model", "written by the model"),
    ],
)
def test_a_draft_says_where_it_comes_from_in_one_way(because: str, said: str) -> None:
    assert of_draft(Draft(kind="bash", text="python fit.py", because=because)).splitlines()[-1] == said
