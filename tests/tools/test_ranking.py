import string

import pytest

from ml_agent.tools.candidates import Candidate
from ml_agent.tools.query import read_query
from ml_agent.tools.retrieval import Ranker


def candidate(name: str, description: str = "", **more: object) -> Candidate:
    full_name = name if "/" in name else f"lab/{name}"
    return Candidate(full_name=full_name, url=full_name, description=description, **more)  # type: ignore[arg-type]


OTHERS = [candidate(f"other{n}", f"Something else entirely {word}") for n, word in enumerate(string.ascii_lowercase)]


def best(text: str, *candidates: Candidate) -> str:
    return Ranker([*OTHERS, *candidates]).top(read_query(text), 1)[0].full_name


def test_a_repository_describes_its_field() -> None:
    assert (
        best("train a GCN on Cora", candidate("whole", "Graph neural networks"), candidate("half", "Cars"))
        == "lab/whole"
    )


@pytest.mark.parametrize("text", ["use openclip", "use OpenCLIP", "use open_clip for my pictures"])
def test_a_repository_is_found_by_its_own_name(text: str) -> None:
    assert best(text, candidate("open_clip"), candidate("clipper", "use pictures clip")) == "lab/open_clip"
