import argparse
import json

from revenue import forecast, table

parser = argparse.ArgumentParser()
parser.add_argument("--horizon", type=int, default=5)
args = parser.parse_args()

values = forecast([10.0, 12.0, 14.0], args.horizon)
print(table(values))
with open("result.json", "w") as file:
    json.dump({"horizon": len(values), "last": values[-1]}, file)
