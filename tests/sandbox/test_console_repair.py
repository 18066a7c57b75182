"""A command of the repository's own that is not there, for its package cannot be built: what it calls is called."""

import subprocess
import sys
from pathlib import Path

import pytest

from ml_agent.sandbox.contract import Response
from ml_agent.sandbox.diagnosis import RunLocation, diagnose
from ml_agent.sandbox.repair_rules import FailureContext, next_repair
from ml_agent.sandbox.task import Source, Task

DECLARED = {
    "pyproject.toml": '[project]\nname = "x"\n[project.scripts]\nfit-it = "x.cli:main"\n',
    "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    fit-it = x.cli:main\n",
    "setup.py": "from setuptools import setup\nsetup(entry_points={'console_scripts': ['fit-it=x.cli:main']})\n",
}


def failure(root: Path, program: str) -> tuple[str, ...] | None:
    said = f"/bin/bash: line 1: {program}: command not found"
    response = Response(ended="exited", exit_code=127, stderr=said + "\n", error_lines=(said,))
    diagnosis = diagnose(response, f"{program} --lr 1", RunLocation(root=root))
    scene = FailureContext(source=Source(root=root), task=Task(text=f"{program} --lr 1"))
    repair = next_repair(diagnosis, [], scene)
    return repair.arguments if repair else None


@pytest.mark.parametrize("file", DECLARED)
def test_what_a_command_calls_is_called_where_it_cannot_be_installed(file: str, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / file).write_text(DECLARED[file])
    (tmp_path / "x/__init__.py").write_text("")
    (tmp_path / "x/cli.py").write_text("import sys\ndef main():\n    print(sys.argv[1:])\n    return 3\n")
    command = "cd . && fit-it --lr 1 --name fit-it"
    said = "/bin/bash: line 1: fit-it: command not found"
    response = Response(ended="exited", exit_code=127, stderr=said + "\n", error_lines=(said,))
    scene = FailureContext(source=Source(root=tmp_path), task=Task(text=command))
    diagnosis = diagnose(response, command, RunLocation(root=tmp_path))
    then = next_repair(diagnosis, [], scene)
    assert then is not None and then.kind == "command"
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    done = subprocess.run(
        ["bash", "-c", then.arguments[0]], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (3, "['--lr', '1', '--name', 'fit-it']\n"), done.stderr


def test_another_command_is_not(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text(DECLARED["setup.py"])
    assert failure(tmp_path, "it") is None and failure(tmp_path, "frobnicate") is None
