import argparse
import json

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--frames", type=int, default=10)
args = parser.parse_args()

boxes = np.array([[0, 0, 4, 4]], dtype=np.float)
for _ in range(args.frames):
    boxes = np.vstack([boxes, boxes[-1] + np.array([1, 0.5, 1, 0.5])])
np.testing.assert_allclose(boxes[-1][0], args.frames)
with open("result.json", "w") as file:
    json.dump({"frames": len(boxes) - 1, "version": np.__version__}, file)
