import argparse
import json

from tabulate import tabulate

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=3)
args = parser.parse_args()

text = tabulate([(i, i * i) for i in range(args.rows)], tablefmt="tsv")
with open("result.json", "w") as file:
    json.dump({"rows": len(text.splitlines())}, file)
