"""Judges `rings-net`."""

import json
import sys
from pathlib import Path


def main():
    path = Path("models/rings_metrics.json")
    if not path.is_file():
        sys.exit("there is no models/rings_metrics.json")
    report = json.loads(path.read_text(encoding="utf-8"))
    expected = {
        "data.dataset": "rings",
        "data.seed": 4,
        "model.units": [10, 5],
        "model.activation": "tanh",
        "training.epochs_run": 8,
        "training.early_stopping": False,
    }
    for name, value in expected.items():
        found = report
        for part in name.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        if found != value:
            sys.exit(f"{name} is {found!r}, not {value!r}")
    network = json.loads(Path("models/rings.json").read_text(encoding="utf-8"))
    if network["activation"] != "tanh" or [len(layer) for layer in network["weights"]][:2] != [10, 5]:
        sys.exit("models/rings.json is another network")
    if not Path("models/note.txt").is_file():
        sys.exit("the note is gone")


if __name__ == "__main__":
    main()
