"""Train a small network on generated rows."""

import argparse
import json
import random


def parse_layers(text):
    return [int(size) for size in text.split(",")]


def batches(rows, size, drop_last):
    whole = len(rows) // size
    if len(rows) % size and not drop_last:
        raise AssertionError(f"{len(rows)} rows cannot be split into batches of {size}; pass --drop-last to lose the rest")
    return [rows[i * size : (i + 1) * size] for i in range(whole)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", default="8,4", help="sizes of the hidden layers")
    parser.add_argument("--batch", type=int, default=30, help="rows in a batch")
    parser.add_argument("--drop-last", action="store_true", help="leave out an incomplete last batch")
    parser.add_argument("--lr", type=float, default=0.1, help="learning rate")
    parser.add_argument("--out", default="report.json", help="file for the report")
    args = parser.parse_args()

    rng = random.Random(0)
    rows = [(x, 2 * x + rng.gauss(0, 0.1)) for x in (rng.uniform(-1, 1) for _ in range(300))]
    layers = [[0.0] * size for size in parse_layers(args.layers)]
    parts = batches(rows, args.batch, args.drop_last)
    weight = 0.0
    for part in parts:
        weight -= args.lr * sum(2 * (weight * x - y) * x for x, y in part) / len(part)
    print(f"weight {weight:.3f}")
    report = {"layers": [len(layer) for layer in layers], "batch": len(parts[0]), "batches": len(parts), "lr": args.lr}
    with open(args.out, "w") as file:
        json.dump({**report, "weight": weight}, file)


if __name__ == "__main__":
    main()
