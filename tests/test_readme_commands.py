"""Every command of the README is run: what stands there for something of the reader's is replaced, the rest is as printed."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import ml_agent
from ml_agent.samples import repository_path
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from tests.command import run

ROOT = Path(__file__).parents[1]
TASK = "train the perceptron for 25 epochs with learning rate 0.05"
_FENCE = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)

STANDS_FOR = (
    ("ml_agent/samples/repositories/planar-nets", str(repository_path("planar-nets"))),
    ("--repo dmlc/dgl --path", "--run none --repo dgl --path"),
    ("--run full", "--run full --sandbox local"),
    ('"..."', '"cluster 600 points into 4 groups"'),
    ("my-repositories.jsonl", "sample --run none"),
)
"""What is the reader's own, and what is on another machine."""
CODES = {"--expect": {0 if find_bubblewrap() else 3}, "--model gpt-4o": {4}, "check ": {1}, "doctor": {0, 1}}
"""Without bubblewrap nothing runs; a dead endpoint is 4, a mistyped option 1; doctor tells what lacks."""
SAID = {
    "--expect": ("python train/fit_mlp.py --dataset spirals --n_epochs 25 --out results/mlp.json",),
    "dmlc/dgl": ("python citation.py", "--dataset Citeseer", "--lr 1e-4", "--num-stacks 5"),
    "check ": ("--lrr", "did you mean --lr"),
}
"""What must be in the answer."""
ARMA = {
    "citation.py": """import argparse

parser = argparse.ArgumentParser(description="ARMA GCN")
parser.add_argument("--dataset", type=str, default="Cora", help="Name of dataset.")
parser.add_argument("--gpu", type=int, default=-1, help="GPU Index. Default: -1, using CPU.")
parser.add_argument("--lr", type=float, default=0.01, help="Learning rate.")
parser.add_argument("--num-stacks", type=int, default=2, help="Number of stacks.")
args = parser.parse_args()
""",
    "README.md": "# ARMA\n\n## Train\n\n```bash\npython citation.py --gpu 0 --dataset Citeseer\npython citation.py --dataset Cora\n```\n",
}
"""Stands for the folder of DGL: the options that the request needs, declared and documented as there."""


def commands() -> Iterator[str]:
    for block in _FENCE.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        for line in block.splitlines():
            command = line.split("  #")[0].strip()
            if command.startswith("ml-agent "):
                yield command


@pytest.mark.parametrize("command", list(commands()))
def test_it_runs(command: str, tmp_path: Path) -> None:
    given = command
    for printed, meant in STANDS_FOR:
        given = given.replace(printed, meant)
    if "RUN" in given:
        made = ml_agent.solve(TASK, repo=str(repository_path("planar-nets")), run="none", navigator="offline")
        given = given.replace("RUN", str(made.folder))
    arma = tmp_path / "dgl/examples/pytorch/arma"
    arma.mkdir(parents=True)
    for name, text in ARMA.items():
        (arma / name).write_text(text)
    environment = {**os.environ, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "none"}
    done = run(shlex.split(given)[1:], environment | {"BROWSER": browser(tmp_path)}, tmp_path)
    expected = next((codes for part, codes in CODES.items() if part in command), {0})
    assert done.returncode in expected, (given, done.returncode, done.stderr)
    assert "Traceback" not in done.stderr and "internal error" not in done.stderr
    for words in (words for part, words in SAID.items() if part in command):
        assert [word for word in words if word not in done.stdout] == [], done.stdout
    pages = (tmp_path / "pages").read_text().splitlines() if (tmp_path / "pages").exists() else []
    assert [page.rpartition("/")[2] for page in pages] == ["report.html"] * ("--open" in command)


def browser(folder: Path) -> str:
    """A program that notes which page it is given."""
    path = folder / "browser"
    path.write_text(f'#!/bin/sh\necho "$1" >> {folder}/pages\n')
    path.chmod(0o755)
    return str(path)


def test_make_has_what_is_printed() -> None:
    targets = re.findall(r"(?:^|`)make (\w+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"demo", "test"} <= set(targets)
    for target in targets:
        asked = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False)
        assert asked.returncode == 0, asked.stderr
