SETUPTOOLS_SCM_PRETEND_VERSION=2.4.3 uv pip install -q .
score() { (cd outputs && sacrebleu ../inputs/reference.txt -i "../inputs/$1.txt" -w 4 -b "${@:2}"); }
for system in system_a system_b; do
  echo "$system $(score $system -m bleu -lc) $(score $system -m chrf) $(score $system -m ter)"
done > scores.txt
python - <<'PY'
import json

scores = {}
for line in open("scores.txt"):
    system, *values = line.split()
    scores[system] = dict(zip(("bleu", "chrf", "ter"), map(float, values)))
with open("outputs/scores.json", "w") as file:
    json.dump(scores, file, indent=1)
PY
