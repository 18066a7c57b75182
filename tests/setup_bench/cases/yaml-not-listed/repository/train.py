import argparse
import json

import yaml

parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True)
args = parser.parse_args()

with open(args.config) as file:
    config = yaml.safe_load(file)
weights = [0.0] * config["units"]
done = 0
for step in range(config["steps"]):
    weights = [w + 0.1 * (i - w) for i, w in enumerate(weights)]
    done += 1
print(f"step {done} loss {sum((i - w) ** 2 for i, w in enumerate(weights)):.4f}")
with open("result.json", "w") as file:
    json.dump({"units": len(weights), "steps": done}, file)
