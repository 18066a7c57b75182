uv pip install -q . "setuptools<80" "numpy<2"
printf 'flow -3.14159265 3.14159265\nslope -3.14159265 3.14159265\nwidth -3.14159265 3.14159265\n' > outputs/params.txt
salib sample saltelli -n 1024 -p outputs/params.txt -o samples.txt --delimiter " " --precision 8 --max-order 2
PYTHONPATH=inputs python - <<'PY'
from model import level

with open("samples.txt") as source, open("levels.txt", "w") as target:
    for line in source:
        target.write(f"{level(*map(float, line.split()))}\n")
PY
salib analyze sobol -p outputs/params.txt -Y levels.txt -c 0 --max-order 2 -s 1 > indices.txt
python - <<'PY'
import json

first, total = {}, {}
for line in open("indices.txt"):
    words = line.split()
    if words[:1] and words[0] in ("flow", "slope", "width"):
        table = total if words[0] not in total and "ST" in header else first
        table.setdefault(words[0], float(words[1]))
    elif words:
        header = words
with open("outputs/indices.json", "w") as file:
    json.dump({"S1": first, "ST": total}, file, indent=1)
PY
