import argparse
import json

from .models import Model

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()

model = Model(args.seed)
with open("result.json", "w") as file:
    json.dump({"seed": model.seed, "score": model.fit()}, file)
