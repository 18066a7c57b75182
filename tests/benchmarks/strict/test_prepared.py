"""A clone of the repository and an environment are there already."""

import os
from pathlib import Path

import pytest

from ml_agent.benchmarks.strict import execute
from ml_agent.benchmarks.strict.installed import installed_programs
from ml_agent.benchmarks.strict.libraries import of_repository
from ml_agent.benchmarks.strict.prepared import ACTIVATES, cloning
from ml_agent.benchmarks.strict.score import Case, score


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("git clone https://github.com/some/Kit.git", "Kit"),
        ("git clone --recursive https://github.com/some/kit/ && cd kit", "kit"),
        ("git clone -b main git@github.com:some/kit.git work", "work"),
    ],
)
def test_a_clone_of_the_repository_leads_to_it(tmp_path: Path, text: str, name: str) -> None:
    root = tmp_path / "kit"
    root.mkdir()
    assert "CDPATH" in cloning(text, root, tmp_path)
    assert (tmp_path / "clones" / name).resolve() == root


@pytest.mark.parametrize(
    "text",
    ["git clone https://github.com/some/other", "git clone https://github.com/some/kit ../out", "git pull", "cd kit"],
)
def test_anything_else_leads_nowhere(tmp_path: Path, text: str) -> None:
    assert cloning(text, tmp_path / "kit", tmp_path) == ""


TRAIN = "python examples/train.py --dataset cora"
BEGINS = 'HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"'


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        (f'cd "$(dirname "$0")"\n{TRAIN}', True),
        (f'{BEGINS}; cd "$HERE"\n{TRAIN}', True),
        (f'cd examples; cd "$(dirname "$(readlink -f "${{0}}")")"; {TRAIN}', True),
        (f"set -eu; cd ${{BASH_SOURCE%/*}}; {TRAIN}", True),
        (f'cd "$(dirname "$0")/examples"; {TRAIN}', False),
    ],
)
def test_a_script_lies_in_the_folder_of_the_row(repository: Path, text: str, runs: bool) -> None:
    assert score(text, Case(root=repository, path=".", kind="bash", arguments={})).executes == runs
    if runs:
        inner = text.replace("examples/train.py", "train.py").replace("cd examples; ", "cd ..; ")
        assert score(inner, Case(root=repository, path="examples", kind="bash", arguments={})).executes


@pytest.mark.parametrize(
    "text", ["source .venv/bin/activate", ". ~/env/bin/activate && ls", "a; source $HOME/e/bin/activate\nb"]
)
def test_an_environment_is_active(text: str) -> None:
    assert "activate" not in ACTIVATES.sub(":", text)


@pytest.mark.parametrize("text", ["source setup.sh", "echo source v/bin/activate", "source v/bin/activate.py"])
def test_other_scripts_are_sourced(text: str) -> None:
    assert ACTIVATES.sub(":", text) == text


def test_no_script_of_a_repository_stands_for_the_interpreter(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("python", "tidy", "..."):
        (tmp_path / "bin" / name).write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / "setup.py").write_text(
        "from setuptools import setup\nsetup(scripts=['bin/python', 'bin/tidy', 'bin/...'])\n"
    )
    job = execute.Job(root=tmp_path, path=".", text="python -c 'import nowhere_at_all'", kind="bash")
    assert not execute.run(job, of_repository(tmp_path)).ok
    assert of_repository(tmp_path).console["tidy"] == "bin/tidy"


def test_only_plain_files_of_the_repository_are_installed(tmp_path: Path) -> None:
    root = tmp_path / "kit"
    (root / "bin").mkdir(parents=True)
    (tmp_path / "outside.py").write_text("print(1)\n")
    (root / "bin" / "link").symlink_to(tmp_path / "outside.py")
    os.mkfifo(root / "bin" / "pipe")
    (root / "bin" / "go").write_text("#!/bin/sh\necho 1\n")
    console = {
        "a": "../outside.py",
        "link": "bin/link",
        "pipe": "bin/pipe",
        "go": "bin/go",
        "x/y": "kit:main",
        "k": "kit:main",
    }
    assert {name: judged for name, _, judged in installed_programs(console, root)} == {"go": False, "k": True}
