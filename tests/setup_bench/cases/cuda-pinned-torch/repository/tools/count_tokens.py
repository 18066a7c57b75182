import json
import sys

from tabulate import tabulate

with open(sys.argv[1]) as file:
    tokens = file.read().split()
print(tabulate([("tokens", len(tokens))]))
with open("result.json", "w") as file:
    json.dump({"tokens": len(tokens)}, file)
