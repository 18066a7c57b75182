import argparse
import json

from termcolor import colored

parser = argparse.ArgumentParser()
parser.add_argument("--depth", type=int, default=2)
args = parser.parse_args()


def expand(depth):
    return 1 if depth == 0 else 1 + 2 * expand(depth - 1)


nodes = expand(args.depth)
print(colored(f"{nodes} nodes", "cyan"))
with open("result.json", "w") as file:
    json.dump({"nodes": nodes}, file)
