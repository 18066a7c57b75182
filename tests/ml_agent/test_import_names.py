"""A user's own folders may be called as our rooms are: nothing of ours is imported by such a name."""

import asyncio
import json
import os
import site
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOMS = ("tools", "sandbox", "prompts", "benchmarks")
TRAP = "raise SystemExit('imported the folder of the user')\n"
SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's folder with four such names, two of modules and two of packages, and a repository in it."""
    for room in ROOMS:
        place = tmp_path / (f"{room}.py" if room in ROOMS[::2] else f"{room}/__init__.py")
        place.parent.mkdir(exist_ok=True)
        place.write_text(TRAP)
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository/train.py").write_text(SCRIPT)
    return tmp_path


def run(folder: Path, *words: str) -> str:
    """What a program says that begins in a folder which is on its import path."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_from_python(folder: Path) -> None:
    program = "from ml_agent import check\nprint(check('python train.py --lr 1', 'repository').ok)"
    assert run(folder, sys.executable, "-c", program) == "True\n"


def test_on_the_command_line(folder: Path) -> None:
    command = ("check", "python train.py --lr 1", "--repo", "repository", "--json")
    assert json.loads(run(folder, sys.executable, "-m", "ml_agent", *command)) == []
    assert "predict" in run(folder, sys.executable, "-m", "ml_agent", "bench", "--help")


def test_as_a_server_for_coding_agents(folder: Path) -> None:
    mcp = pytest.importorskip("mcp")
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "ml_agent", "mcp"],
        env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=folder,
    )

    async def checked() -> Any:
        async with mcp.Client(server) as client:
            return await client.call_tool("check_command", {"command": "python train.py", "repository": "repository"})

    assert not asyncio.run(checked()).is_error


COMMAND = "import sys; sys.argv = ['ml-agent', 'evil']; from ml_agent.cli import main; main()"
ADDED = "[ml_agent.commands]\nevil = evil:app\n"


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("typing", "re", "pathlib", "signal", "json", "typer"), ("-S", "-m", "ml_agent", "--help")),
        (("pip", "re", "pathlib"), ("-m", "ml_agent", "doctor")),
        (("evil",), ("-c", COMMAND)),
    ],
)
def test_nothing_of_the_working_folder_runs(names: tuple[str, ...], words: tuple[str, ...], tmp_path: Path) -> None:
    """Neither in the place of Python's own modules or of pip, nor as a command that a package adds."""
    trap, hostile = f"open({str(tmp_path / 'ran')!r}, 'a').write(__name__)\n", tmp_path / "hostile"
    (hostile / "evil-1.0.dist-info").mkdir(parents=True)
    (hostile / "evil-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (hostile / "evil-1.0.dist-info/entry_points.txt").write_text(ADDED)
    for name in names:
        (hostile / f"{name}.py").write_text(trap)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *site.getsitepackages()]),
    }
    done = subprocess.run(
        [sys.executable, *words], cwd=hostile, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stdout or "No such command" in done.stderr, done.stderr
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()
