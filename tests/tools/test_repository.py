import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ml_agent.tools.errors import RepositoryError, UnreachableError, UnsafeUrlError
from ml_agent.tools.repository import RepositoryCache
from tests.servers.git_folders import commit_files, write_files
from tests.servers.github_server import About, Fault, GitHubServer

FILES = {"README.md": "# Name", "src/run.py": "print(1)"}
BOOK = About(full_name="owner/book")


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHubServer]:
    with GitHubServer(tmp_path / "github", token="t0ken") as server:
        yield server


@pytest.fixture
def cache(tmp_path: Path, github: GitHubServer) -> RepositoryCache:
    return RepositoryCache(tmp_path / "cache", web=github.url, timeout=20)


def leftovers(cache: RepositoryCache) -> list[Path]:
    return list(cache.folder.rglob(".new-*"))


def test_clones_over_http_and_pins(cache: RepositoryCache, github: GitHubServer) -> None:
    sha = github.publish(BOOK, FILES)
    checkout = cache.get("owner/book")
    assert (checkout.version, checkout.local, checkout.note) == (sha, False, "")
    assert checkout.url == f"{github.url}/owner/book"
    assert checkout.root.name == "book" and checkout.root.parent.name == sha
    assert (checkout.root / "src/run.py").read_text() == "print(1)"
    assert not leftovers(cache)


def test_a_commit_that_is_here_needs_no_network(cache: RepositoryCache, github: GitHubServer) -> None:
    sha = github.publish(BOOK, FILES)
    first = cache.get("owner/book", sha)
    github.requests.clear()
    assert cache.get("owner/book", sha) == first
    assert not github.requests


def test_only_one_commit_is_fetched(cache: RepositoryCache, github: GitHubServer) -> None:
    github.publish(BOOK, FILES)
    github.publish(BOOK, {"more": "more"})
    log = ["git", "-C", str(cache.get("owner/book").root), "rev-list", "--count", "HEAD"]
    assert subprocess.run(log, capture_output=True, text=True, check=True).stdout.strip() == "1"


def test_branches_and_tags_are_resolved(cache: RepositoryCache, github: GitHubServer) -> None:
    old = github.publish(BOOK, FILES)
    folder = github.root / "owner/book"
    for arguments in (["tag", "v1"], ["branch", "feature/one"]):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True)
    person = ["-c", "user.name=Test", "-c", "user.email=test@localhost"]
    subprocess.run(["git", "-C", str(folder), *person, "tag", "-a", "v1.0", "-m", "one"], check=True)
    github.publish(BOOK, {"more": "more"})
    for name in ("v1", "v1.0", "feature/one"):
        assert cache.get("owner/book", name).version == old


def test_local_folders_are_used_in_place(cache: RepositoryCache, tmp_path: Path) -> None:
    write_files(tmp_path / "plain", FILES)
    checkout = cache.get(str(tmp_path / "plain"))
    assert checkout.root == tmp_path / "plain" and checkout.local and checkout.version.startswith("files-")
    with pytest.raises(RepositoryError, match="leave out --commit"):
        cache.get(str(tmp_path / "plain"), "v1")
    sha = commit_files(tmp_path / "work", FILES)
    assert cache.get(str(tmp_path / "work")).version == cache.get(str(tmp_path / "work"), sha).version == sha


def test_another_commit_of_a_local_repository_is_taken_out(cache: RepositoryCache, tmp_path: Path) -> None:
    folder = tmp_path / "my work%20(1)"
    old = commit_files(folder, FILES)
    commit_files(folder, {"src/run.py": "print(2)"})
    checkout = cache.get(str(folder), old)
    assert (checkout.root / "src/run.py").read_text() == "print(1)" and not checkout.local
    assert (folder / "src/run.py").read_text() == "print(2)"


@pytest.mark.parametrize(
    ("source", "commit", "message"),
    [
        (
            "owner/none",
            None,
            "owner/none: no git repository there; check the name; there is no folder of that name here, either$",
        ),
        ("{web}/not/git", None, "no git repository there; check the name$"),
        ("owner/book", "0" * 40, "no commit 0000"),
        ("owner/book", "nobranch", "no branch or tag nobranch .give all 40 digits of a commit."),
        ("/no/such/folder", None, "no such folder"),
        ("nothing", None, "neither OWNER/NAME, nor an https:// URL, nor a folder here"),
        ("https://localhost:1/a/b", None, "cannot be reached .* check the network, or give a folder"),
    ],
)
def test_says_what_to_do(
    cache: RepositoryCache, github: GitHubServer, source: str, commit: str | None, message: str
) -> None:
    github.publish(BOOK, FILES)
    with pytest.raises(RepositoryError, match=message) as caught:
        cache.get(source.format(web=github.url), commit)
    assert "\n" not in str(caught.value)
    assert not leftovers(cache)


@pytest.mark.parametrize("commit", ["--upload-pack=x", "-f", "", "a b", "a\nb", "^HEAD", "HEAD:x", "../x"])
def test_refuses_options_for_commits(cache: RepositoryCache, commit: str) -> None:
    with pytest.raises(UnsafeUrlError, match="give a 40-digit SHA"):
        cache.get("owner/book", commit)


def test_private_repositories_take_the_token(github: GitHubServer, cache: RepositoryCache, tmp_path: Path) -> None:
    sha = github.publish(About(full_name="owner/secret", private=True), FILES)
    with pytest.raises(RepositoryError, match="set GITHUB_TOKEN if it is private"):
        cache.get("owner/secret")
    with pytest.raises(RepositoryError, match="the credentials were refused") as caught:
        RepositoryCache(tmp_path / "wrong", web=github.url, token="wr0ng").get("owner/secret")
    assert "wr0ng" not in str(caught.value)
    assert RepositoryCache(tmp_path / "right", web=github.url, token="t0ken").get("owner/secret").version == sha
    stored = [path.read_bytes() for path in (tmp_path / "right").rglob("*") if path.is_file()]
    assert not any(b"t0ken" in content for content in stored)


