"""What counts as a use of a value, and what is no value."""

from pathlib import Path

import msgspec
import pytest

from ml_agent.account import account
from ml_agent.conversation.verdict import examine
from ml_agent.draft import Draft
from ml_agent.navigator import Workspace
from ml_agent.request import Request
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from ml_agent.unasked import unasked
from ml_agent.user_values import user_values

FIT = """import argparse
p = argparse.ArgumentParser()
p.add_argument("-b", "--batch_size", type=int, default=8)
p.add_argument("--betas", default="0.9,0.999")
p.add_argument("--warmup", type=int, default=500, help="warmup steps")
p.add_argument("--data", default="cora")
p.add_argument("--kimg", type=int)
p.add_argument("--fp16", action="store_true")
p.parse_args()
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "fitting"
    root.mkdir()
    (root / "fit.py").write_text(FIT)
    return Workspace(index=RepoIndex.open(root, "v1"), candidate=Candidate(full_name="o/fitting", url=""))


def statuses(words: str, text: str, workspace: Workspace, kind: str = "bash") -> dict[str, str]:
    """Of each value of the wording that counts."""
    request = Request(instruction=words, values=user_values(words))
    draft = Draft(kind=kind, text=text, source="llm")  # type: ignore[arg-type]
    return {entry.text: entry.status for entry in account(draft, request, workspace) if entry.required}


@pytest.mark.parametrize(
    ("words", "text", "value"),
    [
        ("with --batch_size 16", "python fit.py -b 16", "16"),
        ("second moment decay of 0.9999", "python fit.py --betas 0.9,0.9999", "0.9999"),
        ("the script fit.py with a batch of 16", "python fit.py -b 16", "fit.py"),
        ("for 3,000,000 images", "python fit.py --kimg 3000", "3,000,000"),
        ("at 512 pixels", "python fit.py --data city_512x256", "512"),
        ("results in 'out/first run'", "python fit.py --data 'out/first run'", "'out/first run'"),
        ("write out/a.txt", "cd out && python ../fit.py --data a.txt", "out/a.txt"),
        ("the task 'vqa_test_3b'", "python fit.py --data vqa_test_eval_3b", "'vqa_test_3b'"),
        ("split it 80/20", "python fit.py --data 0.2", "80/20"),
        ("split it 70/15/15 by chance", "python fit.py --kimg 70", "70/15/15"),
        ("print 0.25 of it", "python - <<'X'\nprint(0.25)\nX", "0.25"),
        ("read in/frame_000.png to in/frame_023.png", "python fit.py --data 'in/frame_*.png'", "in/frame_000.png"),
        ("read in/old_1.png", "python fit.py --data in/old_%d.png", "in/old_1.png"),
    ],
)
def test_a_value_is_used_wherever_it_stands(words: str, text: str, value: str, workspace: Workspace) -> None:
    assert statuses(words, text, workspace)[value] == "honoured"


@pytest.mark.parametrize(
    "words",
    [
        "a third of the data",
        "the 2017 edition",
        "train it with two models",
        "a 96 kHz recording in 16 bit",
        "with 24GB",
    ],
)
def test_words_that_are_no_values_are_none(words: str, workspace: Workspace) -> None:
    assert statuses(words, "python fit.py", workspace) == {}


def test_values_in_code(workspace: Workspace) -> None:
    code = 'net = load("blip-base", size=1e-4)\nfor word in ["alpha", "beta"]:\n    net.run(word)\n'
    assert statuses("the model named blip_base at 0.0001", code, workspace, "python") == {
        "blip_base": "honoured",
        "0.0001": "honoured",
    }


def test_an_unused_value_is_advice_for_a_model_and_an_error_for_rules(workspace: Workspace) -> None:
    words = "a batch of 16"
    request = Request(instruction=words, values=user_values(words))
    for source, sound in (("llm", True), ("offline", False)):
        draft = examine(Draft(kind="bash", text="python fit.py", source=source), request, workspace)
        assert draft.sound == sound and [finding.code for finding in draft.findings] == ["value-not-used"]


def test_what_the_parser_proves_stays_an_error(workspace: Workspace) -> None:
    draft = Draft(kind="bash", text="python fit.py --batches 16", source="llm")
    assert not examine(draft, Request(instruction=""), workspace).sound


@pytest.mark.parametrize(
    ("words", "text", "value"),
    [
        ("a training epsilon of 0.05", "python fit.py --kimg 50", "0.05"),
        ("batches of 4", "python fit.py --kimg 4096", "4"),
        ("pictures in /data/test", "python fit.py --data x/LaMa_test_images", "/data/test"),
        ("results below /data/out", "python fit.py --data layout=true", "/data/out"),
        ("the weights vit.pth", "python fit.py --data m/vit.pth.tar", "vit.pth"),
        ("the task 'vqa_test_3b'", "python fit.py --data eval_3b_vqa_test", "'vqa_test_3b'"),
    ],
)
def test_what_only_looks_like_a_value_is_no_use_of_it(words: str, text: str, value: str, workspace: Workspace) -> None:
    assert statuses(words, text, workspace)[value] == "not found"


@pytest.mark.parametrize(
    ("words", "text", "kind", "value"),
    [
        ("score the .gt.txt files in data/test", "python fit.py --data 'data/test/*.gt.txt'", "bash", "gt.txt"),
        ("the data is what my_data.py loads", "from my_data import Load\nLoad()", "python", "my_data.py"),
    ],
)
def test_a_file_is_used_by_its_ending_or_as_a_module(
    words: str, text: str, kind: str, value: str, workspace: Workspace
) -> None:
    assert statuses(words, text, workspace, kind)[value] == "honoured"


def test_a_number_that_two_options_have_is_claimed_of_neither_alone(tmp_path: Path) -> None:
    (tmp_path / "fit.py").write_text(FIT)
    place = Workspace(index=RepoIndex.open(tmp_path, "v1"), candidate=Candidate(full_name="o/fitting", url=""))
    text = "python fit.py --kimg 2 --warmup 2"
    for words, where in (
        ("without the first two rows", "--kimg 2 or --warmup 2"),
        ("with 2 warmup steps", "--warmup 2"),
    ):
        request = Request(instruction=words, values=user_values(words))
        (entry,) = account(Draft(kind="bash", text=text, source="llm"), request, place)
        assert entry.where == where
    draft = Draft(kind="bash", text=text, source="llm")
    words = "without the first two rows"
    ledger = account(draft, Request(instruction=words, values=user_values(words)), place)
    assert unasked(msgspec.structs.replace(draft, ledger=ledger), words) == []
