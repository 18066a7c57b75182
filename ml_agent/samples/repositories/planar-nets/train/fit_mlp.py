"""Train a multi-layer perceptron on a toy problem in the plane."""

import argparse
import os
import random
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tools.layers import ACTIVATIONS, Perceptron, evaluate  # noqa: E402
from tools.optimizers import OPTIMIZERS  # noqa: E402
from tools.record import RESULTS, write_metrics  # noqa: E402
from tools.toydata import PROBLEMS, ToyData  # noqa: E402


class EarlyStopping:
    """Says when the validation loss has stopped improving."""

    def __init__(self, patience):
        self.patience = patience
        self.best = float("inf")
        self.waited = 0

    def should_stop(self, loss):
        if loss < self.best - 1e-4:
            self.best, self.waited = loss, 0
        else:
            self.waited += 1
        return self.waited > self.patience


class Trainer:
    def __init__(self, model, optimizer, data, batch_size, stopper, seed):
        self.model = model
        self.optimizer = optimizer
        self.data = data
        self.batch_size = batch_size
        self.stopper = stopper
        self.rng = random.Random(seed)
        self.largest_batch = 0
        self.epochs_run = 0

    def train_epoch(self):
        rows = list(self.data.training)
        self.rng.shuffle(rows)
        total = 0.0
        for start in range(0, len(rows), self.batch_size):
            batch = rows[start : start + self.batch_size]
            self.largest_batch = max(self.largest_batch, len(batch))
            gradients = self.model.zero_gradients()
            for point, label in batch:
                total += self.model.accumulate(gradients, point, label)
            self.optimizer.apply(self.model.weights, gradients, 1 / len(batch))
        self.epochs_run += 1
        return total / len(rows)

    def run(self, n_epochs):
        for epoch in range(1, n_epochs + 1):
            train_loss = self.train_epoch()
            val_loss, accuracy = evaluate(self.model.predict, self.data.validation)
            print(f"epoch {epoch:3d}  train loss {train_loss:.4f}  val loss {val_loss:.4f}  accuracy {accuracy:.3f}")
            if self.stopper and self.stopper.should_stop(val_loss):
                print("stopping early")
                break
        return {"train_loss": train_loss, "val_loss": val_loss, "accuracy": accuracy}


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", choices=sorted(PROBLEMS), default="moons", help="toy problem to train on")
    parser.add_argument("--n_points", type=int, default=200, help="total number of points to generate")
    parser.add_argument("--jitter", type=float, default=0.1, help="standard deviation of the noise on the coordinates")
    parser.add_argument("--val_frac", type=float, default=0.2, help="share of the points held out for validation")
    parser.add_argument("--units", type=int, nargs="+", default=[8], help="sizes of the hidden layers")
    parser.add_argument("--act", choices=sorted(ACTIVATIONS), default="relu", help="activation of the hidden layers")
    parser.add_argument("--optim", choices=sorted(OPTIMIZERS), default="sgd", help="optimizer")
    parser.add_argument("--lr", type=float, default=0.1, help="learning rate")
    parser.add_argument("--wd", type=float, default=0.0, help="weight decay")
    parser.add_argument("--n_epochs", type=int, default=30, help="maximum number of passes over the training points")
    parser.add_argument("--bs", type=int, default=32, help="mini-batch size")
    parser.add_argument("--patience", type=int, default=5, help="epochs without improvement before stopping")
    parser.add_argument("--no_early_stop", action="store_true", help="always train for the full number of epochs")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    parser.add_argument("--save", default=None, metavar="FILE", help="store the trained network as a checkpoint")
    parser.add_argument("--out", default=str(RESULTS / "mlp.json"), help="file for the metrics")
    return parser.parse_args()


def main():
    args = parse_args()
    data = ToyData(args.dataset, args.n_points, args.jitter, args.val_frac, args.seed)
    model = Perceptron(args.units, args.act, args.seed)
    optimizer = OPTIMIZERS[args.optim](args.lr, args.wd)
    stopper = None if args.no_early_stop else EarlyStopping(args.patience)
    trainer = Trainer(model, optimizer, data, args.bs, stopper, args.seed)
    scores = trainer.run(args.n_epochs)
    if args.save:
        model.save(args.save)
    metrics = {
        "data": data.describe(),
        "model": {"kind": "mlp", "units": model.units, "activation": model.activation},
        "optimizer": {
            "name": optimizer.name,
            "lr": optimizer.lr,
            "weight_decay": optimizer.weight_decay,
            "updates": optimizer.updates,
        },
        "training": {
            "epochs_run": trainer.epochs_run,
            "batch_size": trainer.largest_batch,
            "early_stopping": trainer.stopper is not None,
            "patience": trainer.stopper.patience if trainer.stopper else None,
        },
        "scores": scores,
    }
    write_metrics(args.out, metrics)


if __name__ == "__main__":
    main()
