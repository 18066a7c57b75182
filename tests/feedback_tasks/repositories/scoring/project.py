"""Project rows of features by a matrix of weights."""

import argparse
import csv
import json
import os


def multiply(weights, row):
    if len(weights[0]) != len(row):
        raise ValueError(f"shapes ({len(weights)},{len(weights[0])}) and ({len(row)},) not aligned")
    return [sum(w * value for w, value in zip(line, row)) for line in weights]


def read(path):
    with open(path, newline="") as file:
        return [[float(cell) for cell in row] for row in csv.reader(file)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", required=True, help="matrix as JSON")
    parser.add_argument("--data", default="data/wide.csv", help="CSV file without header")
    args = parser.parse_args()

    with open(args.weights) as file:
        weights = json.load(file)
    projected = [multiply(weights, row) for row in read(args.data)]
    print(projected)
    with open("projection.json", "w") as file:
        json.dump({"weights": os.path.basename(args.weights), "features": len(weights[0]), "rows": len(projected)}, file)


if __name__ == "__main__":
    main()
