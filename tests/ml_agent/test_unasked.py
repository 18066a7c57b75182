"""What is said of options that nobody asked for."""

import pytest

from ml_agent.draft import Draft, Placement
from ml_agent.unasked import unasked


@pytest.mark.parametrize(
    ("words", "text", "told"),
    [
        ("train it", "python fit.py --lr 0.1", ["--lr 0.1"]),
        ("with an lr of 0.1", "python fit.py --lr 0.1", []),
        ("train on cora", "python fit.py --data cora", []),
        ("train it", "python fit.py --shuffle", ["--shuffle"]),
        ("shuffle it", "python fit.py --shuffle", []),
        ("overwrite what is there", "python fit.py checkpoint.overwrite=true --shuffle False", ["--shuffle False"]),
        ("leave out the shuffle", "python fit.py --shuffle False", []),
    ],
)
def test_what_no_word_is_behind_is_told(words: str, text: str, told: list[str]) -> None:
    assert unasked(Draft(kind="bash", text=text), words) == told


def test_what_was_heard_was_asked_for() -> None:
    placed = (Placement(where="--fp16"), Placement(where="--no-flip"))
    draft = Draft(kind="bash", text="python fit.py --fp16 --no-flip --seed 3", placements=placed)
    assert unasked(draft, "with mixed precision, without mirroring") == ["--seed 3"]


def test_keys_of_a_configuration_are_told_and_what_is_cut() -> None:
    text = "python run.py model.size=3 " + " ".join(f"key_{n}={n}" for n in range(20, 35))
    told = unasked(Draft(kind="bash", text=text), "run it")
    assert told[0] == "model.size=3" and told[-1] == "4 more" and len(told) == 13
