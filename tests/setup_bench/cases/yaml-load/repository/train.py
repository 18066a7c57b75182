import json

import yaml

with open("options.yaml") as file:
    options = yaml.load(file)
value, rounds = 1.0, 0
while rounds < options["rounds"]:
    value -= options["rate"] * value
    rounds += 1
print("final", value)
with open("result.json", "w") as file:
    json.dump({"rate": options["rate"], "rounds": rounds}, file)
