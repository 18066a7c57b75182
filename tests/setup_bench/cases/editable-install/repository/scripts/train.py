import argparse
import json

from lumen import Layer

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=8)
args = parser.parse_args()

layer = Layer(args.width)
print("output", layer(2.0))
with open("result.json", "w") as file:
    json.dump({"width": len(layer.weights)}, file)
