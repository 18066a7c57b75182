"""The question which of several programs is meant."""

from pathlib import Path

from ml_agent.llm.choosing import question, system
from ml_agent.matching.entries import RepositoryFacts
from ml_agent.matching.mentions import read_request
from ml_agent.tools.index import RepoIndex

SCRIPT = """import argparse
p = argparse.ArgumentParser(description="{doc}")
p.add_argument("--{option}", type=int)
p.parse_args()
"""
README = "# Birds\n\n## Teach a net\n\n```bash\npython train.py --epochs 3\n```\n"


def test_each_program_stands_in_a_line_with_its_number(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT.format(doc="Train it.", option="epochs"))
    (tmp_path / "score.py").write_text(SCRIPT.format(doc="Score it.", option="runs"))
    (tmp_path / "README.md").write_text(README)
    entries = sorted(
        RepositoryFacts(RepoIndex.open(tmp_path, "1")).entries, key=lambda one: one.signature.path, reverse=True
    )
    asked = question(read_request("Train for\n7 epochs"), entries, ".")
    assert asked.splitlines() == [
        "Programs:",
        "1. train.py (1 options: --epochs): Train it. [Teach a net]",
        "2. score.py (1 options: --runs): Score it.",
        "Request: Train for 7 epochs",
    ]
    assert "number" in system()
