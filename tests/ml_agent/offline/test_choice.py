"""Which repository, README, script and example."""

from collections.abc import Callable
from typing import Any

from ml_agent.account import account
from ml_agent.draft import Draft
from ml_agent.navigator import Given

SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float, help='learning rate')\np.parse_args()\n"


def test_readmes_are_sorted_by_what_they_say(repository: Callable[..., Any]) -> None:
    place = repository(
        {
            "README.md": "# Models\n\nA collection.",
            "gcn/README.md": "# GCN\n\nGraph convolution on citation networks.",
            "gcn/train.py": SCRIPT,
            "gan/README.md": "# GAN\n\nGenerates images of faces.",
            "gan/train.py": SCRIPT,
        }
    )
    request = place.navigator.understand("Generate images of faces with a GAN.", Given())
    found = place.navigator.assess(request, place.workspace())
    assert found.possible
    assert found.readmes[0] == "gan/README.md"


def test_a_repository_about_something_else_is_rejected(repository: Callable[..., Any]) -> None:
    place = repository({"README.md": "# Kitchen\n\nRecipes for soup.", "cook.py": SCRIPT})
    request = place.navigator.understand("Fold protein sequences.", Given())
    assert not place.navigator.assess(request, place.workspace()).possible


def test_an_empty_repository_is_rejected(repository: Callable[..., Any]) -> None:
    place = repository({"notes.txt": "nothing"})
    request = place.navigator.understand("Train a model.", Given())
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


def test_a_script_is_known_by_the_sentences_that_name_its_pattern(repository: Callable[..., Any]) -> None:
    place = repository(
        {
            "train.py": SCRIPT.replace(
                "p.parse_args", "p.add_argument('--gpus')\np.add_argument('--name')\np.parse_args"
            ),
            "README.md": "# Training\n\nFor users with a single GPU there are sample scripts (train_g1_XXX.sh).\n\n"
            "    python train.py --name city_512 --gpus 0,1,2,3\n",
            "scripts/train_512.sh": "python train.py --name city_512 --gpus 0,1,2,3\n",
            "scripts/train_g1_512.sh": "python train.py --name city_512_g1\n",
        }
    )
    assert "city_512_g1" in place.answer("Train on a single GPU at a resolution of 512.").text
    assert "city_512_g1" in place.answer("Train the model on a singular GPU at a resolution of 512.").text


def test_the_account_of_a_foreign_draft_finds_the_entry_point(repository: Callable[..., Any]) -> None:
    place = repository({"sub/train.py": SCRIPT})
    request = place.navigator.understand("Train with a learning rate of 0.5", Given())
    draft = Draft(kind="bash", text="mkdir -p out && python train.py --lr 0.5", workdir="sub", source="llm")
    assert [(entry.status, entry.where) for entry in account(draft, request, place.workspace("sub"))] == [
        ("honoured", "--lr 0.5")
    ]
