"""The check of bash against a repository."""

import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from ml_agent.tools.check.command import check_command
from ml_agent.tools.index import RepoIndex

FILES = {
    "requirements.txt": "",
    "train.py": """
        import argparse
        from data import load
        def main():
            p = argparse.ArgumentParser()
            p.add_argument("--dataset", default="cora")
            p.add_argument("--lr", type=float, default=0.1)
            p.add_argument("--num-stacks", type=int)
            p.add_argument("--mode", choices=["fast", "slow"])
            p.add_argument("--layers", type=int, nargs="+")
            p.add_argument("--cfg-path")
            p.add_argument("--flag", type=bool, default=False)
            p.add_argument("--output-dir")
            p.add_argument("--input-file")
            args = p.parse_args()
            load(args.dataset)
        if __name__ == "__main__":
            main()
        """,
    "data.py": """
        def load(name):
            if name == "cora":
                return 1
            elif name == "pubmed":
                return 2
            raise ValueError(name)
        """,
    "known.py": """
        import argparse
        p = argparse.ArgumentParser()
        p.add_argument("--x")
        p.add_argument("--source_path")
        p.parse_known_args()
        """,
    "need.py": """
        import argparse
        p = argparse.ArgumentParser()
        p.add_argument("source")
        p.add_argument("--must", required=True)
        p.parse_args()
        """,
    "library.py": """
        from dataclasses import dataclass
        from transformers import HfArgumentParser
        from elsewhere import OtherArguments
        @dataclass
        class Model:
            name: str = "x"
        HfArgumentParser((Model, OtherArguments)).parse_args_into_dataclasses()
        """,
    "runs.py": "exec(open('other.py').read())\nprint(1)\n",
    "implied.py": """
        import argparse, sys
        p = argparse.ArgumentParser()
        s = p.add_subparsers()
        f = s.add_parser("fit")
        f.add_argument("--seed", type=int)
        if len(sys.argv) > 1 and sys.argv[1] not in s.choices:
            sys.argv.insert(1, "fit")
        p.parse_args()
        """,
    "rewrites.py": """
        import argparse, sys
        sys.argv = [a.replace("_", "-") for a in sys.argv]
        p = argparse.ArgumentParser()
        p.add_argument("--seed", type=int)
        p.parse_args()
        """,
    "drops.py": """
        import tensorflow as tf
        tf.flags.DEFINE_string("name", "", "")
        def main(_): pass
        if __name__ == "__main__":
            tf.app.run()
        """,
    "libmain.py": "from library import main\nmain()\n",
    "grown.py": """
        import configargparse
        p = configargparse.ArgParser()
        g = p.add_argument_group("x")
        g.add("--seed", type=int, required=True)
        p.add("-c", "--config", is_config_file=True)
        p.add_exotic("--more")
        p.parse_args()
        """,
    "nano.py": "lr = 0.1\nname = 'x'\nexec(open('configurator.py').read())\nprint(lr)\n",
    "configurator.py": """
        import sys
        for arg in sys.argv[1:]:
            if "=" not in arg:
                exec(open(arg).read())
            else:
                key, val = arg[2:].split("=")
                globals()[key] = val
        """,
    "strict.py": "lr = 0.1\nsteps = 8\nname = 'x'\nexec(open('typed.py').read())\n",
    "typed.py": """
        import sys
        from ast import literal_eval
        for arg in sys.argv[1:]:
            key, val = arg[2:].split("=")
            new = literal_eval(val)
            assert type(new) == type(globals()[key])
            globals()[key] = new
        """,
    "configs/settings.py": "lr = 1\n",
    "hello.py": "print('hello')\n",
    "examples/arma/citation.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--gpu', type=int)\np.parse_args()\n",
    "examples/arma/model.py": "class Net:\n    pass\n",
    "examples/two/a.py": "print(1)\n",
    "examples/two/b.py": "print(1)\n",
    "configs/base.yaml": "a: 1\n",
    "configs/large.yaml": "a: 2\n",
    "pkg/__init__.py": "",
    "pkg/run.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--seed', type=int)\np.parse_args()\n",
    "pkg/rel.py": "from .run import p\nprint(p)\n",
    "setup.py": "from setuptools import setup\nsetup(entry_points={'console_scripts': ['fold=pkg.fold:main', 'protein-fold=pkg.fold:main']})\n",
    "pkg/fold.py": "import argparse\ndef main():\n    p = argparse.ArgumentParser()\n    p.add_argument('-i', required=True)\n    p.parse_args()\n",
    "run.sh": "#!/bin/bash\npython train.py --dataset $1 --lr ${2:-0.1}\n",
    "Makefile": "train:\n\tpython train.py\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> RepoIndex:
    """The small repository above."""
    root = tmp_path_factory.mktemp("repository")
    write(root, FILES)
    return RepoIndex(root, "1")


def write(root: Path, files: Mapping[str, str]) -> None:
    """Lay files down."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(textwrap.dedent(text))


@pytest.mark.parametrize(
    "text",
    [
        "python train.py --dataset pubmed --lr 0.5 --num-stacks 3 --mode fast --layers 1 2",
        "CUDA_VISIBLE_DEVICES=0 python3 -u ./train.py --dataset $NAME",
        "cd examples/arma && python citation.py --gpu 0",
        "cd examples; cd arma; python citation.py; cd ../.. ; python train.py",
        "python -m torch.distributed.run --nproc_per_node=8 train.py --lr 1",
        "python -m paddle.distributed.launch --gpus 0,1 train.py --lr 1",
        "python -m pkg.run --seed 3",
        "python -m pip install -r requirements.txt",
        "python hello.py",
        "fold -i x",
        "bash run.sh cora 0.1",
        "make train",
        "python need.py x --must 1",
        "pip install torch && wget http://x/y.zip && unzip y.zip && ls",
        "python train.py --output-dir results/x",
        "python train.py --cfg-path configs/base.yaml",
        "python -c 'import torch; print(1)'",
        "for s in 1 2; do python train.py --num-stacks $s; done",
        "python train.py --help",
        "python train.py $EXTRA",
        "python implied.py --seed 1",
        "python nano.py configs/settings.py --lr=0.1 --name=x",
        "python strict.py --lr=1e-3 --steps=9 --name=y",
        "python implied.py fit --seed 1",
        "python setup.py install",
        "python need.py $EXTRA",
        "python train.py -- ",
        "python need.py --help",
        "python library.py nerf --help",
        "accelerate config",
        "[[ -d data ]] || mkdir data\npython train.py",
    ],
)
def test_nothing_is_wrong(index: RepoIndex, text: str) -> None:
    assert check_command(text, index) == []


@pytest.mark.parametrize(
    ("text", "code", "suggestion"),
    [
        ("python trian.py", "no-such-file", "train.py"),
        ("python citation.py", "no-such-file", "examples/arma/citation.py"),
        ("cd examples/arma && python main.py", "no-such-file", "citation.py"),
        ("cd arma && python citation.py", "no-such-file", "examples/arma"),
        ("python train.py --lrr 1", "unknown-option", "--lr"),
        ("python train.py --num_stacks 1", "unknown-option", "--num-stacks"),
        ("python train.py --mode Fast", "bad-choice", "fast"),
        ("python train.py --lr high", "bad-type", ""),
        ("python train.py --layers", "missing-value", ""),
        ("python train.py --lr", "missing-value", ""),
        ("python train.py extra", "too-many-arguments", ""),
        ("python train.py --dataset citeseer", "bad-choice", ""),
        ("python train.py --dataset Cora", "bad-choice", "cora"),
        ("python need.py x", "missing-required", ""),
        ("python need.py --must 1", "missing-required", ""),
        ("python examples/arma/model.py --gpu 1", "not-an-entry-point", "examples/arma/citation.py"),
        ("python -m pkg.rnu", "no-such-module", "pkg.run"),
        ("python -m pkg", "no-such-module", ""),
        ("python grown.py", "missing-required", ""),
        ("python nano.py --lrr=0.1", "unknown-option", "--lr"),
        ("python nano.py --lr 0.1", "missing-value", "--lr=0.1"),
        ("python strict.py --steps=8.5", "bad-type", ""),
        ("python strict.py --lr=1", "bad-type", ""),
        ("python -m hlelo", "no-such-module", "hello"),
        ("python implied.py --seed x", "bad-type", ""),
        ("python implied.py --sede 1", "unknown-option", "--seed"),
        ("python implied.py fit --seed x", "bad-type", ""),
        ("python drops.py --nmae 1", "unknown-option", "--name"),
        ("python pkg/rel.py", "no-such-module", "-m pkg.rel"),
        ("fold", "missing-required", ""),
        ("protein-flod -i x", "no-such-command", "protein-fold"),
        ("proteinfold -i x", "no-such-command", "protein-fold"),
        ("bash run.sh a b c", "too-many-arguments", ""),
        ("bash scripts/run.sh a", "no-such-file", "run.sh"),
        ("python train.py 'x", "syntax", ""),
        ("python train.py \\\n--lr 1\n--mode fast", "syntax", ""),
        ("```bash\npython train.py\n```", "unreadable-command", ""),
        ("import torch\nprint(1)", "unreadable-command", ""),
        ("", "unreadable-command", ""),
        ("!python train.py", "syntax", "python"),
        ("python train.py --cfg-path configs/huge.yaml", "no-such-file", "configs/large.yaml"),
        ("python train.py --dataset <name> --lr 1", "no-such-file", ""),
        ("python -c 'print('", "syntax", ""),
    ],
)
def test_certain_errors(index: RepoIndex, text: str, code: str, suggestion: str) -> None:
    errors = [f for f in check_command(text, index) if f.severity == "error"]
    assert [f.code for f in errors][:1] == [code]
    assert errors[0].suggestion == suggestion


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("python known.py --y 1", "cannot-tell"),
        ("python known.py --source-path 1", "unknown-option"),
        ("python library.py --seed 1", "cannot-tell"),
        ("python library.py --nmae 1", "unknown-option"),
        ("python runs.py --lr 1", "cannot-tell"),
        ("python rewrites.py --lr 1", "cannot-tell"),
        ("python libmain.py --lr 1", "cannot-tell"),
        ("python grown.py --seed 1 --more 1", "cannot-tell"),
        ("python grown.py -c configs/base.yaml", "missing-required"),
        ("python hello.py --x", "too-many-arguments"),
        ("python train.py --flag False", "bad-type"),
        ("python train.py --input-file data/x.json", "no-such-file"),
        ("python train.py # --lr 0.1", "value-not-used"),
        ("unzip x.zip && cd x && python main.py", "no-such-file"),
        ("cp a.py b.py && python b.py", "no-such-file"),
        ("cat > b.py <<'E'\nprint(1)\nE\npython b.py --any 1", "cannot-tell"),
        ("python - <<'E'\nopen('b.py', 'w').write('')\nE\npython b.py", "no-such-file"),
        ("cd .. && python train.py", "outside-tree"),
        ("python /opt/train.py", "no-such-file"),
        ("python train.py --cfg-path large.yml", "no-such-file"),
        ("python train.py --lr=1e-3 --num 3", "abbreviated-option"),
    ],
)
def test_no_errors(index: RepoIndex, text: str, code: str) -> None:
    found = check_command(text, index)
    assert [f.severity for f in found if f.severity == "error"] == [] and code in {f.code for f in found}


def test_the_value_of_a_misspelt_option_is_no_positional_argument(index: RepoIndex) -> None:
    codes = [f.code for f in check_command("python need.py --msut 1 x", index)]
    assert codes == ["unknown-option", "missing-required"]


def test_a_finding_says_where_it_comes_from(index: RepoIndex) -> None:
    (found,) = check_command("python train.py --mode x", index)
    assert (found.path, found.line) == ("train.py", 9) and "--mode takes one of fast, slow" in found.message
    (found,) = check_command("python train.py --dataset x", index)
    assert "data.py:" in found.message


def test_working_folder(index: RepoIndex) -> None:
    assert check_command("python citation.py --gpu 1", index, "./examples/arma/") == []
    (found,) = check_command("python examples/arma/citation.py", index, "examples/arma")
    assert found.suggestion == "citation.py"


def test_an_empty_folder_may_be_changed_to(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "print(1)\n"})
    (tmp_path / "outputs").mkdir()
    index = RepoIndex.open(tmp_path, "1")
    assert check_command("cd outputs && python ../train.py", index) == []
    (found,) = check_command("cd nowhere && python ../train.py", index)
    assert found.code == "no-such-file"


def test_what_cannot_be_told_has_a_reason(index: RepoIndex) -> None:
    (finding,) = check_command("python library.py --seed 1 --invented 2", index)
    assert finding.severity == "unsure" and "elsewhere.OtherArguments" in finding.message
