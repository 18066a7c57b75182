"""Which repository, README, script and example."""

from collections.abc import Callable
from typing import Any

from ml_agent.navigator import Given

SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float, help='learning rate')\np.parse_args()\n"


def test_a_repository_about_something_else_is_rejected(repository: Callable[..., Any]) -> None:
    place = repository({"README.md": "# Kitchen\n\nRecipes for soup.", "cook.py": SCRIPT})
    request = place.navigator.understand("Fold protein sequences.", Given())
    assert not place.navigator.assess(request, place.workspace()).possible


def test_the_script_whose_options_take_the_values_is_chosen(repository: Callable[..., Any]) -> None:
    place = repository(
        {
            "one.py": SCRIPT,
            "two.py": SCRIPT.replace("--lr", "--temperature").replace("learning rate", "sampling temperature"),
            "README.md": "# Things\n\nRun it.\n",
        }
    )
    assert "two.py" in place.answer("Run it at a temperature of 0.5.").text
