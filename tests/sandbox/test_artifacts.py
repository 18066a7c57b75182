"""Where a reproduced run gets its repository from."""

import json
import subprocess
from pathlib import Path

import pytest

from sandbox.artifacts import artifacts
from sandbox.session import SessionRecord
from sandbox.task import Source, Task

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def script(root: Path, url: str, version: str = COMMIT) -> str:
    task = Task(text="python run.py")
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
