import argparse, json
from typing import override
p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=1)
a = p.parse_args()
json.dump({"epochs": a.epochs}, open("result.json", "w"))
