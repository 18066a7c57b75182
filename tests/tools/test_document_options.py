"""Commands of documents whose options stand below them without a backslash."""

import pytest

from ml_agent.tools.documents.code import join_options
from ml_agent.tools.documents.read import parse_document

CONTINUED = "python main.py --base a.yaml \n    -t \n    --gpus 0, \n    --data <folder>"


def test_options_below_a_command_belong_to_it() -> None:
    (passage,) = parse_document(f"Run:\n\n```\n{CONTINUED}\n```\n", "README.md")
    assert passage.blocks[0].text == "python main.py --base a.yaml \\\n    -t \\\n    --gpus 0, \\\n    --data <folder>"


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("cd x\npython a.py\n  --lr 1\npython b.py", "cd x\npython a.py \\\n  --lr 1\npython b.py"),
        ("python a.py \\\n  --lr 1\n  --n 2", "python a.py \\\n  --lr 1 \\\n  --n 2"),
        ("python a.py data\n  --lr 1 \\\n  --n 2", "python a.py data \\\n  --lr 1 \\\n  --n 2"),
    ],
)
def test_what_is_joined(text: str, joined: str) -> None:
    assert join_options(text) == joined


@pytest.mark.parametrize(
    "text",
    [
        "python a.py\n--lr 1", "python a.py\n\n  --lr 1", "python a.py\n  data", "python a.py [options]\n  --lr 1",
        "python a.py\n  --lr    how fast it learns", "python a.py\n  --lr how fast it shall learn",
        "python a.py # fast\n  --lr 1", "cat <<EOF\n  --lr 1\nEOF", "for i in 1 2; do\n  -x\ndone", "echo 'a\n  --b'",
        "python a.py |\n  --lr 1", "- a list\n  - of --things", "python a.py\n  --lr 1 # fast\n  --n 2", "",
    ],
)  # fmt: skip
def test_what_may_be_something_else_is_left(text: str) -> None:
    assert join_options(text) == text
