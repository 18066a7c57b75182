uv pip install -q "cython<3.1" setuptools wheel
uv pip install -q --no-build-isolation .
python - <<'PY'
import csv

from brainpy import isotopic_variants, parse_formula

with open("inputs/molecules.csv") as source, open("outputs/isotopes.csv", "w", newline="") as target:
    rows = csv.writer(target)
    rows.writerow(["name", "peak", "mz", "intensity"])
    for row in csv.DictReader(source):
        peaks = isotopic_variants(parse_formula(row["formula"]), npeaks=5, charge=2)
        rows.writerows([row["name"], k, peak.mz, peak.intensity] for k, peak in enumerate(peaks))
PY
