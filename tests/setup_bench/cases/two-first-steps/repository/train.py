import argparse, json
p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=1)
a = p.parse_args()
with open("features.npy") as file:
    rows = file.read().split()
json.dump({"rows": len(rows), "epochs": a.epochs}, open("result.json", "w"))
