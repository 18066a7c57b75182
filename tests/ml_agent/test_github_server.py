"""The stand-in's answers are what GitHub's own description says; see tests/tools/data/cut_github_openapi.py."""

import gzip
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.servers.github_server import About, Fault, GitHubServer

DESCRIPTION = Path(__file__).parents[1] / "tools/data/github_openapi.json.gz"
REPOSITORY = "/repos/{owner}/{repo}"


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(gzip.decompress(DESCRIPTION.read_bytes()))
    return content


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHubServer]:
    with GitHubServer(tmp_path, token="t0ken") as server:
        about = About(full_name="owner/book", description="Graphs in a book", topics=("graphs", "books"), stars=5)
        server.publish(about, {"README.md": "# Book", "src/deep/run.py": "print(1)"})
        server.publish(About(full_name="other/empty", language=None, stars=7))
        server.publish(About(full_name="owner/secret", private=True), {"README": "secret"})
        yield server


def problems(description: dict[str, Any], path: str, answer: requests.Response) -> list[str]:
    """What in an answer is not as described."""
    resource = Resource.from_contents(description, default_specification=DRAFT202012)
    registry = Registry().with_resource("urn:github", resource)
    pointer = path.replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace("}", "%7D")
    schema = {"$ref": f"urn:github#/answers/{pointer}/{answer.status_code}"}
    errors = Draft202012Validator(schema, registry=registry).iter_errors(answer.json())
    return [f"{'/'.join(map(str, error.path))}: {error.message}"[:200] for error in errors]


@pytest.mark.parametrize(
    ("path", "url", "status"),
    [
        ("/search/repositories", "/search/repositories?q=book", 200),
        ("/search/repositories", "/search/repositories?q=nothing+at+all", 200),
        ("/search/repositories", "/search/repositories?q=", 422),
        ("/search/repositories", "/search/repositories?q=book&per_page=100&page=11", 422),
        (REPOSITORY, "/repos/owner/book", 200),
        (REPOSITORY, "/repos/other/empty", 200),
        (REPOSITORY, "/repos/owner/none", 404),
        (REPOSITORY, "/repos/owner/secret", 404),
        (REPOSITORY + "/readme", "/repos/owner/book/readme", 200),
        (REPOSITORY + "/readme", "/repos/other/empty/readme", 404),
        (REPOSITORY + "/contents/{path}", "/repos/owner/book/contents/src/deep/run.py", 200),
        (REPOSITORY + "/contents/{path}", "/repos/owner/book/contents/src", 200),
        (REPOSITORY + "/contents/{path}", "/repos/owner/book/contents/", 200),
        (REPOSITORY + "/contents/{path}", "/repos/owner/book/contents/none", 404),
        (REPOSITORY + "/git/trees/{tree_sha}", "/repos/owner/book/git/trees/main", 200),
        (REPOSITORY + "/git/trees/{tree_sha}", "/repos/owner/book/git/trees/none", 404),
        ("/rate_limit", "/rate_limit", 200),
    ],
)
def test_answers_are_as_github_describes_them(
    github: GitHubServer, description: dict[str, Any], path: str, url: str, status: int
) -> None:
    answer = requests.get(github.url + url, timeout=5)
    assert answer.status_code == status
    assert problems(description, path, answer) == []
    assert answer.headers["X-RateLimit-Resource"] == ("search" if "search" in url else "core")


def test_the_check_can_fail(github: GitHubServer, description: dict[str, Any]) -> None:
    github.fail(Fault(status=200, body={"total_count": "one", "incomplete_results": False, "items": [{}]}))
    answer = requests.get(github.url + "/search/repositories?q=book", timeout=5)
    assert len(problems(description, "/search/repositories", answer)) > 10


def found(github: GitHubServer, query: str, **more: str | int) -> list[str]:
    answer = requests.get(github.url + "/search/repositories", params={"q": query, **more}, timeout=5).json()
    return [item["full_name"] for item in answer["items"]]


def test_search_asks_for_every_word(github: GitHubServer) -> None:
    assert found(github, "graphs book") == ["owner/book"]
    assert found(github, "graphs of everything") == []
    assert found(github, "stars:>1", sort="stars") == ["other/empty", "owner/book"]
    assert found(github, "stars:>1", sort="stars", order="asc") == ["owner/book", "other/empty"]
    assert found(github, "stars:5..7 language:python") == ["owner/book"]


def test_search_has_pages(github: GitHubServer) -> None:
    for number in range(25):
        github.publish(About(full_name=f"many/repo{number:02}", description="One of many"))
    pages = [found(github, "many", per_page=10, page=page) for page in (1, 2, 3, 4)]
    assert [len(page) for page in pages] == [10, 10, 5, 0]
    answer = requests.get(github.url + "/search/repositories?q=many&per_page=10", timeout=5)
    assert answer.links["next"]["url"].endswith("page=2") and answer.links["last"]["url"].endswith("page=3")
    assert answer.json()["total_count"] == 25


def test_private_repositories_take_the_token(github: GitHubServer) -> None:
    get = f"{github.url}/repos/owner/secret"
    assert requests.get(get, headers={"Authorization": "token t0ken"}, timeout=5).status_code == 200
    assert requests.get(get, headers={"Authorization": "token wrong"}, timeout=5).status_code == 401
    assert requests.get(get, timeout=5).status_code == 404


def test_faults_come_once_and_by_path(github: GitHubServer) -> None:
    github.fail(Fault(status=502, path="/search", times=2))
    github.fail(Fault(status=403, path="/repos", headers={"Retry-After": "3"}))
    search, repository = f"{github.url}/search/repositories?q=book", f"{github.url}/repos/owner/book"
    assert [requests.get(search, timeout=5).status_code for _ in range(3)] == [502, 502, 200]
    first = requests.get(repository, timeout=5)
    assert (first.status_code, first.headers["Retry-After"]) == (403, "3")
    assert requests.get(repository, timeout=5).status_code == 200


def test_requests_are_kept(github: GitHubServer) -> None:
    requests.get(f"{github.url}/rate_limit", headers={"Authorization": "token t0ken"}, timeout=5)
    assert github.requests[-1] == ("GET", "/rate_limit", "token t0ken")


def test_git_clones_and_refuses(github: GitHubServer, tmp_path: Path) -> None:
    def clone(url: str, *settings: str) -> int:
        command = ["git", *settings, "clone", "--quiet", url, str(tmp_path / "clones" / str(len(github.requests)))]
        return subprocess.run(command, capture_output=True, check=False, env={"GIT_TERMINAL_PROMPT": "0"}).returncode

    assert clone(f"{github.url}/owner/book.git") == 0
    assert clone(f"{github.url}/owner/book") == 0
    assert clone(f"{github.url}/owner/none") != 0
    assert clone(f"{github.url}/owner/secret") != 0
    assert clone(f"{github.url}/owner/secret", "-c", "http.extraHeader=Authorization: token t0ken") == 0
