"""Runs that end without one answer: none is likely enough, or the request is about something else."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

import ml_agent
from ml_agent.grounded import navigator
from ml_agent.matching.model import Model
from ml_agent.summary import summary
from ml_agent.unsure import different, lines_of, offer, what_would_decide
from tests.ml_agent.grounded.conftest import Make, repository

__all__ = ["repository"]

SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--{0}', type=float)\np.parse_args()\n"


def two_scripts(repository: Make) -> Path:
    place = repository(
        {
            "fit.py": SCRIPT.format("rate"),
            "score.py": SCRIPT.format("level"),
            "README.md": "# Fit\n\nFit and score models of weather at a rate or a level.\n",
        }
    )
    return place.workspace().index.root


def test_where_no_answer_is_likely_enough_different_ones_are_offered(
    repository: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = two_scripts(repository)
    tables = json.loads(files("ml_agent.matching").joinpath("weights.json").read_text(encoding="utf-8"))
    tables["confidence"] |= {"sure": 1.1, "likely": 1.1, "answered": 1.1}
    monkeypatch.setattr(navigator, "shipped", lambda: Model(tables))
    result = ml_agent.solve("fit the weather models at a rate of 0.25", repo=str(root), run="none")
    told = json.loads((result.folder / "run.json").read_text())
    assert (told["ending"], told["exit_code"], told["answer"]) == ("unsure", 1, None)
    assert {one["entry"] for one in told["offered"]} == {"fit.py", "score.py"}
    assert "fit.py, score.py" in told["message"] or "score.py, fit.py" in told["message"]
    lines = "\n".join(summary(told))
    assert "answer 1" in lines and "answer 2" in lines


@pytest.mark.parametrize(
    "text", ["Bake me a chocolate cake with a cherry on top.", "Book a flight from Berlin to Lisbon for next Friday."]
)
def test_a_request_about_something_else_gets_no_answer(repository: Make, text: str) -> None:
    result = ml_agent.solve(text, repo=str(two_scripts(repository)), run="none")
    assert not result.ok and result.answer is None
    assert (result.ending, "not about this repository" in result.message) == ("no-repository", True)


def test_who_names_the_folder_too_is_answered_all_the_same(repository: Make) -> None:
    root = str(two_scripts(repository))
    text = "Bake me a chocolate cake with a cherry on top."
    refused = ml_agent.solve(text, repo=root, run="none")
    assert refused.ending == "no-repository" and "--path ." in refused.message and "'chocolate'" in refused.message
    assert ml_agent.solve(text, repo=root, path=".", run="none").ending != "no-repository"


def test_a_long_word_is_told_by_its_beginning(repository: Make) -> None:
    result = ml_agent.solve(f"bake {'cake' * 900} with cherries", repo=str(two_scripts(repository)), run="none")
    assert result.ending == "no-repository" and len(result.message) < 400


def test_an_answer_says_how_sure_it_is_and_what_has_no_place(repository: Make) -> None:
    result = ml_agent.solve(
        "fit the weather models at a rate of 0.25 in Oslo", repo=str(two_scripts(repository)), run="none"
    )
    told = json.loads((result.folder / "run.json").read_text())
    assert told["answer"]["level"] in {"sure", "likely", "guess"} and 0 < told["answer"]["confidence"] < 1
    assert "oslo" in told["answer"]["unplaced"]
    assert any(line.startswith("not used") and "oslo" in line for line in summary(told))


def test_the_word_that_says_to_write_a_file_has_its_place(repository: Make) -> None:
    root = two_scripts(repository)
    (root / "fit.py").write_text(SCRIPT.format("rate").replace("p.parse", "p.add_argument('--csv')\np.parse"))
    said = "fit the weather models at a rate of 0.25, save to w.csv"
    told = json.loads((ml_agent.solve(said, repo=str(root), run="none").folder / "run.json").read_text())
    assert "--csv w.csv" in told["answer"]["text"] and "save" not in told["answer"]["unplaced"]


def test_answers_that_call_something_else_come_first(repository: Make) -> None:
    place = repository({"fit.py": SCRIPT.format("rate"), "score.py": SCRIPT.format("level")})
    drafts = place.answers("fit the models at a rate of 0.25", 8)
    chosen = different(drafts)
    assert len(chosen) <= 3 and len({one.entry for one in chosen[:2]}) == 2
    assert "--path" in what_would_decide([offer(chosen[0])])


def test_a_repository_that_says_little_is_asked_for_what_it_does_not_say(repository: Make) -> None:
    place = repository({"run.py": SCRIPT.format("rate"), "README.md": "# Measurements\n\nCompute and tabulate.\n"})
    result = ml_agent.solve("Compute the mean pressure in Oslo.", repo=str(place.workspace().index.root), run="none")
    assert "not about this repository" not in result.message


def test_a_long_answer_is_shown_by_its_beginning() -> None:
    lines = lines_of({"text": "\n".join(f"x{n} = {n}" for n in range(40))})
    assert (len(lines), lines[-1]) == (13, "… 28 more lines, in run.json")
    assert lines_of({"text": "python a.py"}) == ["python a.py"]
