"""Values that the program itself refuses after parsing: tables, comparisons and assertions."""

from collections.abc import Callable
from typing import Any

from tests.processor_time import within

TESTED = {
    "main.py": """
        import argparse
        from models import build
        parser = argparse.ArgumentParser()
        parser.add_argument("--data")
        parser.add_argument("--model")
        parser.add_argument("--task")
        parser.add_argument("--opt")
        parser.add_argument("--free")
        parser.add_argument("--caught")
        parser.add_argument("--sometimes")
        def load(name):
            if name == "cora":
                return 1
            elif name in ("citeseer", "pubmed"):
                return 2
            else:
                raise ValueError(name)
        def main(args):
            data = load(args.data)
            task = args.task.lower()
            if task not in {"a": 1, "b": 2}:
                raise KeyError(task)
            assert args.opt in ["sgd", "adam"]
            if args.free == "x":
                print("x")
            try:
                {"k": 1}[args.caught]
            except KeyError:
                pass
            if data.many:
                {"s": 1}[args.sometimes]
            for _ in range(args.repeat):
                build(args)
        if __name__ == "__main__":
            main(parser.parse_args())
    """,
    "models.py": """
        TABLE = {"gcn": 1, "gat": 2}
        def build(options):
            return TABLE[options.model]
    """,
}  # fmt: skip


def test_values_tested_by_hand(repository: Callable[..., Any]) -> None:
    reader = repository(TESTED)
    (signature,) = reader.tested("main.py")
    accepted = {o.dest: (o.accepted, o.accepted_fold) for o in signature.options if o.accepted}
    assert accepted == {
        "data": (("citeseer", "cora", "pubmed"), ""),
        "model": (("gat", "gcn"), ""),
        "task": (("a", "b"), "lower"),
        "opt": (("adam", "sgd"), ""),
    }
    assert next(o for o in signature.options if o.dest == "model").accepted_at == "models.py:4"


STARRED = {
    "main.py": """
        import argparse
        import models
        parser = argparse.ArgumentParser()
        parser.add_argument("--arch", default="vgg")
        args = parser.parse_args()
        model = models.__dict__[args.arch]()
    """,
    "models/__init__.py": "from __future__ import absolute_import\nfrom .vgg import *\nfrom .resnet import *\n",
    "models/vgg.py": "import math\n__all__ = ['vgg']\ndef vgg(): pass\ndef helper(): pass\n",
    "models/resnet.py": "def resnet(): pass\ndef _block(): pass\n",
}


def test_star_imports_that_double_at_each_step_have_an_end(repository: Callable[..., Any]) -> None:
    files = {"main.py": STARRED["main.py"], "models/__init__.py": "from .a0 import *\nfrom .b0 import *\n"}
    for step in range(30):
        files |= {f"models/{one}{step}.py": f"from .a{step + 1} import *\nfrom .b{step + 1} import *\n" for one in "ab"}
    reader = repository(files)
    (signature,) = within(2, lambda: reader.tested("main.py"))
    assert signature.options[0].accepted == ()
