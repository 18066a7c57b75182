import json

from tabulate import tabulate
from termcolor import colored

scores = {"mean": 0.61, "nearest": 0.74, "ridge": 0.83, "stump": 0.7}
best = max(scores, key=scores.get)
print(tabulate(sorted(scores.items()), headers=["model", "R2"]))
print(colored(best, "green"))
with open("result.json", "w") as file:
    json.dump({"rows": len(scores), "best": best}, file)
