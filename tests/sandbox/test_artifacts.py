"""Where a reproduced run gets its repository from."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from ml_agent.sandbox.artifacts import RUN_MARKS, artifacts
from ml_agent.sandbox.session import SessionRecord
from ml_agent.sandbox.setup.uv import Package
from ml_agent.sandbox.task import Source, Task

COMMIT = "0123456789abcdef0123456789abcdef01234567"

IDNA = Package(name="idna", version="3.7")


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
    call = ["bash", "reproduce.sh", "again"]
    subprocess.run(call, cwd=tmp_path, check=True, timeout=240)
    anew = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    assert anew.returncode == 2 and anew.stderr.count("\n") == 1 and "again exists" in anew.stderr
    assert json.loads((tmp_path / "again/repository/out.json").read_text()) == 7
    assert not (root / "out.json").exists()


@pytest.mark.parametrize(
    ("later", "warned"), [("run.py", True), (".git/index", False), ("runs/1/result.json", False), ("", False)]
)
def test_a_folder_that_has_changed_since_the_run_is_said_to(later: str, warned: bool, tmp_path: Path) -> None:
    root = tmp_path / "a folder"
    for name in ("run.py", ".git/index", *(f"runs/1/{mark}" for mark in RUN_MARKS), "runs/1/result.json"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    for place in root.rglob("*"):
        os.utime(place, (1e9, 1e9))
    (tmp_path / "reproduce.sh").write_text(script(root, "", "files-1"))
    if later:
        os.utime(root / later, (2e9, 2e9))
    done = subprocess.run(
        ["bash", "reproduce.sh", "again"], cwd=tmp_path, check=True, timeout=240, capture_output=True, text=True
    )
    assert ("./run.py" in done.stderr) == warned and "files-1" in (tmp_path / "reproduce.sh").read_text()


def with_inputs(root: Path, mine: Path) -> dict[str, str]:
    """Scripts for a program that reads files of the user's, below two folders."""
    task = Task(
        text="python run.py 'a file.txt' deep/b.txt /data/c.txt", folder="sub", named=frozenset({"/data/c.txt"})
    )
    inputs = ("a file.txt", "deep/b.txt")
    return artifacts(
        SessionRecord(source=Source(root=root), task=task, packages=(IDNA,), inputs=inputs, inputs_from=mine)
    )


@pytest.mark.slow
def test_files_of_the_users_go_where_the_program_runs(tmp_path: Path) -> None:
    root, mine = tmp_path / "root", tmp_path / "my files"
    for place, text in {
        root / "sub/run.py": "import sys\nprint(*[open(name).read() for name in sys.argv[1:3]])\n",
        mine / "a file.txt": "one",
        mine / "deep/b.txt": "two",
    }.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    script = tmp_path / "reproduce.sh"
    script.write_text(
        "\n".join(line for line in with_inputs(root, mine)["reproduce.sh"].splitlines() if "pip install" not in line)
    )
    done = subprocess.run(
        ["bash", str(script), str(tmp_path / "again")], check=True, timeout=240, capture_output=True, text=True
    )
    assert done.stdout == "one two\n"


def test_a_dockerfile_says_how_it_is_built_and_needs_nothing_but_the_repository(tmp_path: Path) -> None:
    mine = tmp_path / "my files"
    text = with_inputs(tmp_path, mine)["Dockerfile"]
    said = text.splitlines()[0]
    assert said.startswith(f"# docker build -t again -f Dockerfile {tmp_path} && {{ docker run --name again ")
    for mount in (f"'{mine}/a file.txt:/workspace/sub/a file.txt:ro'", "/data/c.txt:/data/c.txt:ro"):
        assert f" -v {mount} " in said
    assert said.endswith(" again; docker cp again:/workspace made; docker rm again; }"), "what it makes is not lost"
    assert "COPY requirements.lock" not in text and "idna==3.7" in text


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
