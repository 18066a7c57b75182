"""What code of a repository shows of how its own classes and functions are used."""

import time
from pathlib import Path

import pytest

from ml_agent.conversation.uses import uses_of
from ml_agent.navigator import Workspace
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex

SCRIPT = """import argparse
import torch
from nets.layers import Tower, load_tower

parser = argparse.ArgumentParser()
parser.add_argument("--path")
tower = load_tower(
    parser.parse_args().path,
    strict=True,
)
print(torch.relu(tower.climb(torch.ones(3), steps=4)))
"""
LAYERS = """class Tower:
    def climb(self, x, steps):
        return x


def load_tower(path, strict=False):
    return Tower()
"""


def workspace_of(root: Path, script: str) -> Workspace:
    (root / "nets").mkdir()
    (root / "nets/__init__.py").write_text("")
    (root / "nets/layers.py").write_text(LAYERS)
    (root / "run.py").write_text(script)
    return Workspace(index=RepoIndex.open(root, "v"), candidate=Candidate(full_name="me/x", url="x"))


def test_calls_of_the_repository_are_shown_with_their_imports(tmp_path: Path) -> None:
    lines = uses_of("run.py", "climb a tower", workspace_of(tmp_path, SCRIPT), 600).splitlines()
    assert lines[:2] == [
        "from nets.layers import load_tower",
        "tower = load_tower( parser.parse_args().path, strict=True, )",
    ]
    assert "tower.climb(torch.ones(3), steps=4)" in lines[2] and len(lines) == 3


@pytest.mark.parametrize("script", ["def (", "x = 1\n", "f(" * 50_000, "a.b" + ".b" * 50_000 + "()"])
def test_of_what_uses_nothing_or_is_no_python_nothing_is_shown(script: str, tmp_path: Path) -> None:
    begun = time.perf_counter()
    assert uses_of("run.py", "anything", workspace_of(tmp_path, script), 600) == ""
    assert time.perf_counter() - begun < 5
