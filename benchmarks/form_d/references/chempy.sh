uv pip install -q --exclude-newer 2019-06-01 .
python - <<'PY'
import csv

from chempy import balance_stoichiometry

with open("inputs/reactions.txt") as source, open("outputs/balanced.csv", "w", newline="") as target:
    rows = csv.writer(target)
    rows.writerow(["reaction", "balanced"])
    for line in source:
        left, right = ([name.strip() for name in side.split(" + ")] for side in line.strip().split("->"))
        sides = balance_stoichiometry(set(left), set(right))
        texts = [" + ".join(f"{side[name]} {name}" for name in names) for side, names in zip(sides, (left, right))]
        rows.writerow([line.strip(), " -> ".join(texts)])
PY
