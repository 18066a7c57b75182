"""Plug-ins that a program finds in its own folders."""

from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.tools.signatures import interpreter
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.signatures.read import SignatureReader

Find = Callable[..., Option]
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
PLUGIN = """
    from zoo import register
    {work}
    @register("{name}")
    class Model:
        @classmethod
        def add_options(cls, parser):
            parser.add_argument("--{name}-width", type=int, default=8)
"""
FINDS = [
    "import os, importlib\n    for f in sorted(os.listdir(os.path.dirname(__file__))):\n"
    "        if f.endswith('.py') and not f.startswith('_') and not os.path.isdir(f):\n"
    "            importlib.import_module('zoo.' + f[:-3])\n",
    "import pkgutil, importlib\n    for _, name, package in pkgutil.iter_modules(__path__):\n"
    "        importlib.import_module('.' + name, __name__)\n",
    "import glob, importlib\n    from os.path import basename, dirname, join\n"
    "    for f in glob.glob(join(dirname(__file__), '*.py')):\n"
    "        if not f.endswith('__init__.py'):\n"
    "            importlib.import_module(f'zoo.{basename(f)[:-3]}')\n",
]


def read(repository: Make, find: str, work: str = "") -> Any:
    files = {"train.py": TRAIN, "zoo/__init__.py": REGISTER.format(find=find)}
    files |= {f"zoo/{name}.py": PLUGIN.format(name=name, work=work) for name in ("big", "small")}
    reader = repository(files)
    (signature,) = SignatureReader(reader.sources.root, frozenset(files)).read("train.py")
    return signature


@pytest.mark.parametrize("find", FINDS, ids=["listdir", "iter_modules", "glob"])
def test_plugins_register_themselves(repository: Make, option: Find, find: str) -> None:
    signature = read(repository, find)
    assert option(signature, "model").choices == ("big", "small")
    assert [o.dest for o in signature.options] == ["model", "big_width", "small_width"]
    assert option(signature, "big_width").sure


def test_a_registry_that_was_not_followed_to_its_end_has_no_choices(
    repository: Make, option: Find, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreter, "STEPS", 4_500)
    signature = read(repository, FINDS[0], "x = [n for n in range(700)]")
    model = option(signature, "model")
    assert not model.choices and not model.sure


def test_a_program_in_a_module_that_its_package_imports_in_brackets(repository: Make) -> None:
    reader = repository({
        "pack/__main__.py": "import pack\n\npack.tools.train.main()\n",
        "pack/__init__.py": "from . import (  # (all)\n    tools,\n)\n",
        "pack/tools/__init__.py": "from . import (\n    train,\n)\n",
        "pack/tools/train.py": """
            import argparse
            def main():
                parser = argparse.ArgumentParser()
                parser.add_argument("--lr", type=float)
                parser.parse_args()
        """,
    })  # fmt: skip
    assert [one.dest for signature in reader.read("pack/__main__.py") for one in signature.options] == ["lr"]
