"""Answers in Python whose calls have the right values, and are made on the right objects or on others."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.same_call import Verdict, same_call
from ml_agent.benchmarks.strict.text import Kind

MODEL = """
class Net:
    def __init__(self, width=32, depth=2):
        self.width, self.depth = width, depth
    def save(self, path):
        open(path, "w").write("x")
    def score(self):
        return 1.0

class Trainer:
    def __init__(self, net, rate=0.1):
        self.net = net
    def train(self, table, epochs=3):
        self.net.trained = True

def fit(net, table, epochs=10):
    return net

def load(path):
    return open(path).read().split()
"""
FIT = """from kit import Net, fit, load
net = Net(width=64)
table = load("a.csv")
net = fit(net, table, epochs=20)
net.save("net.bin")
"""
TRAIN = """from kit import Net, Trainer, load
net = Net(width=64)
trainer = Trainer(net, rate=0.5)
trainer.train(load("a.csv"), epochs=7)
net.save("net.bin")
"""
TWO = """from kit import Net, fit, load
one = Net(width=64)
two = Net(width=64)
fit(one, load("a.csv"), epochs=20)
two.save("two.bin")
"""


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository's folder."""
    root = tmp_path_factory.mktemp("objects")
    for name, text in {"kit.py": MODEL, "a.csv": "1 2\n", "data/b.csv": "1\n"}.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    return root


def judge(kit: Path, reference: str, answer: str, kind: Kind = "python") -> Verdict:
    row = Task(
        github_id=1, id=1, github="https://github.com/some/kit", path="./", arguments={}, instruction="", oracle="",
        kind=kind, output=reference,
    )  # fmt: skip
    return same_call(row, answer, kit)


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        (FIT, FIT),
        (FIT, 'from kit import *\nt = load("a.csv")\nn = Net(64)\nfit(n, t, 20)\nn.save("net.bin")\n'),
        (FIT, FIT.replace("net.save", "print(net.score())\nspare = Net(width=64)\nnet.save")),
        (FIT, FIT.replace("table = load", "net.width = 64\ntable = load")),
        (FIT, 'from kit import *\nfit(Net(width=64), load("a.csv"), epochs=20).save("net.bin")\n'),
        (FIT, FIT.replace("fit(net, table, epochs=20)", "partial(fit, epochs=20)(net, table)").replace("from", "from functools import partial\nfrom", 1)),
        (FIT, f"import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, default=20)\na = p.parse_args()\n{FIT.replace('20', 'a.n')}"),
        (FIT, FIT.replace("net = fit", "import copy\nnet = fit").replace("fit(net", "fit(copy.deepcopy(net)")),
        (FIT, f"{FIT}open('other.txt', 'w').write('x')\n"),
        (TRAIN, TRAIN),
        (TRAIN, 'from kit import *\nn = Net(64)\ndef go(t, d):\n    t.train(d, 7)\ndata = load("a.csv")\ngo(Trainer(n, 0.5), data)\nn.save("net.bin")\n'),
        (TRAIN, TRAIN.replace("net.save", "net.score()\nnet.save")),
        (TWO, TWO),
        (TWO, 'from kit import *\ntwo = Net(64)\ntwo.save("two.bin")\nfit(Net(64), load("a.csv"), 20)\n'),
    ],
)  # fmt: skip
def test_the_same_objects(kit: Path, reference: str, answer: str) -> None:
    assert judge(kit, reference, answer).passed


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        (FIT, FIT.replace("net.save", "Net().save")),
        (FIT, FIT.replace("net.save", "other = Net(width=64)\nother.save")),
        (FIT, FIT.replace("fit(net,", "fit(Net(width=1),")),
        (FIT, FIT.replace("fit(net,", "fit(Net(),")),
        (FIT, FIT.replace('net.save("net.bin")\n', "").replace("table =", 'net.save("net.bin")\ntable =')),
        (FIT, FIT.replace("table = load", "net.width = 5\ntable = load")),
        (FIT, FIT.replace("table = load", "setattr(net, 'width', 5)\ntable = load")),
        (TRAIN, TRAIN.replace('net.save("net.bin")\n', "").replace("trainer.t", 'net.save("net.bin")\ntrainer.t')),
        (TRAIN, TRAIN.replace("Trainer(net", "Trainer(Net(width=64)")),
        (TWO, TWO.replace("two.save", "one.save")),
        (FIT, f"{FIT}import shutil\nshutil.rmtree('data')\n"),
        (FIT, f"{FIT}open('kit.py', 'w').write('')\n"),
        (FIT, f"import pathlib\npathlib.Path('a.csv').unlink()\n{FIT}"),
    ],
)
def test_other_objects(kit: Path, reference: str, answer: str) -> None:
    assert not judge(kit, reference, answer).passed


def test_an_attribute_that_the_reference_sets_must_be_set(kit: Path) -> None:
    reference = FIT.replace("table = load", "net.depth = 5\ntable = load")
    assert judge(kit, reference, reference).passed
    assert not judge(kit, reference, FIT).passed
    assert not judge(kit, reference, reference.replace("5", "6")).passed


def test_code_in_a_shell_answer_may_destroy_nothing_either(kit: Path) -> None:
    run = "python use.py --n 3"
    (kit / "use.py").write_text(
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n')\np.parse_args()\n"
    )
    destroyed = judge(kit, run, f"python -c \"import os; os.remove('a.csv')\"; {run}", "bash")
    assert destroyed.reason_class == "unasked"
    assert "a.csv" in destroyed.detail
    assert judge(kit, run, f"python -c \"import os; os.remove('none.csv')\"; {run}", "bash").passed


LOAD = 'from kit import load\nload("data/b.csv")\n'


def leaving(call: str, ends: str) -> str:
    """An answer that catches what its call raises."""
    return f"import sys\ntry:\n    from kit import load\n    {call}\nexcept Exception as error:\n    {ends}\n"


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        (leaving('load("data/b.csv")', "raise SystemExit(str(error))"), True),
        (leaving('load("data/b.csv")', "print(error)\n    sys.exit(1)"), True),
        (leaving('load("data/b.csv")', "raise"), True),
        (leaving('load("a.csv")', "raise SystemExit(1)"), False),
        (leaving('load("data/b.csv", 3)', "raise SystemExit(1)"), False),
        (leaving("pass", 'load("data/b.csv")\n    sys.exit(1)'), False),
        (leaving('load("a.csv")', 'load("data/b.csv")\n    sys.exit(1)'), False),
        (leaving('int("x")\n    load("data/b.csv")', "raise SystemExit(1)"), False),
        ("import os\n" + LOAD.replace("load(", 'os.chdir("data")\nload(').replace('"data/b', '"b'), True),
        ("import os\n" + LOAD.replace("load(", 'os.chdir("data")\nload('), False),
        ("import os\n" + LOAD.replace("load(", 'os.chdir("data")\nload(').replace("data/b", "../a"), False),
    ],
)
def test_answers_that_end_where_they_catch_or_go_elsewhere(kit: Path, answer: str, passes: bool) -> None:
    assert judge(kit, LOAD, answer).passed is passes
