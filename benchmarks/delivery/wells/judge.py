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
        found = report
        for part in name.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        if found != value:
            sys.exit(f"{name} is {found!r}, not {value!r}")


if __name__ == "__main__":
    main()
