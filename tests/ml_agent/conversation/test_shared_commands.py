"""The first message where several installed commands share one function."""

from collections.abc import Callable

import pytest

from ml_agent.model.thread import Thread

Told = Callable[..., Thread]
FIT = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--rate')\nparser.parse_args()\n"

SHARED = {
    "pyproject.toml": '[project]\nname = "nets"\n[project.scripts]\n'
    + "\n".join(f'net_{name} = "cli:go"' for name in ("align", "blur", "cut", "draw")),
    "cli.py": "import argparse\ndef go():\n    argparse.ArgumentParser().parse_known_args()\n",
    "doc/use.rst": "Use\n===\n\n"
    + "".join(f"Do it::\n\n    net_{name} in.nii --{name}_size 2\n\n" for name in ("align", "blur", "cut", "draw")),
}


@pytest.mark.parametrize(("name", "other"), [("align", "blur"), ("cut", "align"), ("draw", "align")])
def test_of_commands_that_share_a_function_the_one_that_is_said_is_told(name: str, other: str, told: Told) -> None:
    opening = told({**SHARED, "fit.py": FIT}, f"in.nii, please: net_{name}").opening
    assert f"- net_{name} (" in opening and f"- net_{other}" not in opening
    assert f"net_{name} in.nii" in opening.partition("# Documented calls")[2].splitlines()[2]


TRAIN = FIT.replace("('--rate')", "('--rate', help='rate of the training')\nparser.add_argument('--epochs', type=int)")


def test_a_command_that_is_said_stands_before_what_shares_more_words(told: Told) -> None:
    words = "net_cut: train at a rate of 0.3 for 5 epochs, blur_size and draw_size of in.nii"
    opening = told({**SHARED, "train.py": TRAIN}, words).opening
    assert opening.partition("# Entry points that may do it\n")[2].startswith("- net_cut (")
    assert opening.partition("# Documented calls")[2].splitlines()[2].startswith("net_cut ")
