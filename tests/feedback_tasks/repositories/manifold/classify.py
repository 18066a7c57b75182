"""Nearest-neighbour classifier on generated points."""

import argparse
import json
import random

METRICS = {
    "euclidean": lambda a, b: sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5,
    "manhattan": lambda a, b: sum(abs(x - y) for x, y in zip(a, b)),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--neighbours", type=int, default=3, help="neighbours that vote")
    parser.add_argument("--metric", default="euclidean", help="distance between two points")
    args = parser.parse_args()
    rng = random.Random(0)
    points = [[rng.gauss(0, 1), rng.gauss(0, 1)] for _ in range(40)]
    distance = METRICS[args.metric]
    votes = sorted(points[1:], key=lambda point: distance(points[0], point))[: args.neighbours]
    print(votes[0])
    with open("votes.json", "w") as file:
        json.dump({"metric": args.metric, "neighbours": len(votes)}, file)


if __name__ == "__main__":
    main()
