import argparse
import json

from tabulate import tabulate

parser = argparse.ArgumentParser()
parser.add_argument("--top", type=int, default=1)
args = parser.parse_args()

scores = {"a": 0.1, "b": 0.9, "c": 0.4}
top = sorted(scores, key=scores.get, reverse=True)[: args.top]
print(tabulate([(t, scores[t]) for t in top]))
with open("result.json", "w") as file:
    json.dump({"top": top}, file)
