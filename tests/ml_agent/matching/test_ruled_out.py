"""What the request's own words rule out."""

from pathlib import Path

import pytest

import ml_agent

PROGRAM = """import argparse
p = argparse.ArgumentParser(description="Simulate a random walk")
p.add_argument("--input", required=True, help="text file, one sentence a line")
p.add_argument("--output", default="scores.json", help="JSON file of the scores")
p.add_argument("--total-steps", type=int, default=100, help="number of steps")
p.add_argument("--seed", type=int, default=0, help="random seed")
print(p.parse_args())
"""
README = """# Walk
Simulate a random walk over the sentences of a file.

```
python walk.py --input sample.txt --output scores.json --seed 1
```
"""


@pytest.mark.parametrize(
    ("instruction", "has", "lacks"),
    [
        ("Simulate a random walk over the sentences in sample.txt", "--input sample.txt", "--output sample.txt"),
        ("Simulate a random walk over mine.txt, write to sample.json", "--output sample.json", "--output mine.txt"),
    ],
)
def test_a_value_stays_where_its_words_put_it(tmp_path: Path, instruction: str, has: str, lacks: str) -> None:
    repository = tmp_path / "walk"
    repository.mkdir()
    for name, text in {"walk.py": PROGRAM, "README.md": README, "sample.txt": "a\n"}.items():
        (repository / name).write_text(text)
    result = ml_agent.solve(instruction, repo=repository, run="none", navigator="grounded", runs_dir=tmp_path / "runs")
    assert result.answer is not None
    assert has in result.answer.text and lacks not in result.answer.text
