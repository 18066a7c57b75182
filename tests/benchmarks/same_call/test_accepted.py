"""Other words for the same thing that a row accepts, and a folder that a path names as well."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.same_call import same_call

SAVE = """
import os
from kit import Net
Net(12).fit([1], epochs=7)
os.makedirs("made_files")
open("made_files/net.txt", "w")
"""


def row(kind: str, output: str, **changed: object) -> Task:
    """A row on the small repository."""
    fields = {
        "github_id": 1, "id": 1, "github": "https://github.com/some/kit", "path": "./", "arguments": {},
        "instruction": "save it to made_files/net.txt", "oracle": "", "kind": kind, "output": output, **changed,
    }  # fmt: skip
    return Task(**fields)  # type: ignore[arg-type]


def test_what_the_calls_say_need_not_stand_in_the_text(kit: Path) -> None:
    task = row("python", SAVE, arguments={"epochs": "7"})
    assert same_call(task, SAVE.replace("epochs=7", "epochs=3 + 4"), kit).passed


def test_a_path_names_its_folder_too(kit: Path) -> None:
    short = SAVE.replace('os.makedirs("made_files")', 'path = "made_files/net.txt"\nos.makedirs(os.path.dirname(path))')
    assert same_call(row("python", SAVE), short, kit).passed
    unspelled = SAVE.replace('os.makedirs("made_files")', 'path = "made_files/net.txt"')
    assert same_call(row("python", SAVE), unspelled, kit).passed
    other = SAVE.replace("made_files", "other_files")
    assert same_call(row("python", SAVE), other, kit).reason_class == "missing"


@pytest.mark.parametrize(
    ("variable", "passes"), [("USE_ACCEL=1", True), ("USE_CUDA=1", True), ("USE_CUDA=0", False), ("OTHER=1", False)]
)
def test_a_variable_that_the_row_accepts_counts(kit: Path, variable: str, passes: bool) -> None:
    task = row(
        "bash",
        "USE_ACCEL=1 bash fetch.sh a b",
        arguments={"accelerator": "USE_ACCEL=1"},
        accept={"accelerator": ("USE_CUDA=1",)},
    )
    assert same_call(task, f"{variable} bash fetch.sh a b", kit).passed is passes


def test_a_word_inside_another_is_not_asked_for(kit: Path) -> None:
    named = SAVE.replace("Net(12)", 'print("eval")\nNet(12)')
    task = row("python", named, instruction="evaluate it and save it to made_files/net.txt")
    assert same_call(task, SAVE, kit).passed
    task = row("python", named, instruction='print "eval" and save it to made_files/net.txt')
    assert same_call(task, SAVE, kit).reason_class == "missing"


def test_what_the_row_forbids_is_unasked(kit: Path) -> None:
    plain = "import torch\nprint(torch.rand(3).sum())\n"
    task = row("python", plain, instruction="", arguments={"size": "rand(3"}, forbid=("cuda",))
    assert same_call(task, plain, kit).passed
    assert same_call(task, plain.replace("rand(3)", "rand(3).cuda()"), kit).reason_class == "unasked"
    assert same_call(task, plain.replace("rand(3)", "rand(4)"), kit).reason_class == "missing"
