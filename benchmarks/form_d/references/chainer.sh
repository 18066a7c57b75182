uv pip install -q "numpy<1.20" "setuptools<58" wheel
uv pip install -q --no-build-isolation .
cat > train.py <<'PY'
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions


class Network(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.hidden = L.Linear(None, 32)
            self.out = L.Linear(None, 4)

    def __call__(self, x):
        return self.out(F.relu(self.hidden(x)))


if __name__ == "__main__":
    np.random.seed(0)
    data = np.load("inputs/train.npz")
    model = L.Classifier(Network())
    optimizer = chainer.optimizers.Adam()
    optimizer.setup(model)
    batches = chainer.iterators.SerialIterator(chainer.datasets.TupleDataset(data["x"], data["y"]), 20)
    trainer = training.Trainer(training.StandardUpdater(batches, optimizer), (30, "epoch"), out="result")
    trainer.extend(extensions.LogReport())
    trainer.run()
    chainer.serializers.save_npz("outputs/model.npz", model.predictor)
PY
cat > predict.py <<'PY'
import csv

import chainer
import chainer.functions as F
import numpy as np
from train import Network

network = Network()
pictures = np.load("inputs/test.npz")["x"]
network(pictures[:1])
chainer.serializers.load_npz("outputs/model.npz", network)
with chainer.using_config("train", False), chainer.no_backprop_mode():
    chances = F.softmax(network(pictures)).data
with open("outputs/predictions.csv", "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["index", "label", "probability"])
    rows.writerows([k, int(one.argmax()), float(one.max())] for k, one in enumerate(chances))
PY
python train.py
python predict.py
