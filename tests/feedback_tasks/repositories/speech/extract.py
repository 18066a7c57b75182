"""Compute the features of the tones."""

import argparse
import json
import math
import os


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tones", type=int, default=12)
    args = parser.parse_args()
    features = [[math.sin(i), math.cos(i)] for i in range(args.tones)]
    os.makedirs("cache", exist_ok=True)
    with open("cache/features.json", "w") as file:
        json.dump(features, file)


if __name__ == "__main__":
    main()
