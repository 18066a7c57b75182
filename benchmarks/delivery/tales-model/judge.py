"""Judges `tales-model`."""

import json
import sys
from pathlib import Path


def main():
    path = Path("stories/report.json")
    if not path.is_file():
        sys.exit("there is no stories/report.json")
    report = json.loads(path.read_text(encoding="utf-8"))
    expected = {"order": 4, "unit": "char", "smoothing": "witten-bell", "source": "tales.txt"}
    for name, value in expected.items():
        if report.get(name) != value:
            sys.exit(f"{name} is {report.get(name)!r}, not {value!r}")
    if abs(report["heldout"] - 0.1) > 0.01:
        sys.exit("not a tenth is kept for testing")
    if not 1 < report["perplexity"] < 100:
        sys.exit("the perplexity is out of range")


if __name__ == "__main__":
    main()
