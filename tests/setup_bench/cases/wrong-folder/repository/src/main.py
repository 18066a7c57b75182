import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=100)
args = parser.parse_args()

with open("config.json") as file:
    config = json.load(file)
regrets = [0.0] * config["actions"]
for i in range(args.rounds):
    regrets[i % len(regrets)] += 1
with open("result.json", "w") as file:
    json.dump({"rounds": int(sum(regrets)), "players": config["players"]}, file)
