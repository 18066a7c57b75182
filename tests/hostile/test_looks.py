"""A model that looks around in the sandbox leaves nothing there that an answer of its own then runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ml_agent.draft import Draft
from ml_agent.execution import Executor
from ml_agent.navigator import Workspace
from ml_agent.runs import new_run
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.sandbox.contract import Policy
from ml_agent.sandbox.docker_sandbox import DockerSandbox
from ml_agent.sandbox.local import BubblewrapSandbox
from ml_agent.settings import load_settings
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from tests.servers.git_folders import write_files

HELD_BY = "ml_agent.execution"
KINDS = [
    pytest.param("docker", marks=[pytest.mark.docker, pytest.mark.xdist_group("docker-sandbox")]),
    pytest.param("bubblewrap", marks=pytest.mark.xdist_group("bubblewrap-sandbox")),
]
ATTACKS = {
    "the repository": 'cd "$OLDPWD"; echo "print(666)" > fit.py',
    "a file less": 'cd "$OLDPWD"; rm part.py',
    "a module beside it": 'cd "$OLDPWD"; echo "print(666)" > os.py; echo "print(666)" > random.py',
    "the environment": 'cd "$VIRTUAL_ENV"/lib/python3*/site-packages && echo "import sys; print(666)" > all.pth',
    "the home": 'sed -i s/false/true/ "$VIRTUAL_ENV/pyvenv.cfg"; d=$(python -m site --user-site); mkdir -p "$d"; echo "print(666)" > "$d/usercustomize.py"',
    "a program of the environment": 'rm "$VIRTUAL_ENV/bin/python"; printf "#!/bin/sh\\necho 666\\n" > "$VIRTUAL_ENV/bin/python"; chmod +x "$VIRTUAL_ENV/bin/python"',
    "a folder for temporary files": 'for d in /tmp /var/tmp /dev/shm; do mkdir -p "$d/laid/in"; touch "$d/laid/in/file"; chmod 000 "$d/laid/in"; done',
    "what goes on behind": "(setsid sh -c \"while :; do sleep 0.1; echo 'print(666)' > /workspace/fit.py; done\" >/dev/null 2>&1 &)",
}

_PROGRAM = """
import os, random
print(os.path.exists('part.py') and not any(os.path.exists(f'{place}/laid') for place in ('/tmp', '/var/tmp', '/dev/shm')))
"""


@pytest.fixture(params=KINDS)
def executor(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Executor]:
    if request.param == "bubblewrap" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    folder = new_run(tmp_path / "runs", tmp_path / "run", {})
    kind = DockerSandbox if request.param == "docker" else BubblewrapSandbox
    made = Executor(
        kind(Policy(network="none"), log_folder=folder.logs), load_settings(run="full"), folder, lambda *_, **__: None
    )
    yield made
    made.close()


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_a_look_changes_is_not_there_for_an_answer(attack: str, executor: Executor, tmp_path: Path) -> None:
    root = tmp_path / "repository"
    write_files(root, {"fit.py": _PROGRAM, "part.py": ""})
    workspace = Workspace(index=RepoIndex.open(root, "v"), candidate=Candidate(full_name="a/fit", url=str(root)))
    executor.probe(workspace, ATTACKS[attack])
    outcome = executor.run(workspace, Draft(kind="bash", text="python fit.py", source="llm"), ())
    assert outcome.response.stdout == "True\n", (attack, outcome.response)


def test_after_a_look_that_kept_to_its_copy_the_sandbox_stays(executor: Executor, tmp_path: Path) -> None:
    root = tmp_path / "repository"
    write_files(root, {"fit.py": "print(True)\n"})
    workspace = Workspace(index=RepoIndex.open(root, "v"), candidate=Candidate(full_name="a/fit", url=str(root)))
    cached = 'c=${XDG_CACHE_HOME:-~/.cache}/fonts && mkdir -p "$c" && touch "$c/list"'
    answer = Draft(kind="bash", text="echo >> /tmp/mark; wc -l < /tmp/mark", source="llm")
    assert executor.run(workspace, answer, ()).response.stdout == "1\n"
    assert executor.probe(workspace, f"{cached} /tmp/new new.txt && python fit.py && ls") == "True\nfit.py\nnew.txt"
    assert executor.run(workspace, answer, ()).response.stdout == "2\n"
