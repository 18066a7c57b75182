"""Judges `wells`."""

import json
import sys
from pathlib import Path


def main():
    path = Path("survey/wells.json")
    if not path.is_file():
        sys.exit("there is no survey/wells.json")
    report = json.loads(path.read_text(encoding="utf-8"))
    expected = {
        "algorithm": "gaussian mixture",
        "covariance": "diagonal",
        "n_components": 2,
        "n_points": 50,
        "max_iter": 80,
    }
    for name, value in expected.items():
        if report.get(name) != value:
            sys.exit(f"{name} is {report.get(name)!r}, not {value!r}")


if __name__ == "__main__":
    main()
