import json

import numpy as np

t = np.arange(48, dtype=np.float_)
series = np.sin(2 * np.pi * t / 12) + 0.01 * t
basis = np.stack([np.sin(2 * np.pi * t / 12), np.cos(2 * np.pi * t / 12), t], axis=1)
coefficients, *_ = np.linalg.lstsq(basis, series, rcond=None)
print(coefficients.round(3))
with open("result.json", "w") as file:
    json.dump({"points": len(t), "product": int(np.product([1, 2, 3, 4]))}, file)
