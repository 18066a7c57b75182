import os
from pathlib import Path

import git
import pytest

from ml_agent.tools.content_cache import ContentCache
from ml_agent.tools.versions import commit_date, head_commit, local_version
from tests.servers.git_folders import commit_files, write_files

FILES = {"README.md": "# Title", "src/run.py": "print(1)"}


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    write_files(tmp_path / "plain", FILES)
    return tmp_path / "plain"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    commit_files(tmp_path / "work", FILES)
    return tmp_path / "work"


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


def test_a_clean_work_tree_is_its_commit(work: Path) -> None:
    assert local_version(work) == head_commit(work)
    assert len(local_version(work)) == 40


def test_every_change_of_a_dirty_tree_is_a_new_version(work: Path) -> None:
    head = local_version(work)
    seen = {head}
    for path, content in (("src/run.py", "print(2)"), ("src/run.py", "print(3)"), ("new.py", "a"), ("new.py", "b")):
        write_files(work, {path: content})
        version = local_version(work)
        assert version.startswith(f"{head}-dirty-")
        seen.add(version)
    (work / "README.md").unlink()
    seen.add(local_version(work))
    assert len(seen) == 6


def test_a_kept_version_holds_until_a_file_changes(work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ml_agent.tools.versions._SETTLED", 0)
    known = ContentCache(tmp_path / "versions.sqlite", "m")
    seen = []
    for content in ("print(1)", "print(2)", "print(3)"):
        write_files(work, {"src/run.py": content})
        seen += [local_version(work, known), local_version(work, known), local_version(work)]
    assert seen[0] == head_commit(work)
    assert [len(set(seen[at : at + 3])) for at in (0, 3, 6)] == [1, 1, 1]
    assert len(set(seen)) == 3


def test_nothing_is_written_into_a_work_tree(work: Path) -> None:
    write_files(work, {"src/run.py": "print(1)"})
    os.utime(work / "src/run.py", (1, 1))  # git would like to refresh its index now
    before = snapshot(work)
    local_version(work)
    assert snapshot(work) == before


def test_no_program_that_the_repository_names_is_run(work: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    write_files(work, {".gitattributes": "* filter=evil\n"})
    with (work / ".git/config").open("a") as config:
        config.write(f'[core]\n\tfsmonitor = {trap}\n\thooksPath = {tmp_path}\n[filter "evil"]\n\tclean = {trap}\n')
        config.write(f"\tprocess = {trap}\n\trequired = true\n[include]\n\tpath = more\n")
    (work / ".git/more").write_text(f'[filter "more"]\n\tclean = {trap}\n')
    write_files(work, {"src/run.py": "print(4)", "sub/.gitattributes": "* filter=more", "sub/x": "x"})
    assert "-dirty-" in local_version(work)
    assert not (tmp_path / "sprung").exists()


def test_git_settings_of_the_caller_do_not_lead_elsewhere(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    commit_files(other, {"other.txt": "other"})
    expected = head_commit(work)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert local_version(work) == expected


def test_a_plain_folder_is_its_names_sizes_and_contents(plain: Path) -> None:
    seen = {local_version(plain)}
    assert local_version(plain) in seen
    write_files(plain, {"src/run.py": "print(2)"})
    seen.add(local_version(plain))
    (plain / "src/run.py").rename(plain / "src/main.py")
    seen.add(local_version(plain))
    write_files(plain, {"empty": ""})
    seen.add(local_version(plain))
    assert len(seen) == 4
    assert all(version.startswith("files-") for version in seen)


def test_a_merge_is_of_the_day_of_the_last_change_that_it_joins(tmp_path: Path) -> None:
    work = tmp_path / "work"
    commit_files(work, FILES)
    client = git.Git(str(work))
    person = {f"GIT_{who}_{what}": "test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

    def run(day: str, *words: str) -> None:
        dates = {f"GIT_{who}_DATE": f"{day}T12:00:00+0000" for who in ("AUTHOR", "COMMITTER")}
        with client.custom_environment(**person, **dates, GIT_CONFIG_GLOBAL=os.devnull):
            client.execute(["git", *words])

    commit = ("commit", "--quiet", "--allow-empty", "--no-gpg-sign", "-m")
    run("2024-02-01", "checkout", "--quiet", "-b", "side")
    run("2024-02-01", *commit, "fix")
    run("2024-01-09", "checkout", "--quiet", "main")
    run("2024-01-09", *commit, "main")
    run("2025-03-01", "merge", "--quiet", "--no-ff", "--no-gpg-sign", "-m", "merge", "side")
    assert commit_date(work) == "2024-02-01"
    run("2026-03-01", "clone", "--quiet", "--depth", "1", f"file://{work}", str(tmp_path / "shallow"))
    assert commit_date(tmp_path / "shallow") == "2025-03-01"
