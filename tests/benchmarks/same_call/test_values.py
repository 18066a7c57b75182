"""When two values are the same, and which function a file only hands over to."""

from pathlib import Path
from typing import Any

import pytest

from ml_agent.benchmarks.same_call.programs import Entry, entry_of
from ml_agent.benchmarks.same_call.values import Folders, leads_elsewhere, same, same_place

MAIN = ("kit/cli.py", "main")


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("from kit.cli import main\nmain()\n", MAIN),
        ("'''Fits.'''\nfrom kit.cli import main\nif __name__ == '__main__':\n    main()\n", MAIN),
        ("import sys\nfrom kit.cli import main\nsys.exit(main())\n", MAIN),
        ("if __name__ == '__main__':\n    from kit.cli import main\n    exit(main())\n", MAIN),
        ("from kit.cli import main\nif __name__ == '__main__':\n    main()\n    main()\n", ("run.py", "")),
        ("from kit.cli import main\nmain()\nprint()\n", ("run.py", "")),
        ("from kit.cli import main\nmain(3)\n", ("run.py", "")),
        ("from kit.cli import main\nif __name__ == '__main__':\n    import kit\n", ("run.py", "")),
        ("def main():\n    print(1)\nmain()\n", ("run.py", "main")),
        ("main(\n", ("run.py", "")),
    ],
)
def test_what_a_file_hands_over_to(text: str, entry: Entry, tmp_path: Path) -> None:
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit/cli.py").write_text("def main():\n    print(3)\n\nmain()\n")
    (tmp_path / "run.py").write_text(text)
    assert entry_of(tmp_path, "run.py") == entry


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
