"""Accuracy of thresholded scores."""

import argparse
import csv
import json
import os


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="CSV file")
    parser.add_argument("--threshold", type=float, default=0.5)
    args = parser.parse_args()

    with open(args.data, newline="") as file:
        rows = list(csv.DictReader(file))
    if "label" not in rows[0]:
        raise KeyError(f"no column 'label' in {args.data}")
    correct = sum((float(row["score"]) >= args.threshold) == (row["label"] == "1") for row in rows)
    print(f"accuracy {correct / len(rows):.2f}")
    with open("evaluation.json", "w") as file:
        json.dump({"data": os.path.basename(args.data), "rows": len(rows), "threshold": args.threshold}, file)


if __name__ == "__main__":
    main()
