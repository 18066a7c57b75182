"""Play a multi-armed bandit."""

import argparse
import json
import random


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100, help="number of pulls")
    parser.add_argument("--epsilon", type=float, default=0.1, help="share of random pulls")
    args = parser.parse_args()
    with open("arms.json") as file:
        arms = json.load(file)
    rng = random.Random(0)
    pulls, wins = [0] * len(arms), [0.0] * len(arms)
    for _ in range(args.steps):
        greedy = max(range(len(arms)), key=lambda i: wins[i] / pulls[i] if pulls[i] else 1.0)
        arm = rng.randrange(len(arms)) if rng.random() < args.epsilon else greedy
        pulls[arm] += 1
        wins[arm] += rng.random() < arms[arm]
    print("pulls", pulls)
    with open("bandit.json", "w") as file:
        json.dump({"steps": sum(pulls), "epsilon": args.epsilon}, file)


if __name__ == "__main__":
    main()
