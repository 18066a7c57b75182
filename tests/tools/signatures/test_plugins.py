"""Programs whose options depend on plug-ins that are found when they run, or on an earlier reading of the words."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

Make = Callable[..., Any]

TRAIN = """
    import argparse
    from zoo import MODELS
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=list(MODELS.keys()))
    for cls in MODELS.values():
        cls.add_options(parser)
    parser.parse_args()
"""
REGISTER = """
    MODELS = {{}}
    def register(name):
        def take(cls):
            MODELS[name] = cls
            return cls
        return take
    {find}
"""
FINDS = [
    "import os, importlib\n    for f in sorted(os.listdir(os.path.dirname(__file__))):\n"
    "        importlib.import_module('zoo.' + f[:-3])\n",
    "import pkgutil, importlib\n    for _, name, package in pkgutil.iter_modules(__path__):\n"
    "        importlib.import_module('.' + name, __name__)\n",
    "from zoo import big\n",
]
PLUGIN = """
    from zoo import register
    @register("big")
    class Model:
        @classmethod
        def add_options(cls, parser):
            parser.add_argument("--big-width", type=int, default=8)
"""


@pytest.mark.parametrize("find", FINDS, ids=["listdir", "iter_modules", "import"])
def test_what_plugins_add_is_open(checked: Callable[[Mapping[str, str]], Any], find: str) -> None:
    says = checked({"train.py": TRAIN, "zoo/__init__.py": REGISTER.format(find=find), "zoo/big.py": PLUGIN})
    assert not [said for said in says("python train.py --model big --big-width 3") if said.startswith("error")]


STAGES = """
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--task", choices=["copy", "sort"], default="copy")
    first, _ = parser.parse_known_args()
    if first.task == "copy":
        parser.add_argument("--copy-length", type=int)
    else:
        parser.add_argument("--descending", action="store_true")
    args = parser.parse_args()
"""


def test_the_default_decides_which_options_there_are(checked: Callable[..., Any], repository: Make) -> None:
    (signature,) = repository({"train.py": STAGES}).read("train.py")
    assert [o.dest for o in signature.options] == ["task", "copy_length"]
    assert [one.name for one in signature.unseen] == ["the options depend on task"]
    says = checked({"train.py": STAGES})
    assert says("python train.py --copy-length 3 --other 1") == ["unsure cannot-tell"]
    assert says("python train.py --task sort --descending") == ["unsure cannot-tell"]


def test_a_module_of_the_repository_is_no_library(repository: Make) -> None:
    reader = repository({
        "src/train.py": "from helpers import go\nfrom lib.inner import more\ngo()\nmore()\n",
        "src/helpers.py": "def go():\n    pass\n",
        "lib/inner.py": "def more():\n    pass\n",
        "eval.py": "from elsewhere import Net, main\nnet = Net()\nmain(net=net)\n",
    })  # fmt: skip
    assert reader.may_read_arguments("src/train.py") == ""
    assert "elsewhere.main" in reader.may_read_arguments("eval.py")
