import argparse
import json
import random

from tabulate import tabulate

parser = argparse.ArgumentParser()
parser.add_argument("--count", type=int, default=10)
args = parser.parse_args()

rng = random.Random(1)
names = ["".join(rng.choice(["ka", "lo", "mi", "re"]) for _ in range(3)) for _ in range(args.count)]
print(tabulate([(name,) for name in names]))
with open("result.json", "w") as file:
    json.dump({"names": len(names)}, file)
