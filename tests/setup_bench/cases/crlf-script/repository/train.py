import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=1)
args = parser.parse_args()
losses = [1 / (i + 1) for i in range(args.epochs)]
with open("result.json", "w") as file:
    json.dump({"epochs": len(losses)}, file)
