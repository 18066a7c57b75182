"""Answers of the whole navigator from which confidence is learned."""

from importlib.resources import files
from pathlib import Path

from ml_agent.benchmarks.fit import whole
from ml_agent.benchmarks.fit.about import LabelledRequest
from ml_agent.matching.confidence import CONFIDENCE_FEATURES

SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--{0}', type=float)\np.parse_args()\n"


def repositories(folder: Path) -> whole.FitPaths:
    for name, option in (("rain", "rate"), ("wind", "speed")):
        (folder / "all" / name).mkdir(parents=True)
        (folder / "all" / name / "fit.py").write_text(SCRIPT.format(option))
        (folder / "all" / name / "README.md").write_text(f"# {name}\n\nFit models of {name} at a {option}.\n")
    (folder / "all" / "notes.txt").write_text("no repository\n")
    (folder / "tables").mkdir()
    weights = files("ml_agent.matching").joinpath("weights.json").read_text(encoding="utf-8")
    (folder / "tables" / "any.json").write_text(weights)
    return whole.FitPaths([folder / "all"], folder / "cache", folder / "tables")


def test_what_another_repository_answers_is_wrong(tmp_path: Path) -> None:
    places = repositories(tmp_path)
    asked = [
        LabelledRequest("rain", "some", "fit the models at a rate of 0.25"),
        LabelledRequest("wind", "some", "fit models, speed 3"),
    ]
    found = list(whole.foreign_answers(asked, places))
    assert [(one.repository, one.group, one.passed) for one in found] == [
        ("wind", whole.FOREIGN, False),
        ("rain", whole.FOREIGN, False),
    ]
    assert all(len(one.vector) == len(CONFIDENCE_FEATURES) and "fit.py" in one.text for one in found)


def test_what_a_repository_turns_down_teaches_nothing(tmp_path: Path) -> None:
    asked = [LabelledRequest("rain", "everyday", "Bake me a chocolate cake with a cherry on top.")]
    assert not list(whole.foreign_answers(asked, repositories(tmp_path)))


def test_answers_elsewhere_are_reported_by_how_sure_they_are(tmp_path: Path) -> None:
    vector = [0.0] * len(CONFIDENCE_FEATURES)
    right = whole.FirstAnswer("a", "a-1", "wild", "bash", "flags", [*vector[:-1], 4.0], True, "python a.py")
    wrong = whole.FirstAnswer("b", "b-1", whole.FOREIGN, "bash", "", vector, False, "python b.py")
    answers = [right._replace(repository=f"a{n}") for n in range(6)] + [
        wrong._replace(repository=f"b{n}") for n in range(6)
    ]
    told = whole.report(answers)
    assert (
        "wild: answered first, right" in told and "of another repository: " in told and "of 6 at least likely" in told
    )
