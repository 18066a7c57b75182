"""What a person sees on a real terminal, and what a pipe gets."""

import re
import shutil
from pathlib import Path

import pytest

from ml_agent.samples import repository_path
from tests.command import ml_agent
from tests.terminal import Seen, on_terminal

TASK = "train the perceptron for 25 epochs with learning rate 0.05"
SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--{0}', type=float)\np.parse_args()\n"
UNSURE = "models of weather in the cellar at 7, 3, 12, 40, 8 and 9"
COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-9;]*m")


@pytest.fixture
def planar(tmp_path: Path) -> Path:
    return Path(shutil.copytree(repository_path("planar-nets"), tmp_path / "planar-nets"))


@pytest.fixture
def two(tmp_path: Path) -> Path:
    root = tmp_path / "two"
    root.mkdir()
    (root / "fit.py").write_text(SCRIPT.format("rate"))
    (root / "score.py").write_text(SCRIPT.format("level"))
    (root / "README.md").write_text("# Fit\n\nFit and score models of weather at a rate or a level.\n")
    return root


def solved(root: Path, *flags: str, columns: int = 100, extra: dict[str, str] | None = None) -> Seen:
    return on_terminal(
        ["solve", TASK, "--repo", str(root), "--run", "none", *flags], root.parent, columns=columns, extra=extra
    )


def test_no_color_and_dumb_terminals_get_neither_colours_nor_movement(planar: Path) -> None:
    assert not COLOUR.search(solved(planar, extra={"NO_COLOR": "1"}).raw)
    dumb = solved(planar, extra={"TERM": "dumb"})
    assert "\x1b" not in dumb.raw and "read 2 values" in dumb.text


def test_a_pipe_gets_plain_lines(planar: Path) -> None:
    command = ["solve", TASK, "--repo", str(planar), "--run", "none"]
    told = ml_agent(*command, "--navigator", "offline")
    assert told.returncode == 0 and "\x1b" not in told.stderr and "check      ok; 2 values used" in told.stderr
    assert "           0.05: --lr 0.05" in told.stderr and "no model" not in told.stderr
    quiet = ml_agent(*command, "--quiet")
    assert quiet.returncode == 0 and quiet.stderr == "" and quiet.stdout.startswith("python train/fit_mlp.py")


def test_the_last_lines_of_a_program_stay_and_verbose_shows_all(planar: Path) -> None:
    flags = ["--sandbox", "local", "--unisolated", "--network", "none"]
    say = "import argparse\nargparse.ArgumentParser().parse_args()\nfor n in range(9): print('line', n)\n"
    (planar / "count.py").write_text(say)
    (planar / "README.md").write_text("# Count\n\nCount lines:\n\n```bash\npython count.py\n```\n")
    command = ["solve", "count the lines", "--repo", str(planar), "--path", ".", "--run", "full", *flags]
    seen = on_terminal(command, planar.parent)
    left = seen.text.partition("ran to the end")[2]
    assert "| line 8" in left and "| line 6" in left and "| line 5" not in left
    assert "| line 0" in on_terminal([*command, "--verbose"], planar.parent).text


def test_one_question_where_a_run_would_end_unsure(two: Path) -> None:
    command = ["solve", UNSURE, "--repo", str(two), "--run", "none"]
    unsure = on_terminal(command, two.parent)
    assert unsure.code == 1 and "unsure" in unsure.text and "Which one?" not in unsure.text
    second = list(dict.fromkeys(re.findall(r"python (?:fit|score)\.py", unsure.text)))[1]
    chosen = on_terminal([*command, "--ask"], two.parent, answers=[("Which one?", "9\n"), ("9\r\nWhich one?", "2\n")])
    assert chosen.code == 0 and second in chosen.text.partition("2\r\n")[2] + chosen.text.rpartition("Which")[2]
    assert "checked" in chosen.text
    declined = on_terminal([*command, "--ask"], two.parent, answers=[("Which one?", "\n")])
    assert declined.code == 1 and "unsure" in declined.text.rpartition("Which one?")[2]


def test_there_is_nobody_to_ask_behind_a_pipe(two: Path) -> None:
    told = ml_agent("solve", UNSURE, "--repo", str(two), "--run", "none", "--ask")
    assert told.returncode == 2 and "--ask needs a terminal" in told.stderr


def test_ctrl_c_on_a_terminal_is_one_line(planar: Path) -> None:
    (planar / "wait.py").write_text(
        "import argparse, time\nargparse.ArgumentParser().parse_args()\nprint('waiting', flush=True)\ntime.sleep(60)\n"
    )
    (planar / "README.md").write_text("# Wait\n\nWait:\n\n```bash\npython wait.py\n```\n")
    flags = ["--sandbox", "local", "--unisolated", "--network", "none", "--run", "full"]
    command = ["solve", "wait with wait.py", "--repo", str(planar), "--path", ".", *flags]
    seen = on_terminal(command, planar.parent, answers=[("| waiting", "\x03")])
    assert seen.code in (1, 130) and "Traceback" not in seen.text and "interrupted" in seen.text
