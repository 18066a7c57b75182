"""A small repository with everything that answers may trip over."""

from pathlib import Path

import pytest

FILES = {
    "setup.py": "from setuptools import setup\nsetup(name='mylib', install_requires=['torch', 'somelib>=2'])\n",
    "mylib/__init__.py": "from mylib.net import Net, load\n",
    "mylib/fast.pyx": "def add(int a, int b): return a + b\n",
    "mylib/net.py": """
import torch
from torch import nn
import somelib.deep as deep

SIZES = {"small": 1, "large": 2}


class Net(nn.Module):
    def __init__(self, size, depth=2):
        super().__init__()
        self.width = SIZES[size] * 8
        self.layer = nn.Linear(self.width, depth)
        weights = deep.read(size)[0]["table"]
        self.table = [weights[i] for i in range(12)]

    def forward(self, x, scale=1.0):
        return self.layer(x) * scale

    def predict(self, x):
        return self.forward(x)


def load(name, *, device="cpu"):
    assert name in SIZES, f"no model {name}"
    return Net(name).to(device)
""",
    "tools/__init__.py": "HERE = 'the repository'\n",
    "inside.py": "HERE = 'the repository'\n",
    "examples/train.py": """
import argparse
import torch
from data import build
from tools import HERE

assert HERE == 'the repository'
parser = argparse.ArgumentParser()
parser.add_argument("--dataset", required=True)
parser.add_argument("--opt", choices=["adam", "sgd"], default="adam")
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()
print(args)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 3)
loader = build(args.dataset)
if args.epochs > 1000:
    raise ValueError("too many epochs")
for epoch in range(args.epochs):
    for x, y in loader:
        loss = model(x).sum()
        if loss.item() > 3:
            raise RuntimeError("diverged")
        loss.backward()
""",
    "examples/data.py": """
import os
import torch.utils.data as data

TABLE = {"cora": "cora.bin", "pubmed": "pubmed.bin"}


def build(name):
    path = os.path.join("data", TABLE[name])
    if not os.path.exists(path):
        raise SystemExit("download the data first")
    return data.DataLoader(open(path))
""",
    "examples/inside.py": "from inside import HERE\nimport sys\nassert HERE == 'the repository'\nsys.exit(0 if sys.argv[1] == 'now' else 3)\n",
    "examples/flags.py": """
import tensorflow as tf

flags = tf.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("task", None, "which")
flags.DEFINE_integer("steps", 10, "how many")
flags.DEFINE_bool("do_train", False, "train")


def main(_):
    if not FLAGS.do_train:
        raise ValueError("nothing to do")
    tf.estimator.train(FLAGS.steps)


if __name__ == "__main__":
    flags.mark_flag_as_required("task")
    tf.app.run()
""",
    "examples/loose.py": """
import argparse
import foreign_options

parser = argparse.ArgumentParser()
foreign_options.register(parser)
args = parser.parse_args()
if args.dataset != "cora":
    raise ValueError(f"unknown dataset {args.dataset}")
print(args.rate * 2, args.other)
""",
    "examples/run.sh": "for lr in 0.1 0.2; do\n  python examples/train.py --dataset $1 --lr $lr\ndone\n",
    "examples/rate.sh": "python examples/train.py --dataset $1 --lr ${RATE:-0.1}\n",
    "examples/burn.py": "import fire\n\ndef main(data, epochs=3):\n    print(data)\n\nif __name__ == '__main__':\n    fire.Fire(main)\n",
    "examples/typed.py": "import typer\n\ndef main(data: str, epochs: int = 3):\n    print(data)\n\nif __name__ == '__main__':\n    typer.run(main)\n",
    "examples/plain.py": "import torch\nprint(torch.ones(3))\n",
}


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository's folder."""
    root = tmp_path_factory.mktemp("repositories") / "sample"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root
