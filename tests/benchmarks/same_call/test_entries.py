"""Which function a file only hands over to; a file that does more is an entry point of its own."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.same_call.entries import Entry, entry_of

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
