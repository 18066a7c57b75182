import csv
import json

with open("train.csv", newline="") as file:
    rows = [[int(cell) for cell in row] for row in csv.reader(file)]
slope = sum(r[0] * r[2] for r in rows) / sum(r[0] ** 2 for r in rows)
print("slope", slope)
with open("result.json", "w") as file:
    json.dump({"rows": len(rows), "slope": slope}, file)
