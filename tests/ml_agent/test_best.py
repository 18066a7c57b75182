"""Which of two drafts is kept as the best."""

import pytest

from ml_agent.draft import Draft
from ml_agent.graph import better
from ml_agent.state import State


@pytest.mark.parametrize(
    ("earlier", "later", "evidence", "kept"),
    [
        ("llm", "offline", ("checked", "checked"), "first"),
        ("llm", "offline", ("checked", "started"), "second"),
        ("llm", "llm", ("checked", "checked"), "second"),
        ("offline", "llm", ("checked", "checked"), "second"),
        ("offline", "offline", ("checked", "checked"), "first"),
        ("offline", "offline", ("checked", "started"), "second"),
        ("offline", "offline", ("none", "none"), "first"),
    ],
)
def test_of_drafts_that_got_as_far_a_models_is_not_replaced_by_one_of_the_tables(
    earlier: str, later: str, evidence: tuple[str, str], kept: str
) -> None:
    state: State = {"candidates": [{"full_name": "owner/name"}], "position": 0, "repository": {}}
    first = better(state, Draft(kind="bash", text="first", source=earlier), evidence[0])
    assert first is not None
    state["best"], state["attempts"] = first, [{"draft": first["draft"]}]
    best = better(state, Draft(kind="bash", text="second", source=later), evidence[1])
    assert best is not None and best["draft"]["text"] == kept
