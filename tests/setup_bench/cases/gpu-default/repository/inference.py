import argparse
import json

from accelerator import connect

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=20)
parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda", help="where to compute")
args = parser.parse_args()

device = connect(args.device)
value, steps = 0.0, 0
for _ in range(args.steps):
    value, steps = 0.5 * (value + 1), steps + 1
print(f"{steps} steps on {device}: {value:.4f}")
with open("result.json", "w") as file:
    json.dump({"steps": steps, "device": device}, file)
