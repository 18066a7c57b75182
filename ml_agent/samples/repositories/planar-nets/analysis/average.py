"""Average the metrics of several runs: average.py SUMMARY RUN [RUN ...]."""

import json
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tools.record import write_metrics  # noqa: E402


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    summary, paths = sys.argv[1], sys.argv[2:]
    runs = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            runs.append(json.load(file))
    accuracies = [run["scores"]["accuracy"] for run in runs]
    metrics = {
        "datasets": sorted({run["data"]["dataset"] for run in runs}),
        "runs": len(runs),
        "seeds": sorted(run["data"]["seed"] for run in runs),
        "mean_accuracy": sum(accuracies) / len(accuracies),
        "worst_accuracy": min(accuracies),
    }
    write_metrics(summary, metrics)


if __name__ == "__main__":
    main()
