import json
from collections import Mapping

settings = {"games": 3}
assert isinstance(settings, Mapping)
results = [(7 * game) % 3 for game in range(settings["games"])]
print("results", results)
with open("result.json", "w") as file:
    json.dump({"games": len(results)}, file)
