"""Replies of a trajectory that may be another's."""

from pathlib import Path

import pytest

from ml_agent.model.memory import EarlierReplies
from ml_agent.trajectory import read_trajectory

SOUND = '{"event": "model-call", "request": {"model": "m"}, "reply": [{"index": 0}]}\n'


@pytest.mark.hostile
@pytest.mark.parametrize(
    "line",
    ["[1]", "3", '{"event": "model-call", "reply": [1]}', '{"event": "model-call", "reply": [{}], "request": [1]}',
     '{"event": "model-call", "reply": "x", "request": {}}', '{"event": ["model-call"]}', "{}"],
)  # fmt: skip
def test_what_is_no_event_of_a_reply_is_left_out(line: str, tmp_path: Path) -> None:
    (tmp_path / "trajectory.jsonl").write_text(f"{line}\n{SOUND}")
    replies = EarlierReplies(read_trajectory(tmp_path / "trajectory.jsonl"))
    assert replies.take({"model": "m", "max_tokens": 9}) == {"choices": [{"index": 0}], "usage": None}
    assert replies.take({"model": "m"}) is None
