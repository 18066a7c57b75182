uv pip install -q "numpy<1.20" "scipy<1.5" "scikit-learn<0.23" "setuptools<58" requests wheel
sed -i 's/^__builtins__.*$/import builtins; builtins.__LIGHTFM_SETUP__ = True/' setup.py
uv pip install -q --no-build-isolation .
mkdir steps  # beside the repository's folder lightfm/, which has no compiled parts
cat > steps/train.py <<'PY'
import csv
import pickle

from lightfm import LightFM
from lightfm.data import Dataset

likes = [(row["reader"], row["book"]) for row in csv.DictReader(open("inputs/likes.csv"))]
held = [(row["reader"], row["book"]) for row in csv.DictReader(open("inputs/held_out.csv"))]
data = Dataset()
data.fit({reader for reader, _ in likes}, {book for _, book in likes + held})
seen, _ = data.build_interactions(likes)
wanted, _ = data.build_interactions(held)
model = LightFM(no_components=16, loss="warp", random_state=1)
model.fit(seen, epochs=40, num_threads=1)
with open("model.pickle", "wb") as file:
    pickle.dump((model, data.mapping(), seen, wanted), file)
PY
cat > steps/recommend.py <<'PY'
import csv
import json
import pickle

import numpy as np
from lightfm.evaluation import precision_at_k

with open("model.pickle", "rb") as file:
    model, (readers, _, books, _), seen, wanted = pickle.load(file)
names = {number: name for name, number in books.items()}
known = seen.tocsr()
with open("outputs/recommended.csv", "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["reader", "rank", "book"])
    for reader, number in sorted(readers.items(), key=lambda pair: int(pair[0][1:])):
        scores = model.predict(number, np.arange(len(books)))
        scores[known[number].indices] = -np.inf
        rows.writerows([reader, rank, names[k]] for rank, k in enumerate(np.argsort(-scores)[:5], 1))
precision = precision_at_k(model, wanted, train_interactions=seen, k=5).mean()
with open("outputs/precision.json", "w") as file:
    json.dump({"precision_at_5": float(precision)}, file)
PY
python steps/train.py
python steps/recommend.py
