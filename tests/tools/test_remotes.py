import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.tools.errors import RepositoryError, UnsafeUrlError
from ml_agent.tools.git import mask_url
from ml_agent.tools.remotes import Remotes, local_folder, split_place


@pytest.mark.parametrize(
    ("source", "url"),
    [
        ("owner/name", "https://github.com/owner/name"),
        ("owner/name.git", "https://github.com/owner/name"),
        ("owner/name/", "https://github.com/owner/name"),
        ("github.com/owner/name", "https://github.com/owner/name"),
        ("owner/.github", "https://github.com/owner/.github"),
        ("https://github.com/owner/name/", "https://github.com/owner/name"),
        ("https://gitlab.com/group/sub/name.git", "https://gitlab.com/group/sub/name.git"),
    ],
)
def test_finds_where_a_repository_lives(source: str, url: str) -> None:
    assert Remotes().find(source).url == url


@pytest.mark.parametrize(
    ("target", "place", "script"),
    [
        ("dir", "dir", ""),
        ("dir:a.py", "dir", "a.py"),
        ("owner/name:a/b.py", "owner/name", "a/b.py"),
        ("https://github.com/owner/name", "https://github.com/owner/name", ""),
        ("https://github.com/owner/name:a.py", "https://github.com/owner/name", "a.py"),
        ("https://u:p@host:8080/owner/name:a.py", "https://u:p@host:8080/owner/name", "a.py"),
        ("git@github.com:owner/name.git", "git@github.com:owner/name.git", ""),
        ("file:///srv/x", "file:///srv/x", ""),
        ("", "", ""),
    ],
)
def test_a_script_stands_behind_a_colon_of_no_address(target: str, place: str, script: str) -> None:
    assert split_place(target) == (place, script)


@pytest.mark.parametrize(
    "source",
    [
        "ext::sh -c touch% /tmp/x", "fd::3", "--upload-pack=touch x", "-x/y", "file:///etc", "http://github.com/a/b",
        "ssh://git@github.com/a/b", "git://github.com/a/b", "git@github.com:owner/name.git", "https://host/a/../../b",
        "https://host/a b", "https://host/a\nb", "https://host/a%0ab", "https://-oProxyCommand=x/a", "https://", "https:///a/b",
        "https://[broken/a/b", "HTTPS::x", "a\0b/c",
    ],
)  # fmt: skip
def test_refuses_what_git_must_not_be_given(source: str) -> None:
    with pytest.raises(UnsafeUrlError) as caught:
        Remotes().find(source)
    assert "give " in str(caught.value)  # what to do


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        ("./nowhere", "no such folder"),
        ("/nowhere/at/all", "no such folder"),
        ("~nobody/x", "no such folder"),
        ("bert", "neither OWNER/NAME, nor"),
        ("", "neither OWNER/NAME, nor"),
        ("owner/..", "neither OWNER/NAME, nor"),
        ("a/b/c", "neither OWNER/NAME, nor"),
        ("https://github.com/owner/name/tree/main/sub", "--commit and --path"),
        ("https://github.com/owner", "give https://github.com/OWNER/NAME"),
    ],
)
def test_says_what_is_wrong_with_a_name(source: str, advice: str) -> None:
    with pytest.raises(RepositoryError, match=advice):
        Remotes().find(source)


def test_other_schemes_are_allowed_only_below_the_configured_site() -> None:
    remotes = Remotes("http://localhost:8080/")
    assert remotes.find("owner/name").url == "http://localhost:8080/owner/name"
    assert remotes.find("http://localhost:8080/owner/name").url == "http://localhost:8080/owner/name"
    with pytest.raises(UnsafeUrlError, match="not an https:// URL"):
        remotes.find("http://localhost:80801/owner/name")
    assert Remotes("file:///srv/git").find("owner/name").url == "file:///srv/git/owner/name"


def test_credentials_go_into_the_header_only() -> None:
    remote = Remotes().find("https://user:pa%40ss@example.org/owner/name?token=secret")
    assert remote.url == remote.shown == "https://example.org/owner/name"
    assert base64.b64decode(remote.header.split()[-1]) == b"user:pa@ss"


def test_the_token_is_sent_to_the_configured_site_only() -> None:
    remotes = Remotes(token="t0ken")
    assert base64.b64decode(remotes.find("owner/name").header.split()[-1]) == b"x-access-token:t0ken"
    assert remotes.find("https://github.com/owner/name").header
    assert not remotes.find("https://github.com.evil.org/owner/name").header
    assert not remotes.find("https://example.org/owner/name").header


def test_local_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "owner/name").mkdir(parents=True)
    (tmp_path / "file").write_text("")
    bare = tmp_path / "bare.git"
    (bare / "objects").mkdir(parents=True)
    (bare / "HEAD").write_text("ref: refs/heads/main")
    monkeypatch.chdir(tmp_path)
    assert local_folder("owner/name") == tmp_path / "owner/name"
    assert local_folder("other/name") is None
    assert local_folder("") is None
    assert local_folder("https://host/owner") is None
    with pytest.raises(RepositoryError, match="is a file: give a folder"):
        local_folder("file")
    with pytest.raises(RepositoryError, match="bare git repository"):
        local_folder("bare.git")


@given(source=st.text(max_size=60) | st.from_regex(r"(https|ext|file|-c|git@)[:/a-z@.%\[\]-]{0,40}", fullmatch=True))
def test_git_is_given_nothing_but_https(source: str) -> None:
    try:
        remote = Remotes().find(source)
    except RepositoryError:
        return
    assert remote.url.startswith("https://")
    assert "@" not in remote.url.split("/")[2]
    assert not any(character.isspace() for character in remote.url)


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("https://user:secret@host/a", "https://host/a"),
        ("https://host/a?token=secret", "https://host/a"),
        ("https://user:p@ss@host/a", "https://host/a"),
        ("https://[secret@x/a", "(a malformed URL)"),
        ("owner/name", "owner/name"),
    ],
)
def test_masks_credentials(url: str, masked: str) -> None:
    assert mask_url(url) == masked
