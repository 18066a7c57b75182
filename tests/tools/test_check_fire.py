"""The check of commands of fire, as fire itself takes them."""

from collections.abc import Callable, Mapping

import pytest

Check = Callable[[str], list[str]]
Make = Callable[[Mapping[str, str]], Check]

PROGRAM = """
    import fire

    class Trainer:
        def __init__(self, root="x", verbose=False):
            self.root = root

        def fit(self, data, epochs=1):
            print(data, epochs)

        def score(self, data):
            print(data)

    if __name__ == "__main__":
        fire.Fire(Trainer)
"""


@pytest.mark.parametrize(
    "words",
    ["score d --noverbose", "--verbose=True fit d", "--verbose True fit d", "--root fit fit d", "--noverbose --data=d score", "fit fit"],
)  # fmt: skip
def test_flags_that_are_right(checked: Make, words: str) -> None:
    assert checked({"main.py": PROGRAM})(f"python main.py {words}") == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--verbose fit --data=d", ["error missing-required"]), ("--root fit d", ["error missing-required"]),
        ("--noverbose score --data=d", ["error unknown-option"]), ("score --verbose d", ["error missing-required"]),
    ],
)  # fmt: skip
def test_a_flag_takes_the_word_behind_it(checked: Make, words: str, said: list[str]) -> None:
    assert checked({"main.py": PROGRAM})(f"python main.py {words}") == said


TABLES = """
    import fire

    def train(lr=0.1):
        \"\"\"Train a classifier.\"\"\"

    def split(ratio: float):
        pass

    apart = 1
    if __name__ == "__main__":
        fire.Fire({"train": train, "data": {"split-all": split}})
"""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("train --lr 1", []), ("data split-all 1", []), ("classifier --lr 1", ["error missing-required"]),
        ("data merge 1", ["error missing-required"]), ("data", ["warning missing-required"]), ("keys", ["warning missing-required"]),
        ("apart", ["warning missing-required"]), ("--x data merge", ["warning missing-required"]),
    ],
)  # fmt: skip
def test_a_member_that_no_code_names_is_wrong_on_every_level(checked: Make, words: str, said: list[str]) -> None:
    assert checked({"main.py": TABLES})(f"python main.py {words}") == said
