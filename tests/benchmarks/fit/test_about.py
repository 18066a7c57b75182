"""Fitting what tells whether a request is about a repository."""

import json
import random
from pathlib import Path

import pytest

from ml_agent.benchmarks.fit import about
from ml_agent.matching.about import ABOUT_FEATURES, RelevanceModel
from ml_agent.matching.mentions import read_request
from ml_agent.matching.vocabulary import Vocabulary

_COMMON = ["train", "model", "epoch", "dataset", "batch"]


def book(*own: str) -> Vocabulary:
    """The words of a repository that has some of its own."""
    said = dict.fromkeys([*_COMMON, *own], 2)
    return Vocabulary(
        said, 10, frozenset(own[:1]), frozenset(["epoch"]), frozenset(said) | {f"filler{n}" for n in range(80)}
    )


@pytest.fixture
def books() -> dict[str, Vocabulary]:
    """Forty repositories, each with words that no other has."""
    return {f"r{n}": book(f"violin{n}", f"cello{n}", f"harp{n}") for n in range(40)}


def test_terms_that_many_use_are_common(books: dict[str, Vocabulary]) -> None:
    table = about.usual(books)
    assert set(_COMMON) <= table["terms"].keys() and "violin1" not in table["terms"]
    assert table["terms"]["train"] == [1.0, 0.1]
    assert table["rare"][0] < about.LEAST_SHARE


def test_own_requests_are_told_from_others_by_repositories_that_were_left_out(books: dict[str, Vocabulary]) -> None:
    names = sorted(books)
    asked = [
        about.LabelledRequest(name, "some", f"Train the violin{name[1:]} on cello{name[1:]} for 3 epochs")
        for name in names
    ]
    table = about.usual(books)
    fold = {name: place % about.FOLDS for place, name in enumerate(names)}
    pairs = about.paired(asked, books, dict.fromkeys(names, names), table)
    assert sum(one.own for one in pairs) == 40 and len(pairs) == 40 * (1 + about.OTHERS)
    scores = about.held_out(pairs, fold)
    own = [score for one, score in zip(pairs, scores, strict=True) if one.own]
    others = [score for one, score in zip(pairs, scores, strict=True) if not one.own]
    assert min(own) > max(others)
    assert "100.0% of 120 others" in about.report(pairs, scores, min(own))
    made = RelevanceModel(about.fitted(pairs) | table | {"least": 0.0})
    statement = read_request("Train the violin3 on cello3")
    assert made.score(statement, books["r3"]) == pytest.approx(
        about.scored(about.fitted(pairs), made.vector(statement, books["r3"]))
    )
    assert made.foreign_terms(read_request("Train the violin3 on harp9 with timpani"), books["r5"])


def test_everyday_requests_are_about_no_repository(books: dict[str, Vocabulary]) -> None:
    pairs = about.nowhere(sorted(books), books, about.usual(books))
    assert len(pairs) == len(about.everyday()) * about.NOWHERE and not any(one.own for one in pairs)
    assert len(pairs[0].vector) == len(ABOUT_FEATURES)


def test_marked_requests_lose_their_marks_and_are_few(tmp_path: Path) -> None:
    file = tmp_path / "marked.jsonl"
    line = {"github": "https://example.org/One/Tuner", "text": "Tune it {{twice|--times=2}}."}
    file.write_text("".join(json.dumps(line) + "\n" for _ in range(20)))
    found = about.requests(file, random.Random(0))
    assert len(found) == about.MOST_OF_ONE
    assert (found[0].repository, found[0].text) == ("tuner", "Tune it twice.")
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"github": "https://example.org/One/Tuner/", "instruction": "Tune."}) + "\n")
    assert [one.text for one in about.requests(rows, random.Random(0))] == ["Tune."]
