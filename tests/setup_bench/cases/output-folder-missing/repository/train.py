import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("--name", default="run")
args = parser.parse_args()

with open(f"logs/{args.name}.txt", "w") as log:
    for epoch in range(3):
        log.write(f"epoch {epoch}\n")
with open(f"logs/{args.name}.txt") as log:
    lines = len(log.readlines())
with open("logs/result.json", "w") as file:
    json.dump({"name": args.name, "lines": lines}, file)
