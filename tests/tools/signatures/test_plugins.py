"""Plug-ins that a program finds in its own folders."""

from collections.abc import Callable
from typing import Any

import pytest

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
