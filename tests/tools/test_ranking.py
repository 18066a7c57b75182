import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.tools.candidates import Candidate
from ml_agent.tools.query import read_query
from ml_agent.tools.ranking import Ranker


def candidate(name: str, description: str = "", topics: tuple[str, ...] = (), **more: str | int) -> Candidate:
    full_name = name if "/" in name else f"lab/{name}"
    return Candidate(full_name=full_name, url=full_name, description=description, topics=topics, **more)  # type: ignore[arg-type]


OTHERS = [candidate(f"other{n}", f"Something else entirely {word}") for n, word in enumerate(string.ascii_lowercase)]


def best(text: str, *candidates: Candidate) -> str:
    return Ranker([*OTHERS, *candidates]).top(read_query(text), 1)[0].full_name


@pytest.mark.parametrize("text", ["use openclip", "use OpenCLIP", "use open_clip for my pictures"])
def test_a_repository_is_found_by_its_own_name(text: str) -> None:
    assert best(text, candidate("open_clip"), candidate("clipper", "use pictures clip")) == "lab/open_clip"


def test_a_checkpoint_names_the_repository_of_its_family() -> None:
    assert best("sample with XYZ-II-M-v1.0", candidate("XYZ"), candidate("abc", "sample")) == "lab/XYZ"


def test_stars_and_order_do_not_count() -> None:
    few, many = candidate("few", "Graph neural networks", stars=1), candidate("many", "Graph networks", stars=10**6)
    for candidates in ([few, many], [many, few]):
        assert Ranker([*OTHERS, *candidates]).top(read_query("graph neural networks"), 1)[0].full_name == "lab/few"


def test_readme_counts_where_it_is_known() -> None:
    assert (
        best("transcribe speech", candidate("quiet", readme_head="Speech recognition"), candidate("x", "text"))
        == "lab/quiet"
    )


@given(st.lists(st.text(max_size=40), max_size=6), st.text(max_size=60))
def test_scores_are_finite_and_sorted(descriptions: list[str], text: str) -> None:
    candidates = [candidate(f"r{n}", description) for n, description in enumerate(descriptions)]
    scores = [found.score for found in Ranker(candidates).top(read_query(text), 9)]
    assert scores == sorted(scores, reverse=True) and all(0 < score < 1e6 for score in scores)
