"""Delivery rows made of a small repository: examples that come out the same twice, asked for in the document's words."""

import re
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="Pillow is one of the development tools: make setup")

from ml_agent.benchmarks.form_d.judges import compare_texts
from ml_agent.benchmarks.form_d.make import Order, make_deliveries
from ml_agent.benchmarks.form_d.rows import ARCHIVES, Row, bring_repository, load_rows
from ml_agent.benchmarks.form_d.run import pick_rows
from ml_agent.benchmarks.make import sources
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.sandbox.contract import Policy

README = """# Kit

## Fitting

Fit a line and save its slope:

```sh
python fit.py --data points.csv --out line.json
```

Draw a number at random:

```sh
python fit.py --data points.csv --noise 1
```

A file that is not there:

```sh
python fit.py --data nothing.csv
```

## From Python 🐍

Compute the slope yourself:

```python
from fit import slope

print("slope", slope([(0, 1), (1, 3)]))
```
"""
FIT = """
import argparse
import json
import random


def slope(points):
    (a, b), (c, d) = points[0], points[-1]
    return (d - b) / (c - a)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Fit a line.")
    parser.add_argument("--data", required=True, help="points to fit")
    parser.add_argument("--out", help="where the line goes")
    parser.add_argument("--noise", type=float, default=0, help="noise to add")
    args = parser.parse_args()
    found = slope([tuple(map(float, line.split(","))) for line in open(args.data)])
    if args.out:
        json.dump({"slope": found}, open(args.out, "w"))
    if args.noise:
        print("slope", found + random.random())
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    """The rows of the repository."""
    root, out = tmp_path_factory.mktemp("repositories") / "kit", tmp_path_factory.mktemp("rows")
    root.mkdir()
    for name, text in {"README.md": README, "fit.py": FIT, "points.csv": "0,1\n3,7\n", ".env": "KEY=1\n"}.items():
        (root / name).write_text(text)
    place = Place(sandbox="local", unisolated=True, policy=Policy())
    order, (source,) = Order(out=out, cache=out / "cache", place=place), sources([str(root)])
    rows, refused = make_deliveries(source, order, lambda line: None)
    assert sum(refused.values()) == 2, refused
    again, _ = make_deliveries(source, order, lambda line: None)
    assert again == rows == list(load_rows(out).values())
    return {row.why: row for row in rows}


def test_examples_that_come_out_the_same_twice_are_rows(made: dict[str, Row]) -> None:
    fitted, computed = made["README.md:8"], made["README.md:28"]
    assert len(made) == 2
    assert all(word in fitted.instruction for word in ("Fit a line", "points.csv", "line.json", "outputs/line.json"))
    assert (fitted.outputs, computed.outputs) == (["outputs/line.json"], ["outputs/printed.txt"])
    assert pick_rows(f"{fitted.folder}:{fitted.name}") == (fitted,)


def test_the_reference_delivers_a_row_from_its_archive(made: dict[str, Row], tmp_path: Path) -> None:
    for row in made.values():
        root = tmp_path / row.name
        bring_repository(row, root, row.folder / ARCHIVES)
        assert not (root / ".env").exists(), "secrets stay where they are"
        (root / "outputs").mkdir()
        script = (row.folder / "references" / f"{row.name}.sh").read_text()
        commands = re.sub("(?m)^uv pip install.*$", "", script)  # this environment has what the rows need: nothing
        subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=root, check=True)
        for output in row.outputs:
            compare_texts(root / output, row.folder / "expected" / row.name / Path(output).name, "0.1%")


@pytest.mark.parametrize(
    ("text", "right"),
    [("slope 2.0001\n", True), ("slope 2.1\n", False), ("slope\n", False), ("steep 2.0\n", False), ("", False)],
)
def test_words_must_be_the_same_and_numbers_near(text: str, right: bool, tmp_path: Path) -> None:
    (tmp_path / "found").write_text(text)
    (tmp_path / "wanted").write_text("slope  2.0")
    if right:
        compare_texts(tmp_path / "found", tmp_path / "wanted", "0.1%")
    else:
        with pytest.raises(ValueError, match="found: "):
            compare_texts(tmp_path / "found", tmp_path / "wanted", "0.1%")
