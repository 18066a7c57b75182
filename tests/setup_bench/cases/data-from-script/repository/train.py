import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=10)
args = parser.parse_args()

with open("data/vocab.json") as file:
    vocabulary = json.load(file)
for epoch in range(1, args.epochs + 1):
    print(f"epoch {epoch} loss {1 / epoch:.3f}")
with open("result.json", "w") as file:
    json.dump({"epochs": epoch, "vocabulary": len(vocabulary)}, file)
