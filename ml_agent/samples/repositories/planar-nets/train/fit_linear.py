"""Logistic regression on a toy problem in the plane, with ridge or lasso regularisation."""

import argparse
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tools.layers import Perceptron, evaluate  # noqa: E402
from tools.record import RESULTS, write_metrics  # noqa: E402
from tools.toydata import PROBLEMS, ToyData  # noqa: E402


def expand(point):
    x, y = point
    return (x, y, x * x, y * y, x * y)


class LogisticRegression:
    """A perceptron without hidden layers; the bias is not regularised."""

    def __init__(self, n_features, reg, lam, step_size):
        self.net = Perceptron([], "sigmoid", inputs=n_features)
        self.reg = reg
        self.lam = lam
        self.step_size = step_size
        self.iterations = 0

    def fit(self, rows, n_steps):
        weights = self.net.weights[0][0]
        for _ in range(n_steps):
            gradients = self.net.zero_gradients()
            loss = sum(self.net.accumulate(gradients, point, label) for point, label in rows) / len(rows)
            for i, gradient in enumerate(gradients[0][0]):
                penalised = i < len(weights) - 1
                slope = gradient / len(rows)
                if self.reg == "l2" and penalised:
                    slope += self.lam * weights[i]
                weights[i] -= self.step_size * slope
                if self.reg == "l1" and penalised:
                    weights[i] = soft_threshold(weights[i], self.step_size * self.lam)
            self.iterations += 1
        return loss

    @property
    def coefficients(self):
        return self.net.weights[0][0][:-1]


def soft_threshold(value, amount):
    if value > amount:
        return value - amount
    if value < -amount:
        return value + amount
    return 0.0


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", choices=sorted(PROBLEMS), default="moons", help="toy problem to train on")
    parser.add_argument("--n_points", type=int, default=200, help="total number of points to generate")
    parser.add_argument("--jitter", type=float, default=0.1, help="standard deviation of the noise on the coordinates")
    parser.add_argument("--val_frac", type=float, default=0.2, help="share of the points held out for validation")
    parser.add_argument("--reg", choices=["none", "l1", "l2"], default="none", help="penalty: l1 is the lasso, l2 ridge")
    parser.add_argument("--lam", type=float, default=0.01, help="strength of the penalty")
    parser.add_argument("--step_size", type=float, default=0.5, help="learning rate of the gradient descent")
    parser.add_argument("--n_steps", type=int, default=100, help="number of gradient steps")
    parser.add_argument("--expand", action="store_true", help="add squares and the product of the coordinates")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    parser.add_argument("--out", default=str(RESULTS / "linear.json"), help="file for the metrics")
    return parser.parse_args()


def main():
    args = parse_args()
    data = ToyData(args.dataset, args.n_points, args.jitter, args.val_frac, args.seed)
    features = expand if args.expand else tuple
    training = [(features(point), label) for point, label in data.training]
    validation = [(features(point), label) for point, label in data.validation]
    model = LogisticRegression(len(training[0][0]), args.reg, args.lam, args.step_size)
    train_loss = model.fit(training, args.n_steps)
    val_loss, accuracy = evaluate(model.net.predict, validation)
    print(f"train loss {train_loss:.4f}  val loss {val_loss:.4f}  accuracy {accuracy:.3f}")
    metrics = {
        "data": data.describe(),
        "model": {
            "kind": "logistic regression",
            "penalty": model.reg,
            "strength": model.lam,
            "n_features": len(model.coefficients),
            "zero_coefficients": sum(c == 0 for c in model.coefficients),
        },
        "training": {"steps": model.iterations, "step_size": model.step_size},
        "scores": {"train_loss": train_loss, "val_loss": val_loss, "accuracy": accuracy},
    }
    write_metrics(args.out, metrics)


if __name__ == "__main__":
    main()
