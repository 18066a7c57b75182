"""A command that was refused, and the next one."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from ml_agent.draft import Attempt, Draft
from ml_agent.navigator import Given
from ml_agent.offline.repair import repaired
from ml_agent.tools.signatures.model import Option, Signature

SIGNATURE = Signature(
    path="train.py",
    options=(
        Option(dest="lr", flags=("--lr",), type="float"),
        Option(dest="mode", flags=("-m", "--mode"), choices=("a", "b")),
        Option(dest="out", flags=("--out",), required=True, default="results"),
    ),
)


def draft(text: str) -> Draft:
    """A command for `train.py`."""
    return Draft(kind="bash", text=text, entry="train.py")


@pytest.mark.parametrize(
    ("text", "line", "better"),
    [
        (
            "python train.py --lr 1 --foo 2",
            "train.py: error: unrecognized arguments: --foo 2",
            "python train.py --lr 1",
        ),
        ("python train.py --lr 1 --foo", "Error: No such option: --foo", "python train.py --lr 1"),
        (
            "python train.py --mode c --lr 1",
            "error: argument -m/--mode: invalid choice: 'c' (choose from 'a', 'b')",
            "python train.py --lr 1",
        ),
        ("python train.py --lr x", "error: argument --lr: invalid float value: 'x'", "python train.py"),
        (
            "python train.py --lr 1",
            "error: the following arguments are required: --out",
            "python train.py --lr 1 --out results",
        ),
    ],
)
def test_what_was_refused_is_left_out_and_what_was_missing_is_added(text: str, line: str, better: str) -> None:
    for attempt in (Attempt(draft=draft(text), error_lines=(line,)), Attempt(draft=draft(text), problem=line)):
        found = repaired(attempt, (SIGNATURE,))
        assert found is not None
        assert found.text == better


def test_other_errors_are_not_about_the_command() -> None:
    attempt = Attempt(
        draft=draft("python train.py --lr 1"), error_lines=("ModuleNotFoundError: No module named 'torch'",)
    )
    assert repaired(attempt, (SIGNATURE,)) is None


def test_the_navigator_repairs_before_it_tries_something_else(repository: Callable[..., Any]) -> None:
    place = repository(
        {
            "train.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_known_args()\n",
            "README.md": "    python train.py --lr 0.1 --extra 3\n",
        }
    )
    request = place.navigator.understand("Train with a learning rate of 0.5", Given())
    first = msgspec.structs.replace(
        place.answer("Train with a learning rate of 0.5"), text="python train.py --lr 0.5 --extra 3"
    )
    tried = Attempt(draft=first, error_lines=("train.py: error: unrecognized arguments: --extra 3",))
    mended = place.navigator.revise(request, place.workspace(), tried)
    assert mended is not None
    assert mended.text == "python train.py --lr 0.5"
    assert mended.ledger
