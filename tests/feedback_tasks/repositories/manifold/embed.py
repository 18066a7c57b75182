"""Stochastic neighbour embedding of generated digits."""

import argparse
import json
import random


def neighbours(perplexity, samples):
    if perplexity >= samples:
        raise ValueError(f"perplexity must be less than the number of samples: {perplexity} >= {samples}")
    return 3 * perplexity


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100, help="number of digits")
    parser.add_argument("--dimensions", type=int, default=2, help="dimensions of the embedding")
    parser.add_argument("--perplexity", type=int, default=30, help="effective number of neighbours")
    args = parser.parse_args()
    near = neighbours(args.perplexity, args.samples)
    rng = random.Random(0)
    points = [[rng.gauss(0, 1) for _ in range(args.dimensions)] for _ in range(args.samples)]
    print(f"{len(points)} points, {near} neighbours each")
    with open("embedding.json", "w") as file:
        json.dump({"samples": len(points), "dimensions": len(points[0]), "below": args.perplexity < len(points)}, file)


if __name__ == "__main__":
    main()
