import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ml_agent.tools import github_search
from ml_agent.tools.candidates import Wanted
from ml_agent.tools.errors import RateLimitError, SearchError
from ml_agent.tools.github_search import MAX_QUERY, GitHubSearch, Places, words_of
from tests.servers.github_server import About, Fault, GitHubServer

SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
PRIMARY = {"message": "API rate limit exceeded for 127.0.0.1."}


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHubServer]:
    with GitHubServer(tmp_path / "github", token="t0ken") as server:
        server.publish(About(full_name="lab/graphs", description="Graph neural networks", topics=("gnn",), stars=9))
        server.publish(
            About(full_name="lab/proteins", description="Language models of proteins"), {"README.md": "# P\n" * 999}
        )
        server.publish(About(full_name="lab/networks", description="Neural networks for beginners"))
        yield server


Make = Callable[..., GitHubSearch]


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults are asked again at once."""
    monkeypatch.setattr(github_search, "BACKOFF", 0.01)


@pytest.fixture
def make(tmp_path: Path, github: GitHubServer) -> Make:
    def search(token: str | None = None, max_wait: float = 5.0, max_age: float = 3600.0) -> GitHubSearch:
        places = Places(api=github.url, web=github.url, packages=f"{github.url}/packages")
        return GitHubSearch(tmp_path / "cache", token=token, places=places, max_wait=max_wait, max_age=max_age)

    return search


def names(search: GitHubSearch, query: str, **more: Any) -> list[str]:
    return [candidate.full_name for candidate in search.search(Wanted(query=query, **more))]


def test_finds_with_the_meta_information_and_one_request(make: Make, github: GitHubServer) -> None:
    (found,) = make().search(Wanted(query="graph neural"))
    assert (found.full_name, found.url, found.source, found.stars) == ("lab/graphs", "lab/graphs", "github", 9)
    assert (found.description, found.topics, found.language) == ("Graph neural networks", ("gnn",), "Python")
    assert len(github.requests) == 1


def test_every_word_is_asked_for_and_every_condition(make: Make, github: GitHubServer) -> None:
    github.publish(About(full_name="lab/old", description="Graph networks", stars=50, pushed="2019-01-01T00:00:00Z"))
    assert names(make(), "graph neural citeseer") == []
    assert set(names(make(), "graph networks")) == {"lab/old", "lab/graphs"}
    assert names(make(), "graph networks", min_stars=10) == ["lab/old"]
    assert names(make(), "graph networks", pushed_after="2023") == ["lab/graphs"]
    assert names(make(), "", topic="gnn") == ["lab/graphs"] and names(make(), "graph", language="C++") == []


def test_a_look_shows_files_and_readme_and_costs_nothing_again(make: Make, github: GitHubServer) -> None:
    found = make().look("lab/proteins")
    assert found is not None and found.files == ("README.md",) and found.candidate.readme_head.startswith("# P\n# P")
    asked = len(github.requests)
    assert make().look("lab/proteins") == found and len(github.requests) == asked
    github.limits["core"] = 0
    assert make(max_age=0).look("lab/proteins") == found  # unchanged since: such an answer does not count
    assert make().look("lab/none of these") is None is make().find("../lab/graphs")


def test_a_query_holds_only_words_and_our_own_qualifiers() -> None:
    asked = Wanted(query='user:evil "a phrase" NOT a', topic="x stars:>1", language="C++", pushed_after="tomorrow")
    assert words_of(asked) == "user evil a phrase language:C++ topic:x-stars-1"
    assert len(words_of(Wanted(query=" ".join(f"word{n}" for n in range(99)), topic="x"))) <= MAX_QUERY


def test_answers_are_kept_on_disk(make: Make, github: GitHubServer) -> None:
    first = make().search(Wanted(query="networks"))
    assert make().search(Wanted(query="networks")) == first
    assert len(github.requests) == 1
    assert make(max_age=0).search(Wanted(query="networks")) == first
    assert len(github.requests) == 2


def test_the_token_is_sent_and_never_shown(make: Make, github: GitHubServer) -> None:
    github.publish(About(full_name="lab/secret", private=True))
    assert names(make(token="t0ken"), "secret") == ["lab/secret"]
    with pytest.raises(SearchError, match="refuses the token; correct GITHUB_TOKEN, or unset it") as caught:
        names(make(token="wr0ng"), "another")
    assert "wr0ng" not in str(caught.value)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=403, headers={"Retry-After": "1"}, body=SECONDARY),
        Fault(status=429, headers={"Retry-After": "1"}, body=SECONDARY),
        Fault(status=403, body=PRIMARY, headers={"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0"}),
        Fault(status=502, times=2),
        Fault(status=503),
    ],
    ids=["secondary", "429", "primary", "502", "503"],
)
def test_passing_faults_are_waited_out(make: Make, github: GitHubServer, fault: Fault) -> None:
    if "X-RateLimit-Reset" in fault.headers:
        fault.headers["X-RateLimit-Reset"] = str(int(time.time()) + 1)
    github.fail(fault)
    assert names(make(), "graph") == ["lab/graphs"]
    assert len(github.requests) >= 2


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault(status=403, headers={"Retry-After": "3600"}, body=SECONDARY), RateLimitError),
        (Fault(status=429, headers={"Retry-After": "3600"}, body=SECONDARY), RateLimitError),
        (Fault(status=429, body=SECONDARY), RateLimitError),
        (Fault(status=403, body=PRIMARY, headers={"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9999999999"}), RateLimitError),
        (Fault(status=403, body=SECONDARY), RateLimitError),
        (Fault(status=403, body={"message": "Forbidden"}), SearchError),
        (Fault(status=422, body={"message": "Validation Failed"}), SearchError),
        (Fault(status=403, body=PRIMARY, headers={"X-RateLimit-Remaining": "0", "Retry-After": "0"}, times=9), RateLimitError),
        (Fault(status=502, times=9), SearchError),
    ],
    ids=["retry-after", "429-retry-after", "429", "primary", "secondary", "forbidden", "422", "limited-for-good", "502"],
)  # fmt: skip
def test_lasting_faults_are_errors_with_advice(
    make: Make, github: GitHubServer, fault: Fault, kind: type[SearchError]
) -> None:
    github.fail(fault)
    started = time.monotonic()
    with pytest.raises(SearchError, match="catalog") as caught:
        names(make(max_wait=0.5), "graph")
    assert type(caught.value) is kind
    assert time.monotonic() - started < 100
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=200, body=b"<html>log in</html>", headers={"Content-Type": "text/html"}),
        Fault(status=200, body=b'{"total_count": 1, "items": ['),
        Fault(status=200, body=b"\xff\xfe"),
        Fault(status=200, body=[1, 2]),
        Fault(status=200, body=b"null"),
        Fault(status=200, body={"total_count": 3}),
        Fault(status=200, body={"total_count": 3, "items": None}),
        Fault(status=200, body={"total_count": 3, "items": [{"full_name": 5}]}),
        Fault(status=301, headers={"Location": "/search/repositories?again"}, times=9999),
        Fault(status=302, headers={"Location": "/search/repositories"}),
    ],
    ids=["page", "cut", "no-text", "list", "null", "no-items", "items-null", "odd-types", "circle", "302"],
)
def test_an_answer_that_is_none_is_an_error_and_not_kept(make: Make, github: GitHubServer, fault: Fault) -> None:
    github.fail(fault)
    with pytest.raises(SearchError, match=r"GitHub's answer cannot be read; .*catalog"):
        names(make(), "graph")
    fault.times = 0
    assert names(make(), "graph") == ["lab/graphs"]


def test_the_time_of_a_query_is_limited(make: Make, github: GitHubServer) -> None:
    github.fail(Fault(stall=True))
    search = make()
    search.time_for = lambda most: min(most, 0.3)
    started = time.monotonic()
    with pytest.raises(SearchError, match="did not answer within"):
        search.search(Wanted(query="graph"))
    assert time.monotonic() - started < 5
