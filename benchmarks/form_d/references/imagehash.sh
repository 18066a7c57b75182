uv pip install -q .
python - <<'PY'
import csv
from itertools import combinations
from pathlib import Path

import imagehash
from PIL import Image

hashes = {path.name: imagehash.phash(Image.open(path)) for path in sorted(Path("inputs").iterdir())}
with open("outputs/duplicates.csv", "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["file_a", "file_b", "distance"])
    for a, b in combinations(hashes, 2):
        if hashes[a] - hashes[b] <= 8:
            rows.writerow([a, b, int(hashes[a] - hashes[b])])
PY
