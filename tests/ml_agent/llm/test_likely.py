"""What a first message takes from a repository's entry points."""

from pathlib import Path

from ml_agent.llm.likely import values_beside
from ml_agent.llm.listing import options_of
from ml_agent.navigator import Workspace
from tools.candidates import Candidate
from tools.index import RepoIndex

TRAIN = """import argparse
from sets import SETS
p = argparse.ArgumentParser()
p.add_argument('--data', default='harbor', help='data')
p.add_argument('--out', default='runs', help='output folder')
args = p.parse_args()
print(SETS[args.data]())
"""
SETS = "SETS = {'harbor': list, 'meadow': dict, 'custom': tuple}\nFOLDERS = ['runs', 'other']\n"


def test_what_the_source_has_beside_a_default_is_told(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "sets.py").write_text(SETS)
    workspace = Workspace(index=RepoIndex.open(tmp_path, "v"), candidate=Candidate(full_name="me/x", url="x"))
    signature = workspace.index.signatures["train.py"][0]
    found = values_beside(signature, workspace)
    assert found == {"data": ("meadow", "custom")}
    assert "--data STR =harbor (or meadow|custom)" in options_of(signature, "train on my own data", 400, found)
