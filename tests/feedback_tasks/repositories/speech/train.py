"""Train on the extracted features."""

import argparse
import json


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args()
    with open("cache/features.json") as file:
        features = json.load(file)
    mean, done = [0.0, 0.0], 0
    for done in range(1, args.epochs + 1):
        for row in features:
            mean = [0.9 * m + 0.1 * value for m, value in zip(mean, row)]
        print(f"epoch {done} mean {mean[0]:.3f}")
    with open("keywords.json", "w") as file:
        json.dump({"epochs": done, "tones": len(features)}, file)


if __name__ == "__main__":
    main()
