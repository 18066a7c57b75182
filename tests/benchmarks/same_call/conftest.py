"""A small repository whose programs read their words in several ways, and the judge of answers to rows on it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.observation import kind_of
from ml_agent.benchmarks.same_call import Verdict, same_call
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from tests.servers.git_folders import write_files

Judge = Callable[..., Verdict]

FILES = {
    "setup.py": "from setuptools import setup\nsetup(name='kit', scripts=['bin/tidy'], entry_points={'console_scripts': ['kit-train = kit.train:main']})\n",
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
    "looking.py": "import argparse, os\n\ndef there(path):\n    if not os.path.isfile(path):\n        raise argparse.ArgumentTypeError(path)\n    return path\n\n"
    "p = argparse.ArgumentParser()\np.add_argument('input', type=there)\np.add_argument('--n', type=int)\nprint(p.parse_args())\n",
    "by_hand.py": "import sys\nfor word in sys.argv[1:]:\n    key, _, value = word.partition('=')\n    print(key, value)\n",
    "composing.py": "import hydra\n\n@hydra.main(config_path='conf', config_name='config')\ndef main(cfg):\n    print(cfg)\n\nmain()\n",
    "conf/config.yaml": "defaults:\n  - model: small\n  - _self_\nlr: 0.1\nresume: null\n",
    "conf/other.yaml": "defaults:\n  - model: big\n  - _self_\nlr: 0.3\nresume: null\n",
    "conf/model/small.yaml": "layers: 12\nwidth: 8\n",
    "conf/model/big.yaml": "layers: 24\nwidth: 8\n",
    "conf/model/wide.yaml": "layers: 24\nwidth: 9\n",
    "many.py": """
import argparse
p = argparse.ArgumentParser()
sub = p.add_subparsers(dest="command")
fit = sub.add_parser("fit", aliases=["f"])
fit.add_argument("--n", type=int)
sub.add_parser("find").add_argument("--n", type=int)
p.parse_args()
""",
    "kit/__main__.py": "import sys\nfrom kit.train import main\n\nif __name__ == '__main__':\n    sys.exit(main())\n",
    "bin/tidy": "#!/usr/bin/env python\nfrom kit.train import main\nmain()\n",
    "data/cora/x.csv": "1\n",
    "count.sh": "wc $1\n",
    "more.sh": "rm -rf made\nbash -c 'rm -rf made'\npython train.py --data cora\n",
    "README.md": "",
    "run.sh": "python train.py --data cora --lr 0.5 $@\n",
    "fetch.sh": "curl $1 > $2\n",
    "Makefile": "serve:\n\techo $(PORT)\n",
}


@pytest.fixture(scope="session")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository's folder."""
    if find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    root = tmp_path_factory.mktemp("repositories") / "kit"
    write_files(root, FILES)
    return root.resolve()


@pytest.fixture
def judge(kit: Path, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """judge(reference, answer, instruction="", …fields of the row); references are looked at once, not once for each answer."""
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(kit.parent / "cache"))

    def judged(reference: str, answer: str, instruction: str = "", root: Path = kit, **fields: object) -> Verdict:
        row = {
            "github_id": 1, "id": 1, "github": "https://github.com/some/kit", "path": "./", "arguments": {},
            "instruction": instruction, "kind": kind_of(reference), "output": reference, **fields,
        }  # fmt: skip
        return same_call(Task(**row), answer, root)  # type: ignore[arg-type]

    return judged
