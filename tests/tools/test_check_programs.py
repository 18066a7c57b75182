"""The check of programs that are called by their names, and of what other programs start."""

import pytest

from tests.tools.conftest import Make

FILES = {
    "main.py": """
        import argparse
        p = argparse.ArgumentParser()
        p.add_argument("--lr", type=float)
        p.add_argument("place")
        p.parse_args()
        """,
    "tool": "#!/bin/sh\n",
    "pyproject.toml": '[project]\nname = "x"\n[project.scripts]\nmytrain = "main:run"\n',
}
UNKNOWN = ["unsure cannot-tell"]
OPTION = ["error unknown-option"]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("foo bar", UNKNOWN),
        ("foo bar\nfoo baz", UNKNOWN),
        ("$TOOL x", UNKNOWN),
        ("/opt/x/bin/foo y", UNKNOWN),
        ("./tool --lrr 3", UNKNOWN),
        ("foo() { ls; }\nfoo 3", []),
        ("ls; function foo { ls; }\nfoo 3", []),
        ("alias foo='ls -l'\nfoo 3", []),
        ("ffmpeg -i a.wav b.mp3", []),
        ("sudo apt-get install sox", []),
        ("coverage report", []),
        ("poetry install", []),
    ],
)
def test_a_program_that_nobody_knows_cannot_be_judged(checked: Make, command: str, found: list[str]) -> None:
    assert checked(FILES)(command) == found


@pytest.mark.parametrize(
    "starts",
    [
        "kernprof -l main.py",
        "kernprof -lv -o out.lprof main.py",
        "python -m kernprof -lv main.py",
        "coverage run main.py",
        "coverage run --source pkg -m main",
        "python -m coverage run --branch main.py",
        "python -m cProfile -o out -m main",
        "python -m pdb -c continue main.py",
        "mprof run python main.py",
        "memray run -o out.bin main.py",
        "viztracer -o out.json -- main.py",
        "nsys profile python main.py",
        "nsys profile -o out --stats=true -t cuda,nvtx python main.py",
        "ncu --set full -o out python main.py",
    ],
)
def test_a_program_that_another_starts_is_looked_at(checked: Make, starts: str) -> None:
    check = checked(FILES)
    assert check(f"{starts} x") == []
    assert check(f"{starts} x --lrr 3") == OPTION
