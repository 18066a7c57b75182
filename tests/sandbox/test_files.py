"""Files going in, settings going in: nothing more than is meant."""

import io
import os
import tarfile
from pathlib import Path, PurePosixPath

import pytest

from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.files import copy_tree, disk_usage, newer_file, write_tar
from ml_agent.sandbox.held_folder import held_folder
from ml_agent.sandbox.inner_path import InnerPath, safe_relative
from ml_agent.sandbox.pip_settings import PipSettings, read_pip_settings, without_credentials


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "a/b").mkdir(parents=True)
    (root / "a/b/f.txt").write_text("f")
    (root / "script").write_text("#!/bin/sh\n")
    (root / "script").chmod(0o4755)
    (root / "good").symlink_to("a/b/f.txt")
    (root / "folder").symlink_to("a")
    (root / "absolute").symlink_to(root / "a/b/f.txt")
    (root / "up").symlink_to("../secret")
    (root / "a/chain").symlink_to("../up")
    (tmp_path / "secret").write_text("secret")
    os.mkfifo(root / "pipe")
    return root


def test_a_copy_has_no_way_out(tree: Path, tmp_path: Path) -> None:
    with held_folder(tmp_path) as place:
        copy_tree(tree, place, safe_relative("copy"))
    names = sorted(path.relative_to(tmp_path / "copy").as_posix() for path in (tmp_path / "copy").rglob("*"))
    assert names == ["a", "a/b", "a/b/f.txt", "folder", "good", "script"]
    assert (tmp_path / "copy/script").stat().st_mode & 0o7777 == 0o755


def test_an_archive_has_no_way_out(tree: Path) -> None:
    out = io.BytesIO()
    write_tar(tree, safe_relative("x/y"), out, 1000)
    out.seek(0)
    with tarfile.open(fileobj=out) as tar:
        members = {member.name: member for member in tar}
    assert sorted(members) == ["x", "x/y", "x/y/a", "x/y/a/b", "x/y/a/b/f.txt", "x/y/folder", "x/y/good", "x/y/script"]
    assert {member.uid for member in members.values()} == {1000}
    assert members["x/y/script"].mode == 0o755


@pytest.mark.parametrize("path", ["/etc", "../x", "a/../../b"])
def test_paths_that_leave(path: str) -> None:
    with pytest.raises(ValueError):
        safe_relative(path)
    with pytest.raises(ValueError):
        InnerPath(PurePosixPath(path))
    with pytest.raises(ValueError):
        safe_relative("a") / InnerPath(PurePosixPath(path))


def test_new_files_that_count(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("x")
    now = (tmp_path / "old").stat().st_mtime_ns
    assert not newer_file(tmp_path, now)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/a.pyc").write_text("x")
    (tmp_path / "empty").touch()
    assert not newer_file(tmp_path, now)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/out").write_text("x")
    os.utime(tmp_path / "sub/out", ns=(now + 10, now + 10))
    assert newer_file(tmp_path, now)
    assert disk_usage([tmp_path]).size >= 4096


def test_pip_settings_are_read_as_pip_reads_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wheels").mkdir()
    (tmp_path / "index/simple").mkdir(parents=True)
    (tmp_path / "pip.conf").write_text(
        f"[global]\nindex-url = https://u:p@host/simple\nextra-index-url =\n  file://{tmp_path}/index/simple\n  https://b/simple\n[install]\nfind-links = {tmp_path}/wheels\n"
    )
    environment = {
        "PIP_CONFIG_FILE": str(tmp_path / "pip.conf"),
        "HOME": str(tmp_path),
        "HTTPS_PROXY": "http://u:p@proxy:1",
        "XDG_CONFIG_DIRS": "",
    }
    for name in (name for name in os.environ if name.upper().startswith("PIP_") or name.upper().endswith("_PROXY")):
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = read_pip_settings()
    assert settings.index_url == "https://host/simple"
    assert settings.find_links == (f"{tmp_path}/wheels",)
    assert set(settings.folders()) == {tmp_path / "wheels", tmp_path / "index"}
    inside = {tmp_path / "wheels": "/mnt/0", tmp_path / "index": "/mnt/1"}
    values = settings.environment(lambda folder: inside[folder])
    assert values["PIP_FIND_LINKS"] == "/mnt/0"
    assert values["PIP_EXTRA_INDEX_URL"] == "file:///mnt/1/simple https://b/simple"
    assert values["HTTPS_PROXY"] == "http://proxy:1"
    monkeypatch.setenv("PIP_INDEX_URL", "https://other/simple")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    overridden = read_pip_settings()
    assert overridden.index_url == "https://other/simple" and overridden.find_links == settings.find_links


def test_settings_that_pip_cannot_read_are_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pip.conf").write_text("index-url = https://own/simple\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    with pytest.raises(SandboxUnavailableError, match=r"pip\.conf"):
        read_pip_settings()


def test_a_home_folder_is_never_mounted() -> None:
    settings = PipSettings(find_links=(str(Path.home()), "/", "/etc"))
    assert settings.folders() == ()


def test_credentials_are_taken_out() -> None:
    assert without_credentials("https://a:b@c.d:1/x?y") == "https://c.d:1/x?y"
    assert without_credentials("https://c.d/x") == "https://c.d/x"
    assert without_credentials("user:secret@proxy:3128") == "proxy:3128"
    assert without_credentials("http://u:p@[::1:3128") == "http://[::1:3128"
    assert without_credentials("https://c.d/x@1?y=@z") == "https://c.d/x@1?y=@z"
    assert without_credentials("localhost,.corp") == "localhost,.corp"


def test_a_file_that_no_path_reaches_does_not_end_the_look(tmp_path: Path) -> None:
    folder, here = tmp_path, os.open(tmp_path, os.O_RDONLY)
    while len(str(folder)) < 3900:
        os.mkdir("d" * 100, dir_fd=here)
        folder, above = folder / ("d" * 100), here
        here = os.open("d" * 100, os.O_RDONLY, dir_fd=above)
        os.close(above)
    os.close(os.open("f" * 250, os.O_WRONLY | os.O_CREAT, dir_fd=here))
    os.close(here)
    assert not newer_file(tmp_path, 0)
    assert disk_usage([tmp_path]).files > 30
