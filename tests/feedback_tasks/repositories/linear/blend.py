"""Mix two files of predictions."""

import json
import os
import sys

first, second = sys.argv[1], sys.argv[2]
share = float(sys.argv[3])

columns = []
for path in (first, second):
    with open(path) as file:
        columns.append([float(line) for line in file])
mixed = [share * a + (1 - share) * b for a, b in zip(*columns)]
print(mixed)
with open("blend.json", "w") as file:
    json.dump({"files": [os.path.basename(first), os.path.basename(second)], "share": share, "rows": len(mixed)}, file)
