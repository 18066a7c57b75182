SETUPTOOLS_SCM_PRETEND_VERSION=0.3.2 uv pip install -q .
cat > fit.py <<'PY'
import csv
import pickle

import numpy as np
from hmmlearn.hmm import GaussianHMM

table = np.loadtxt("inputs/train.csv", delimiter=",", skiprows=1)
lengths = np.unique(table[:, 0], return_counts=True)[1]
models = [GaussianHMM(3, "full", n_iter=200, random_state=k).fit(table[:, 1:], lengths) for k in range(10)]
model = max(models, key=lambda one: one.score(table[:, 1:], lengths))
order = np.argsort([np.trace(one) for one in model.covars_])
with open("outputs/states.csv", "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["state", "mean_a", "mean_b", "variance_a", "variance_b"])
    for state, k in enumerate(order):
        rows.writerow([state, *model.means_[k], model.covars_[k][0, 0], model.covars_[k][1, 1]])
with open("model.pickle", "wb") as file:
    pickle.dump((model, order), file)
PY
cat > decode.py <<'PY'
import csv
import pickle

import numpy as np

with open("model.pickle", "rb") as file:
    model, order = pickle.load(file)
states = np.argsort(order)[model.predict(np.loadtxt("inputs/new.csv", delimiter=",", skiprows=1))]
with open("outputs/decoded.csv", "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["row", "state"])
    rows.writerows(enumerate(states))
PY
python fit.py
python decode.py
