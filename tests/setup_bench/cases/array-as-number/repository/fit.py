import argparse
import json
import math

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=3)
args = parser.parse_args()

steps = np.full((1, 1), args.steps)
with open("result.json", "w") as file:
    json.dump({"slope": math.sqrt(steps @ steps)}, file)
