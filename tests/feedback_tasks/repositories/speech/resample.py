"""Bring the tones to a sampling rate."""

import json
import os
import sys

rate = int(sys.argv[1])
os.makedirs("cache", exist_ok=True)
with open(os.path.join("cache", "tones.json"), "w") as file:
    json.dump({"rate": rate, "tones": [i * 1000 / rate for i in range(6)]}, file)
