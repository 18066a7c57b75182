"""Logistic regression on generated points."""

import argparse
import json
import math
import random

SOLVERS = {"newton": {"none", "l2"}, "gradient": {"none", "l2"}, "proximal": {"none", "l1", "l2"}}


def solve(points, solver, penalty, strength, steps):
    if penalty not in SOLVERS[solver]:
        raise ValueError(f"solver {solver} supports only {sorted(SOLVERS[solver])} penalties, got {penalty}")
    weight = 0.0
    for _ in range(steps):
        slope = sum((1 / (1 + math.exp(-weight * x)) - y) * x for x, y in points) / len(points)
        weight -= 0.5 * (slope + (strength * weight if penalty == "l2" else 0.0))
        if penalty == "l1":
            weight = math.copysign(max(abs(weight) - 0.5 * strength, 0.0), weight)
    return weight


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--penalty", choices=["none", "l1", "l2"], default="none", help="l1 is the lasso, l2 ridge")
    parser.add_argument("--strength", type=float, default=0.01)
    parser.add_argument("--solver", choices=sorted(SOLVERS), default="newton")
    parser.add_argument("--steps", type=int, default=50)
    args = parser.parse_args()
    rng = random.Random(0)
    points = [(x, int(x + rng.gauss(0, 0.3) > 0)) for x in (rng.uniform(-1, 1) for _ in range(80))]
    weight = solve(points, args.solver, args.penalty, args.strength, args.steps)
    print(f"weight {weight:.3f}")
    with open("fit.json", "w") as file:
        json.dump({"penalty": args.penalty, "strength": args.strength, "solver": args.solver, "steps": args.steps}, file)


if __name__ == "__main__":
    main()
