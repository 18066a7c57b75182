"""Where a reproduced run gets its repository from."""

import json
import subprocess
from pathlib import Path

import pytest

from sandbox.artifacts import artifacts
from sandbox.session import SessionRecord
from sandbox.task import Source, Task

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def script(root: Path, url: str, version: str = COMMIT, text: str = "python run.py") -> str:
    task = Task(text=text)
    return artifacts(SessionRecord(source=Source(root=root, version=version, url=url), task=task))["reproduce.sh"]


@pytest.mark.parametrize("url", ["https://git.example/a/b.git", "git@git.example:a/b.git", "file:///somewhere/b"])
def test_an_address_is_cloned_at_its_commit(url: str, tmp_path: Path) -> None:
    assert f"remote add origin {url}\n" in script(tmp_path, url)
    assert f"checkout -q {COMMIT}\n" in script(tmp_path, url)


@pytest.mark.parametrize("version", [pytest.param(COMMIT, marks=pytest.mark.slow), "content-hash"])
def test_a_folder_that_is_no_git_repository_is_copied(version: str, tmp_path: Path) -> None:
    root = tmp_path / "a folder"
    root.mkdir()
    (root / "run.py").write_text("import json\njson.dump(7, open('out.json', 'w'))\n")
    (tmp_path / "reproduce.sh").write_text(script(root, str(root), version))
    subprocess.run(["bash", "reproduce.sh", "again"], cwd=tmp_path, check=True, timeout=240)
    assert json.loads((tmp_path / "again/repository/out.json").read_text()) == 7
    assert not (root / "out.json").exists()


def test_a_login_shell_finds_python_in_a_run_that_is_done_again(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "a b").mkdir()
    again = script(tmp_path / "root", "", "content-hash", "bash -lc 'command -v python' > where")
    (tmp_path / "a b/reproduce.sh").write_text(again)
    subprocess.run(["bash", "reproduce.sh", "again"], cwd=tmp_path / "a b", check=True, timeout=240)
    assert (tmp_path / "a b/again/repository/where").read_text().strip() == str(tmp_path / "a b/again/venv/bin/python")
    record = SessionRecord(
        source=Source(root=tmp_path, version=COMMIT, url=""), task=Task(text="bash -lc 'python a.py'")
    )
    lines = artifacts(record)["Dockerfile"].splitlines()
    assert any(line.startswith("RUN [") and ".profile" in line for line in lines)
