uv pip install -q . "pandas<1" "numpy<1.20" "scipy<1.5" "setuptools<58"
python - <<'PY'
import json

import pandas
from lifelines import KaplanMeierFitter
from lifelines.statistics import logrank_test

trial = pandas.read_csv("inputs/trial.csv")
parts, medians, groups = [], {}, {}
for arm, group in trial.groupby("arm"):
    fitter = KaplanMeierFitter().fit(group["months"], group["event"])
    curve = fitter.survival_function_["KM_estimate"]
    parts.append(pandas.DataFrame({"arm": arm, "month": curve.index, "survival": curve.values}))
    medians[arm], groups[arm] = float(fitter.median_), group
test = logrank_test(
    groups["new"]["months"], groups["usual"]["months"], groups["new"]["event"], groups["usual"]["event"]
)
pandas.concat(parts).to_csv("outputs/survival.csv", index=False)
with open("outputs/summary.json", "w") as file:
    json.dump({"median_usual": medians["usual"], "median_new": medians["new"], "p": test.p_value}, file)
PY
