import argparse, csv, json
p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=1)
a = p.parse_args()
with open("data/train.csv") as file:
    rows = list(csv.DictReader(file))
json.dump({"rows": len(rows), "epochs": a.epochs}, open("result.json", "w"))
