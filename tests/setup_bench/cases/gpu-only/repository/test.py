import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("--scale", type=int, default=4)
args = parser.parse_args()

if not os.path.exists("/dev/nvidiactl"):
    raise RuntimeError("CUDA error: no CUDA-capable device is detected")
print("scale", args.scale)
