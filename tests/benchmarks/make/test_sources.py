"""Where the repositories come from that rows are made of."""

import subprocess
from pathlib import Path

import pytest

from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.make.sources import sources


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://github.com/some/kit.git", "https://github.com/some/kit"),
        ("https://me:secret@github.com/some/kit", "https://github.com/some/kit"),
        ("git@github.com:some/kit.git", "https://github.com/some/kit"),
        ("https://example.org/some/kit", "https://github.com/local/clone"),
        ("", "https://github.com/local/clone"),
    ],
)
def test_a_clone_says_where_it_is_from_and_no_program_is_asked(
    address: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "clone"
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    if address:
        subprocess.run(["git", "-C", str(folder), "remote", "add", "origin", address], check=True)
    subprocess.run(["git", "-C", str(folder), "remote", "add", "other", "https://github.com/an/other"], check=True)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("GIT_PYTHON_REFRESH", "quiet")
    (source,) = sources([str(folder)])
    assert source.github == expected


def test_a_plain_folder_has_an_address_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "kit").mkdir()
    (source,) = sources([str(tmp_path / "kit")])
    assert source.github == "https://github.com/local/kit"


def test_two_repositories_of_one_name_are_refused(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a/kit", "a/other", "b/Kit")]
    for folder in folders:
        folder.mkdir(parents=True)
    assert [one.name for one in sources([*map(str, folders[:2]), str(folders[0])])] == ["kit", "other"]
    with pytest.raises(BenchError, match="two repositories are called kit"):
        sources([*map(str, folders)])