def test_a_server_that_stalls_meets_the_deadline(github: GitHubServer, tmp_path: Path) -> None:
    sha = github.publish(BOOK, FILES)
    cache = RepositoryCache(tmp_path / "cache", web=github.url, timeout=0.4)
    for commit in (None, sha):
        github.fail(Fault(stall=True))
        started = time.monotonic()
        with pytest.raises(RepositoryError, match=r"within 0\.4 s .*: allow more"):
            cache.get("owner/book", commit)
        assert time.monotonic() - started < 60
    cache.time_for = lambda most: most / 2
    github.fail(Fault(stall=True))
    with pytest.raises(RepositoryError, match=r"within 0\.2 s"):
        cache.get("owner/book", sha)
    assert not leftovers(cache)
    assert not _processes(github.url)


def test_a_repository_that_is_too_large_is_refused(github: GitHubServer, tmp_path: Path) -> None:
    github.publish(BOOK, {"noise.bin": os.urandom(3_000_000)})
    cache = RepositoryCache(tmp_path / "cache", web=github.url, max_bytes=2_000_000)
    with pytest.raises(RepositoryError, match=r"larger than 2\.0 MB: allow more"):
        cache.get("owner/book")
    assert not leftovers(cache) and not list(cache.folder.rglob("noise.bin"))


def test_large_files_stay_pointers_and_no_hook_runs(
    github: GitHubServer, cache: RepositoryCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\necho downloaded\n")
    trap.chmod(0o755)
    (tmp_path / "post-checkout").symlink_to(trap)
    settings = tmp_path / "gitconfig"
    settings.write_text(
        f'[filter "lfs"]\n\tsmudge = {trap}\n\tprocess = {trap}\n\trequired = true\n[core]\n\thooksPath = {tmp_path}\n'
    )
    github.publish(BOOK, {".gitattributes": "*.bin filter=lfs\n", "weights.bin": pointer})
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    assert (cache.get("owner/book").root / "weights.bin").read_text() == pointer
    assert not (tmp_path / "sprung").exists()


def test_without_network_the_last_commit_is_used_and_said(github: GitHubServer, cache: RepositoryCache) -> None:
    old = github.publish(BOOK, FILES)
    cache.get("owner/book")
    time.sleep(0.01)
    new = github.publish(BOOK, {"more": "more"})
    cache.get("owner/book")
    cache.get("owner/book", old)
    github.fail(Fault(status=503, times=5))
    checkout = cache.get("owner/book")
    assert checkout.version == old != new
    assert checkout.note == "owner/book cannot be reached; using the last known commit"
    with pytest.raises(UnreachableError):
        cache.get("owner/book", "main")


def test_processes_do_not_collide(github: GitHubServer, cache: RepositoryCache) -> None:
    sha = github.publish(BOOK, FILES | {"noise.bin": os.urandom(500_000)})
    workers = [_in_process(cache, github, sha) for _ in range(4)]
    roots = {worker.communicate(timeout=60)[0].strip() for worker in workers}
    assert [worker.returncode for worker in workers] == [0, 0, 0, 0]
    assert roots == {str(cache.get("owner/book", sha).root)}
    assert sum("git-upload-pack" in request.path and request.method == "POST" for request in github.requests) <= 2


def _stalled(cache: RepositoryCache, github: GitHubServer, sha: str) -> "subprocess.Popen[str]":
    """A process in the middle of a clone that does not go on."""
    github.fail(Fault(stall=True, path="/owner/book/git-upload-pack"))
    worker = _in_process(cache, github, sha)
    while not any(request.path.endswith("/git-upload-pack") for request in github.requests):
        time.sleep(0.02)
    assert leftovers(cache)
    return worker


def test_a_lock_that_is_kept_meets_the_deadline(github: GitHubServer, cache: RepositoryCache, tmp_path: Path) -> None:
    sha = github.publish(BOOK, FILES)
    worker = _stalled(cache, github, sha)
    with pytest.raises(RepositoryError, match=r"within 0\.5 s \(another process"):
        RepositoryCache(cache.folder, web=github.url, timeout=0.5).get("owner/book", sha)
    worker.kill()
    worker.communicate()


def test_a_pipe_in_the_place_of_the_lock_is_not_waited_for(cache: RepositoryCache, github: GitHubServer) -> None:
    sha = github.publish(About(full_name="lab/one"), {"a.py": ""})
    home = cache.get("lab/one", sha).root.parent.parent
    shutil.rmtree(home)
    home.mkdir()
    os.mkfifo(home / ".lock")
    assert cache.get("lab/one", sha).root.is_dir()


def _in_process(cache: RepositoryCache, github: GitHubServer, sha: str) -> "subprocess.Popen[str]":
    code = (
        "import sys; from pathlib import Path; from ml_agent.tools.repository import RepositoryCache\n"
        "print(RepositoryCache(Path(sys.argv[1]), web=sys.argv[2]).get('owner/book', sys.argv[3]).root)"
    )
    command = [sys.executable, "-c", code, str(cache.folder), github.url, sha]
    root = str(Path(__file__).parents[2])
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root)


def _processes(text: str) -> list[str]:
    """Command lines of running processes that hold a text."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it ended meanwhile
        found += [line] if text in line and "git" in line.split(" ")[0] else []
    return found
