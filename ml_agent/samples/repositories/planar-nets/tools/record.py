"""Where results are kept."""

import json
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "results"


def write_metrics(path, metrics):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(metrics, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    print(f"metrics written to {path}")
