"""A small repository whose programs read their words in several ways."""

from pathlib import Path

import pytest

FILES = {
    "setup.py": "from setuptools import setup\nsetup(name='kit', entry_points={'console_scripts': ['kit-train = kit.train:main']})\n",
    "kit/__init__.py": "from kit.net import Net, load\n",
    "kit/train.py": """
import argparse
import torch

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("-b", "--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--sizes", type=int, nargs="+", default=[8])
    parser.add_argument("--opt", choices=["adam", "sgd"], default="adam")
    parser.add_argument("--amp", action="store_true")
    args = parser.parse_args()
    torch.train(args)

if __name__ == "__main__":
    main()
""",
    "train.py": "from kit.train import main\n\nif __name__ == '__main__':\n    main()\n",
    "kit/evaluate.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--data')\np.add_argument('--lr', type=float, default=0.1)\nprint(p.parse_args())\n",
    "prepare.py": '"""Prepare.\n\nusage: prepare.py [options] <name> <folder>\n\noptions:\n    --workers=<n>  Processes.\n"""\nfrom docopt import docopt\n\nif __name__ == "__main__":\n    print(docopt(__doc__))\n',
    "burn.py": "import fire\n\ndef main(data, epochs=3):\n    print(data, epochs)\n\nif __name__ == '__main__':\n    fire.Fire(main)\n",
    "absent/__init__.py": "import seqio_that_is_not_there.nowhere\nraise ModuleNotFoundError('seqio')\n",
    "absent/run.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--steps', type=int)\nprint(p.parse_args())\n",
    "kit/cli.py": "import sys\n\ndef main():\n    from kit.train import main as train\n    del sys.argv[1]\n    train()\n\nif __name__ == '__main__':\n    main()\n",
    "kit/net.py": """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width, depth=2, act="relu"):
        super().__init__()
        self.layer = nn.Linear(width, depth)

    def forward(self, x):
        return self.layer(x)

    def fit(self, data, epochs=3, **more):
        while torch.rand(1) < 2:
            pass

    def freeze(self):
        self.frozen = True

    def prune(self, share):
        self.share = share

    def width(self):
        return 3

class Tall(Net):
    pass

def load(name, device="cpu"):
    return torch.load(name)
""",
    "commands.py": """
import click

@click.group()
def cli():
    pass

@cli.command()
@click.option("--steps", type=int, default=5)
@click.argument("files", nargs=-1)
def slices(steps, files):
    pass

@cli.command()
@click.option("--steps", type=int, default=5)
@click.argument("files", nargs=-1)
def heat(steps, files):
    pass

if __name__ == "__main__":
    cli()
""",
    "kit/boil.py": "import click\n\n@click.command()\n@click.option('--steps', type=int, default=5)\n@click.version_option('1.0')\ndef main(steps):\n    pass\n\nif __name__ == '__main__':\n    main()\n",
    "versioned.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr')\np.add_argument('--version', action='version', version='1')\nprint(p.parse_args())\n",
    "measured.py": "import os, sys\nfrom kit.seeds import SEED\nprint(sys.argv[1], SEED, os.environ.get('FOLDS', '5'))\n",
    "kit/seeds.py": "from os import environ\nSEED = int(environ['SEED']) if 'SEED' in environ else 0\n",
    "defaulted.py": "import argparse, os\nHOST = os.getenv('HOST_NAME', 'here')\np = argparse.ArgumentParser()\n"
    "p.add_argument('--rate', type=float, default=float(os.environ.get('RATE', '0.1')))\np.add_argument('--host', default=HOST)\nprint(p.parse_args())\n",
    "by_hand.py": "import sys\nfor word in sys.argv[1:]:\n    key, _, value = word.partition('=')\n    print(key, value)\n",
    "composed.py": "import sys\nlr = 0.1\nsteps = 10\nfor word in sys.argv[1:]:\n    key, _, value = word.lstrip('-').partition('=')\n    globals()[key] = type(globals()[key])(value)\nprint(lr, steps)\n",
    "composing.py": "import hydra\n\n@hydra.main(config_path='conf', config_name='config')\ndef main(cfg):\n    print(cfg)\n\nmain()\n",
    "conf/config.yaml": "defaults:\n  - model: small\n  - _self_\nlr: 0.1\nresume: null\n",
    "conf/other.yaml": "defaults:\n  - model: big\n  - _self_\nlr: 0.3\nresume: null\n",
    "conf/model/small.yaml": "layers: 12\nwidth: 8\n",
    "conf/model/big.yaml": "layers: 24\nwidth: 8\n",
    "conf/model/wide.yaml": "layers: 24\nwidth: 9\n",
    "run.sh": "python train.py --data cora --lr 0.5 $@\n",
    "fetch.sh": "curl $1 > $2\n",
    "Makefile": "serve:\n\techo $(PORT)\n",
}


@pytest.fixture(scope="session")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository's folder."""
    root = tmp_path_factory.mktemp("repositories") / "kit"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture(autouse=True)
def keep_observations(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """References are looked at once, not once for each answer."""
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(kit.parent / "cache"))
