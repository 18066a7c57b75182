"""Judges `average`."""

import json
import sys
from pathlib import Path


def main():
    path = Path("runs/summary.json")
    if not path.is_file():
        sys.exit("there is no runs/summary.json")
    report = json.loads(path.read_text(encoding="utf-8"))
    expected = {"runs": 3, "worst_accuracy": 0.8, "seeds": [1, 2, 3]}
    for name, value in expected.items():
        if report.get(name) != value:
            sys.exit(f"{name} is {report.get(name)!r}, not {value!r}")
    if abs(report["mean_accuracy"] - 0.85) > 1e-9:
        sys.exit("the mean is wrong")


if __name__ == "__main__":
    main()
