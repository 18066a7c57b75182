"""When two values are the same, and which function a file only hands over to."""

from pathlib import Path
from typing import Any

import pytest

from ml_agent.benchmarks.same_call.values import Folders, leads_elsewhere, same, same_place

MAIN = ("kit/cli.py", "main")


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("1e-3", 0.001, True),
        ("1.10", "1.1", True),
        ("./a//b/", "a/b", True),
        ("True", True, True),
        ("[1, 2]", [1, 2], True),
        ("(a,b)", ["a", "b"], True),
        (["4", "3"], ["3", "4"], False),
        (["x"], "x", True),
        ({"?": "name"}, "anything", True),
        ("two words", "other words", False),
    ],
)
def test_values(one: Any, other: Any, alike: bool) -> None:
    assert same(one, other) is alike


def test_places() -> None:
    folders = Folders(Path("/r"), ".", "data")
    assert same_place(["data/a", "data/b"], ["a", "/r/data/b"], folders)
    assert not same_place(["data/a"], ["a", "b"], folders) and not same_place(
        "https://x/data/a", "https://x/a", folders
    )
    assert not same_place("", "..", folders) and not same_place(3, "3", folders)
    assert not any(leads_elsewhere(word, word, folders) for word in ("owner/model", "/r/a.pt", "~/a/b.pt", "", "name"))
