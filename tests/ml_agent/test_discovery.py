"""From an instruction to repositories, without a model."""

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from ml_agent.finder import CANDIDATES, MOST_SEARCHES, collect, source_for
from ml_agent.settings import load_settings
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.errors import SearchError
from ml_agent.tools.github_search import GitHubSearch, Places
from ml_agent.understanding import keywords, rank
from tests.ml_agent.samples.tasks import TASKS
from tests.servers.github_server import About, GitHubServer

INSTRUCTION = "Might you graciously help me to train an APPNP model on Citeseer with a learning rate of 0.01?"


def candidate(name: str, description: str, stars: int = 1) -> Candidate:
    return Candidate(full_name=f"lab/{name}", url=f"lab/{name}", description=description, stars=stars)


def test_keywords_name_the_field_then_the_names() -> None:
    found = keywords(INSTRUCTION)
    assert found[:2] == ("graph neural networks", "APPNP")
    assert "Citeseer" in found and "graciously" not in found and "0.01" not in found


def test_ranks_all_candidates_by_relevance() -> None:
    given = [candidate("plots", "Plotting", 9), candidate("gnn", "Graph neural networks"), candidate("void", "", 9)]
    ranked = rank(INSTRUCTION, given)
    assert [found.full_name for found in ranked] == ["lab/gnn", "lab/plots", "lab/void"]
    assert ranked[0].score > ranked[1].score == ranked[2].score == 0
    assert rank("Something else", ranked) == ranked  # whoever ordered them before is right


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHubServer]:
    with GitHubServer(tmp_path / "github") as server:
        for number in range(40):
            server.publish(
                About(full_name=f"user/toy{number}", description="Speech recognition, my exercise", stars=number % 9)
            )
        server.publish(
            About(
                full_name="lab/scribe",
                description="Speech to text",
                readme="speech recognition with word times",
                stars=900,
            )
        )
        server.publish(About(full_name="lab/old-scribe", description="Speech recognition", archived=True, stars=900))
        yield server


def test_the_crowd_is_left_behind_on_github(github: GitHubServer, tmp_path: Path) -> None:
    source = GitHubSearch(tmp_path / "cache", places=Places(api=github.url))
    text = "Please transcribe talk.wav with the times of the words"
    found = rank(text, collect(text, source))[:CANDIDATES]
    assert found[0].full_name == "lab/scribe" and found[0].why.startswith("mentions speech recognition")
    assert sum(request.path.startswith("/search") for request in github.requests) <= MOST_SEARCHES


def test_a_limit_reached_on_the_way_leaves_what_was_found(github: GitHubServer, tmp_path: Path) -> None:
    make = functools.partial(GitHubSearch, places=Places(api=github.url), max_wait=0.1)
    github.limits["search"] = 1
    assert collect("transcribe the speech in talk.wav", make(tmp_path / "cache"))
    with pytest.raises(SearchError, match="rate limit"):
        collect("transcribe the speech in talk.wav", make(tmp_path / "other"))


def test_the_sample_repositories_are_among_the_first_five_of_their_catalogue() -> None:
    catalog = source_for(load_settings(), "sample")
    misses = []
    for task in TASKS:
        found = rank(task.instruction, collect(task.instruction, catalog))[:CANDIDATES]
        if task.repository not in [hit.full_name.split("/")[1] for hit in found]:
            misses.append(task.id)
    assert misses == []
