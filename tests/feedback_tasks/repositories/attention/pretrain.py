"""Pretrain a small transformer."""

import argparse
import json

SCHEDULES = ("constant", "step")


def head_size(hidden, heads):
    if hidden % heads:
        raise ValueError(f"the hidden size ({hidden}) is not a multiple of the number of attention heads ({heads})")
    return hidden // heads


def rates(schedule, step_size, epochs):
    if schedule not in SCHEDULES:
        raise KeyError(schedule)
    if schedule == "constant":
        return [0.1] * epochs
    if step_size is None:
        raise TypeError("schedule step needs step_size, got None")
    return [0.1 * 0.5 ** (epoch // step_size) for epoch in range(epochs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hidden", type=int, default=40, help="hidden size")
    parser.add_argument("--heads", type=int, default=5, help="attention heads")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--schedule", default="constant", help="schedule of the learning rate: constant or step")
    parser.add_argument("--step-size", type=int, help="epochs between two steps")
    args = parser.parse_args()
    size = head_size(args.hidden, args.heads)
    used = rates(args.schedule, args.step_size, args.epochs)
    print(f"heads of {size}, last rate {used[-1]}")
    with open("pretrained.json", "w") as file:
        json.dump({"hidden": size * args.heads, "epochs": len(used), "schedule": args.schedule}, file)


if __name__ == "__main__":
    main()
