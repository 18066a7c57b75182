"""Runs that end without one answer: what is offered then, and what an answer says of itself."""

import json
from pathlib import Path

import pytest

import ml_agent
from ml_agent.offline import confidence
from ml_agent.summary import summary
from tests.ml_agent.offline.conftest import Make, repository

__all__ = ["repository"]

SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--{0}', type=float)\np.parse_args()\n"
README = "# Fit\n\nFit and score models of weather at a rate or a level:\n\n    python score.py --level 3\n"


def two_scripts(repository: Make) -> Path:
    place = repository({"fit.py": SCRIPT.format("rate"), "score.py": SCRIPT.format("level"), "README.md": README})
    return place.workspace().index.root


def test_where_no_answer_is_likely_enough_it_shows_what_there_is(
    repository: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = two_scripts(repository)
    monkeypatch.setattr(confidence, "GUESS", 1.1)
    monkeypatch.setattr(confidence, "LIKELY", 1.1)
    monkeypatch.setattr(confidence, "SURE", 1.1)
    result = ml_agent.solve("fit the weather models at a rate of 0.25", repo=str(root), run="none")
    told = json.loads((result.folder / "run.json").read_text())
    assert (told["ending"], told["exit_code"], told["answer"]) == ("unsure", 1, None)
    by_entry = {one["entry"]: one for one in told["offered"]}
    assert by_entry.keys() == {"fit.py", "score.py"}
    assert by_entry["fit.py"]["options"] == ["--rate"]
    assert by_entry["score.py"]["documented"] == "python score.py --level 3 (README.md line 5)"
    assert "name the script" in told["message"] and "--model" in told["message"]
    lines = "\n".join(summary(told))
    assert "answer 1" in lines and "answer 2" in lines and "python score.py --level 3" in lines


@pytest.mark.parametrize(
    "text",
    [
        "Bake me a chocolate cake with a cherry on top.",
        "Book a flight from Berlin to Lisbon for next Friday.",
        f"bake {'cake' * 900} with cherries",
    ],
)
def test_a_request_about_something_else_gets_no_answer(repository: Make, text: str) -> None:
    result = ml_agent.solve(text, repo=str(two_scripts(repository)), run="none")
    assert not result.ok and result.answer is None
    assert result.ending in {"no-repository", "unsure"} and len(result.message) < 400


def test_an_answer_says_how_sure_it_is_and_what_has_no_place(repository: Make) -> None:
    result = ml_agent.solve(
        "fit the weather models at a rate of 0.25 in Oslo", repo=str(two_scripts(repository)), run="none"
    )
    told = json.loads((result.folder / "run.json").read_text())
    assert told["answer"]["level"] in {"sure", "likely", "guess"} and 0 < told["answer"]["confidence"] < 1
    assert "oslo" in told["answer"]["unplaced"]
    assert any(line.startswith("not used") and "oslo" in line for line in summary(told))
