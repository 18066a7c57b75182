"""Keys of configurations that a program reads by itself, before a model."""

from pathlib import Path

import pytest

from ml_agent.conversation.first_message import open_thread
from ml_agent.conversation.options import keys_of, read_by_name
from ml_agent.conversation.tools import Toolbox
from ml_agent.navigator import Given, Workspace
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Signature
from ml_agent.understanding import understood

MANY = "".join(f"other_{n}: some text that is of no use here\n" for n in range(90))
ANY_KEY = """import argparse
from lib.reading import read
parser = argparse.ArgumentParser()
parser.add_argument("--model")
args, others = parser.parse_known_args()
read(others)
"""
READING = """import os, yaml
def read(words):
    with open(os.path.join(os.path.dirname(__file__), "../settings/overall.yaml")) as file:
        return yaml.safe_load(file)
"""
COMPOSING = """import sys
from hydra import compose, initialize_config_module
def main():
    with initialize_config_module(config_module="lib.conf"):
        print(compose("defaults", overrides=sys.argv[1:]))
if __name__ == "__main__":
    main()
"""


def workspace_of(root: Path, **files: str) -> Workspace:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Workspace(index=RepoIndex.open(root, "v"), candidate=Candidate(full_name="me/x", url="x"))


def opening(workspace: Workspace, words: str) -> str:
    request = understood(words, Given(repository="me/x"))
    return str(open_thread(request, workspace).opening)


def test_a_program_that_takes_any_key_of_a_yaml_file_tells_these(tmp_path: Path) -> None:
    keys = f"{MANY}learning_rate: 3e-5  # of the optimizer\ntrain:\n  epochs: 50\n"
    files = {"train_DOT_py": ANY_KEY, "lib__reading_DOT_py": READING, "settings__overall_DOT_yaml": keys}
    workspace = workspace_of(tmp_path, **files)
    said = opening(workspace, "Train the model for 5 epochs at a learning rate of 1e-4.")
    shown = said.partition("# settings/overall.yaml sets\n")[2]
    assert "learning_rate FLOAT =3e-05" in shown and "train.epochs INT =50" in shown
    assert "learning_rate FLOAT =3e-05" in Toolbox(workspace, "the learning rate").signature("train.py")


def test_a_program_that_composes_with_hydra_itself_tells_the_keys(tmp_path: Path) -> None:
    files = {"run_DOT_py": COMPOSING, "lib__conf__defaults_DOT_yaml": "optim:\n  num_epochs: 90\n"}
    said = opening(workspace_of(tmp_path, **files), "Run it with 5 epochs.")
    assert "# lib/conf/defaults.yaml begins\noptim:\n  num_epochs: 90" in said


@pytest.mark.parametrize("unit", ["compose(", "config_path=", '"a.yaml', "compose('a'\nconfig_path='b'\n", "'a.yaml' "])
def test_long_sources_are_read_quickly(unit: str, tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, run_DOT_py=f"x = '''\n{unit * (200_000 // len(unit))}\n'''\nprint(x)\n")
    signature = Signature(path="run.py", framework="sysargv", accepts_unknown=True)
    assert read_by_name(signature, workspace) == [] and keys_of("run.py", "x", workspace, 100) == ""
