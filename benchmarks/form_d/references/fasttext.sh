uv pip install -q "numpy<1.20" pybind11==2.4.3 "setuptools<58" wheel
uv pip install -q --no-build-isolation .
cat > train.py <<'PY'
import csv

import fasttext

with open("inputs/reviews.csv", newline="") as source, open("train.txt", "w") as target:
    for row in csv.DictReader(source):
        target.write(f"__label__{row['label']} {row['text']}\n")
model = fasttext.train_supervised("train.txt", dim=10, epoch=25, lr=0.5, thread=1)
model.save_model("outputs/topics.bin")
PY
cat > predict.py <<'PY'
import csv

import fasttext

model = fasttext.load_model("outputs/topics.bin")
with open("inputs/new.csv", newline="") as source, open("outputs/predictions.csv", "w", newline="") as target:
    rows = csv.writer(target)
    rows.writerow(["id", "label", "probability"])
    for row in csv.DictReader(source):
        labels, chances = model.predict(row["text"])
        rows.writerow([row["id"], labels[0].replace("__label__", ""), min(1, chances[0])])
PY
python train.py
python predict.py
