uv pip install -q "numpy<1.20" "scipy<1.6" "cython<3" "setuptools<58" wheel
python setup.py -q develop --no-deps  # pip's way to build it stops at its __builtins__
python - <<'PY'
import csv

import numpy as np
import pyworld
from scipy.io import wavfile

rate, sound = wavfile.read("inputs/voice.wav")
sound = sound.astype(float) / 32768
f0, time = pyworld.harvest(sound, rate, f0_floor=60, f0_ceil=400, frame_period=5)
with open("outputs/f0.csv", "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["time", "f0"])
    rows.writerows(zip(time, f0))
envelope = pyworld.cheaptrick(sound, f0, time, rate)
aperiodicity = pyworld.d4c(sound, f0, time, rate)
higher = pyworld.synthesize(f0 * 1.5, envelope, aperiodicity, rate, 5)
wavfile.write("outputs/higher.wav", rate, (np.clip(higher, -1, 1) * 32767).astype(np.int16))
PY
