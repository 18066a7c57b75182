"""Marked requests as items."""

import json
from pathlib import Path

import pytest

from ml_agent.benchmarks.encoder.items import ChoiceSpan, Item, Span, items

SCRIPT = """import argparse
p = argparse.ArgumentParser(description="Teach a duck.")
p.add_argument("--epochs", type=int, default=5, help="number of epochs")
p.add_argument("--optimizer", choices=["sgd", "adam"], default="sgd")
p.add_argument("--quiet", action="store_true")
p.parse_args()
"""


def read(tmp_path: Path, text: str, kept_back: tuple[str, ...] = (), repository: str = "pond") -> list[Item]:
    folder = tmp_path / "repositories" / repository
    folder.mkdir(parents=True)
    (folder / "train.py").write_text(SCRIPT)
    row = {"github": f"someone/{repository}", "entry": "train.py", "subcommand": [], "name": "", "text": text}
    marked = tmp_path / "marked.jsonl"
    marked.write_text(json.dumps(row) + "\n")
    return list(items(marked, [tmp_path / "repositories"], tmp_path / "cache", kept_back))


def test_marks_are_stretches_of_the_plain_text(tmp_path: Path) -> None:
    (item,) = read(
        tmp_path, "For {{20|--epochs}} rounds, {{silently|--quiet=True}}, with {{Adam|--optimizer=adam}}, in 2019."
    )
    assert item.text == "For 20 rounds, silently, with Adam, in 2019."
    said = {item.text[span.start : span.end]: span.option for span in item.spans}
    assert said == {"20": 0, "silently": 2, "Adam": 1, "2019": -1}
    assert item.options[0].startswith("epochs; number of epochs")
    assert item.chosen == (ChoiceSpan(30, 34, ("optimizer: sgd", "optimizer: adam"), 1),)


def test_a_spelled_value_without_a_mark_is_not_called_idle(tmp_path: Path) -> None:
    (item,) = read(tmp_path, "with --epochs={{20|--epochs}} and --breads=3")
    assert item.spans == (Span(14, 16, 0),)


@pytest.mark.parametrize("text", ["{{20|--rounds}}", "{{20|}}"])
def test_a_request_that_marks_what_is_not_there_is_left_out(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == []


def test_what_is_kept_back_teaches_nothing(tmp_path: Path) -> None:
    assert read(tmp_path / "a", "{{20|--epochs}}", kept_back=("pond",)) == []
    assert read(tmp_path / "b", "{{20|--epochs}}", repository="patchtst") == []
