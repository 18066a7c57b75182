import argparse, csv, json
p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=1)
p.add_argument("--data", default="/home/alice/wind/data/train.csv")
a = p.parse_args()
with open(a.data) as file:
    rows = list(csv.DictReader(file))
json.dump({"rows": len(rows), "epochs": a.epochs}, open("result.json", "w"))
