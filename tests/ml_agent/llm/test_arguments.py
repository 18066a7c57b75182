"""A small model is shown one program's options and a request and what is known of both."""

from pathlib import Path

import pytest

from ml_agent.llm.arguments import head, reworded_numbers, system, tail
from ml_agent.matching.entries import EntryPoint, RepositoryFacts
from ml_agent.matching.mentions import read_request
from ml_agent.navigator import Workspace
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option, Signature

OPTIONS = (
    Option(dest="source", help="folder of the pictures"),
    Option(dest="lr", flags=("--lr", "-l"), type="float", default="0.1", help="learning rate"),
    Option(dest="min_lr", flags=("--min_lr",), type="float", default="0", help="least learning rate"),
    Option(dest="classes", flags=("--classes",), nargs="+", type="int", help="only these classes"),
    Option(dest="optimizer", flags=("--optimizer",), choices=("sgd", "adam"), default="sgd", help="which optimizer"),
    Option(dest="amp", flags=("--amp",), nargs="0", switch_value="True", help="mixed precision"),
    Option(dest="name", flags=("--name",), help="name of the run"),
)
SIGNATURE = Signature(path="tools/fit.py", framework="argparse", options=OPTIONS)
REQUEST = "Fit the pictures in /srv/birds with a rate of one half, with Adam."


@pytest.fixture
def entry(workspace: Workspace) -> EntryPoint:
    return EntryPoint(SIGNATURE, RepositoryFacts(workspace.index))


def test_the_program_stands_before_the_request(entry: EntryPoint) -> None:
    shown = head(SIGNATURE, REQUEST, ".")
    assert shown.startswith("Command: tools/fit.py\n") and "--lr/-l FLOAT =0.1  learning rate" in shown
    asked = tail(read_request(REQUEST), entry)
    assert asked == f"Request: {REQUEST}\nNumbers: one half = 0.5"
    assert "arguments alone" in system()


def test_a_part_of_a_name_is_no_number_in_words() -> None:
    assert (
        reworded_numbers(read_request("Tune Llama 8B with 5k steps and a tenth of the data"))
        == "5k = 5000; a tenth = 0.1"
    )
    assert reworded_numbers(read_request("Ask the zero-shot models with zero dropout")) == "zero = 0"
    assert not reworded_numbers(read_request("Ask the zero-shot models"))


def test_options_that_do_not_fit_are_named() -> None:
    shown = head(SIGNATURE, "a rate", ".", 80)
    assert "--lr" in shown and "... and " in shown and len(shown) < 200


def test_known_values_that_seem_to_be_meant_are_told(tmp_path: Path) -> None:
    root = tmp_path / "pond"
    root.mkdir()
    (root / "fit.py").write_text(
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--net')\np.parse_args()\n"
    )
    (root / "README.md").write_text("# Fit\n```\npython fit.py --net resnet50_v2\n```\n")
    (entry,) = RepositoryFacts(RepoIndex.open(root, "1", tmp_path / "cache")).entries
    assert tail(read_request("Fit a ResNet-50 v2"), entry).splitlines()[1:] == ["Known: --net resnet50_v2"]
