"""What a first message takes from a repository's entry points."""

from pathlib import Path

from ml_agent.conversation.entries import with_tested_values
from ml_agent.conversation.listing import options_of
from ml_agent.conversation.options import further_values
from ml_agent.navigator import Workspace
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Signature

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
    found = further_values(signature, workspace.index)
    assert found == {"data": ("meadow", "custom")}
    assert "--data STR =harbor (or meadow|custom)" in options_of(signature, "train on my own data", 400, found)


PAINT = """import argparse
p = argparse.ArgumentParser()
p.add_argument('--mode', default='first')
p.add_argument('--form')
p.add_argument('--name', default='easel')
args = p.parse_args()
mode = args.mode
if mode == 'merge':
    print(args.name)
if args.form not in ('round', 'square'):
    raise SystemExit('no such form')
"""


def signature_of(root: Path, files: dict[str, str]) -> tuple[Signature, Workspace]:
    for path, text in files.items():
        (root / path).write_text(text)
    workspace = Workspace(index=RepoIndex.open(root, "v"), candidate=Candidate(full_name="me/x", url="x"))
    return workspace.index.signatures["run.py"][0], workspace


def test_what_the_source_compares_an_option_with_is_told(tmp_path: Path) -> None:
    signature, workspace = signature_of(tmp_path, {"run.py": PAINT})
    shown = options_of(
        with_tested_values(signature, workspace), "paint", 400, further_values(signature, workspace.index)
    )
    assert "--mode STR =first (or merge)" in shown
    assert "--form {round|square}" in shown and "{round|square} (" not in shown
