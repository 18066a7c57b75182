"""A folder with three rows, the repository that they are about, and a way to call the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ml_agent import cli

TRAIN = """import argparse
p = argparse.ArgumentParser()
p.add_argument("--lr", type=float, default=0.1)
p.add_argument("--epochs", type=int, default=1)
print(p.parse_args())
"""


class Said(NamedTuple):
    """What a command left."""

    code: int
    out: str
    err: str


Call = Callable[..., Said]


def row(number: int, **changed: Any) -> dict[str, Any]:
    return {
        "github_id": 1, "github": "https://github.com/some/sample", "repo_id": 1, "path": "./", "arguments": "{'lr': '0.5'}",
        "instruction": "Train the model with a learning rate of 0.5.",
        "type": "Bash Script", "prefix_code": "", "output": "python train.py --lr 0.5", "id": number, **changed,
    }  # fmt: skip


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    sample = tmp_path / "repos" / "sample"
    sample.mkdir(parents=True)
    (sample / "train.py").write_text(TRAIN)
    (sample / "README.md").write_text("# Sample\n\nTrain it:\n\n```bash\npython train.py --lr 0.1 --epochs 2\n```\n")
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row(n)) + "\n" for n in range(3)))
    return tmp_path


@pytest.fixture
def rows(bench: Path) -> Callable[..., None]:
    """Writes the file of rows anew; each is told what is other about it."""

    def write(*changes: dict[str, Any]) -> None:
        lines = [json.dumps(row(number, **changed)) + "\n" for number, changed in enumerate(changes)]
        (bench / "rows.jsonl").write_text("".join(lines))

    return write


@pytest.fixture
def call(bench: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs `ml-agent bench …` in this process; {rows}, {repos} and {tmp} are filled in."""

    def run(*words: str) -> Said:
        named = {"rows": bench / "rows.jsonl", "repos": bench / "repos", "tmp": bench}
        code = cli.run(["bench", *(word.format(**named) for word in words)])
        return Said(code, *capsys.readouterr())

    return run
