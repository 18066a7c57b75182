"""Halves of characters in what models wrote."""

from pathlib import Path

from ml_agent.benchmarks.data import whole
from ml_agent.benchmarks.predictions import Prediction, dump_prediction, load_predictions


def test_halves_are_joined_or_marked() -> None:
    assert whole({"a": ["\ud83d\ude00", "x\ud83d"], "b": 1}) == {"a": ["😀", "x\ufffd"], "b": 1}


def test_a_prediction_with_half_a_character_is_written_and_read(tmp_path: Path) -> None:
    line = dump_prediction(Prediction(github_id=1, id=2, output=("echo \ud83d",)))
    file = tmp_path / "p.jsonl"
    file.write_text(
        line + "\n" + '{"github_id": 1, "id": 3, "output": "echo \\ud83d", "usage": {}}\n', encoding="utf-8"
    )
    assert [one.output for one in load_predictions(file)] == [("echo \ufffd",)] * 2
