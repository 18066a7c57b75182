"""answer.sh, reproduce.sh, Dockerfile and the terminal, out of names and values that a repository chose."""

import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from ml_agent.answer_gate import host_risks
from ml_agent.as_run import Before
from ml_agent.draft import Draft
from ml_agent.result import _write_answer
from ml_agent.runs import RunFolder
from ml_agent.sandbox.artifacts import artifacts
from ml_agent.sandbox.repository_search import files
from ml_agent.sandbox.script_lines import comment
from ml_agent.sandbox.session import Session, SessionRecord
from ml_agent.sandbox.setup.uv import Package
from ml_agent.sandbox.task import Source, Task
from ml_agent.tools.check.host_scope import HostScope
from ml_agent.tools.files import Tree
from tests.hostile.conftest import ml_agent
from tests.ml_agent.replay.test_tape import Echo
from tests.servers.git_folders import write_files

HELD_BY = "ml_agent.answer_gate, ml_agent.result, sandbox.artifacts"
SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--epochs', type=int)\np.parse_args()\n"
README = "# Toy\n\nTrain the toy model:\n\n```bash\npython train.py --epochs 3\n```\n"
NAMES = ["toy\ntouch sprung\n#", "toy\x1b[1A\x1b[2K", "toy\x9b2J", "toy\rtouch sprung"]
DOCKER = re.compile(r"(?:ARG|FROM|USER|RUN|WORKDIR|COPY|CMD) |# docker build ")


def record(task: Task, **more: object) -> SessionRecord:
    source = Source(root=Path("/repository"), version="0" * 40, url="https://git.invalid/a/b\nRUN touch sprung")
    return SessionRecord(source=source, task=task, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [*NAMES, "toy\u202e", "toy\u200b"])
def test_an_answer_from_a_folder_whose_name_is_more_than_a_name_is_refused(name: str) -> None:
    assert "control characters" in host_risks("python train.py", HostScope(workdir=name))[0].why
    assert host_risks("python train.py", HostScope(workdir="toy models/é")) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_a_terminal_obeys_is_in_no_list_of_files(name: str, tmp_path: Path) -> None:
    write_files(tmp_path, {f"{name}/train.py": SCRIPT, "plain.py": SCRIPT})
    assert Tree(tmp_path).files() == ("plain.py",)
    assert [path.name for path in files(tmp_path)] == ["plain.py"]


@pytest.mark.parametrize("name", NAMES)
def test_a_folders_name_becomes_no_line_of_a_script_or_a_terminal(name: str, tmp_path: Path) -> None:
    write_files(tmp_path / "repo", {f"{name}/train.py": SCRIPT, f"{name}/README.md": README, "README.md": README})
    done = ml_agent(
        "solve", "train the toy model for 5 epochs", "--repo", "repo", "--run", "none", "--out", "out", cwd=tmp_path
    )
    written = [path.read_text() for path in (tmp_path / "out").glob("answer.*")]
    lines = [line for text in (done.stdout, done.stderr, *written) for line in text.splitlines()]
    assert not any(line.strip().startswith("touch") or "\x1b" in line or "\x9b" in line for line in lines), lines


def test_a_comment_is_one_line_whatever_is_in_it() -> None:
    assert comment("a\nb\r\x1b[2Kc\u2028d\x85e") == "# a b  [2Kc d e"


@pytest.mark.parametrize("name", ["toy\nRUN touch sprung", "toy\\", 'a"b $HOME'])
def test_no_name_or_value_is_an_instruction_of_a_dockerfile(name: str) -> None:
    task = Task(text="python train.py", folder=name, environment={"DATA": name})
    text = artifacts(record(task, project=name))["Dockerfile"]
    assert all(DOCKER.match(line) for line in text.splitlines()), text
    assert "\nRUN touch" not in text
    run = json.loads(text.splitlines()[-1].removeprefix("CMD "))[-1]
    said = subprocess.run(
        ["bash", "-c", f'cd() {{ printf %s "$1"; }}; python() {{ :; }}\n{run}'],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == f"/workspace/{name}"


def test_only_versions_are_in_a_lock() -> None:
    names = ["idna", "--extra-index-url=https://x.invalid/simple/#", "evil @ https://x.invalid/e.gz#x", "./a"]
    names += ["-e git+https://x.invalid/a#egg=a"]
    bad = [Package(name="a", version=version) for version in ("1 --hash=x", "1; python_version>'3'", "1\n-e .")]
    said = (*(Package(name=name, version="3.7", hashes=("0\n-e .",)) for name in names), *bad)
    assert artifacts(record(Task(text="python a.py"), packages=said))["requirements.lock"] == "idna==3.7\n"


def test_pip_of_a_script_is_not_a_file_of_the_folder_it_is_started_in(tmp_path: Path) -> None:
    made = artifacts(record(Task(text="python a.py"), packages=(Package(name="idna", version="3.7"),)))
    for text in (made["reproduce.sh"], made["Dockerfile"]):
        assert re.findall(r"python3? (-\w )?-m pip|\"\$python\" (-\w )?-m venv", text)
        assert not re.search(r"python3?\"? -m (?:pip|venv)", text)


def test_code_is_not_written_where_a_folder_of_pythons_path_says() -> None:
    text = 'export PYTHONPATH="$PWD/home/me/evil.py"\npython ml_agent_answer.py'
    script = artifacts(record(Task(text=text, code="x = 1")))["reproduce.sh"]
    assert "cat > ml_agent_answer.py <<" in script and "cat > /home" not in script


@pytest.mark.parametrize(
    "name", ["$(touch sprung)", "`touch sprung`", '"; touch sprung; "', "a\\", "$HOME", "two words"]
)
def test_a_folder_on_pythons_path_is_a_name_to_bash(name: str, tmp_path: Path) -> None:
    source = Source(root=tmp_path, version="x")
    command = Session(Echo(), source).command(Task(text='printf %s "$PYTHONPATH"', paths=(name,)))
    said = subprocess.run(
        ["bash", "-c", command.text], capture_output=True, text=True, cwd=tmp_path, check=True, env={}
    )
    assert said.stdout == f"{tmp_path}/{name}" and not (tmp_path / "sprung").exists()


def test_a_folders_name_does_not_change_the_letters_of_python_code(tmp_path: Path) -> None:
    draft = Draft(kind="python", text="x = '+ACcAOw-print(+ACc-sprung+ACc-)+ACM-'\n", workdir="coding=utf-7")
    best = {"draft": msgspec.to_builtins(draft)}
    for command in ("export A=b", "export A='coding:utf-7'"):
        _write_answer(RunFolder(tmp_path), best, [Before(command=command)])
        said = subprocess.run([sys.executable, "answer.py"], capture_output=True, text=True, cwd=tmp_path, check=True)
        assert said.stdout == ""
