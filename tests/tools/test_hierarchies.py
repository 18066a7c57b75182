"""Class hierarchies and imports of any shape are followed to an end."""

import itertools
import os
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.tools.outline import outline_of
from ml_agent.tools.python_api.index import ApiIndex
from ml_agent.tools.python_api.model import UNKNOWN, ApiObject
from ml_agent.tools.python_api.read import parse_module
from tests.processor_time import within

EFFORT = int(os.environ.get("ML_AGENT_TEST_EFFORT", "1"))
SECONDS = 2.0
"""Of processor time, in which a small repository is looked through."""


def api_of(files: Mapping[str, str]) -> ApiIndex:
    facts = {path: parse_module(text.encode(), path) for path, text in files.items()}
    return ApiIndex(sorted(files), facts, lambda: {path: outline_of(text) for path, text in files.items()})


def look_through(api: ApiIndex) -> None:
    """Ask everything of everything."""
    within(SECONDS, lambda: ask_everything(api))


def ask_everything(api: ApiIndex) -> None:
    """Of each object and each module, what it has and what it lacks."""
    for item in api.objects:
        api.resolve(item.name)
        api.resolve(f"{item.name}.missing")
        if item.kind == "class":
            api.instances.has(item, "missing")
            api.instances.method(item, "missing")
    for path in api.modules.python:
        api.names_in(api.modules.dotted(path))
        api.resolve(api.modules.dotted(path) + ".missing.name")


names = st.sampled_from(["A", "B", "C", "D"])
modules = st.sampled_from(["one", "two", "pkg", "pkg.sub", "pkg.deep"])
lines = st.one_of(
    st.builds(lambda name, bases: f"class {name}({', '.join(bases)}): x = 1", names, st.lists(names, max_size=4)),
    st.builds(lambda name, base, m: f"class {name}({m}.{base}[int]):\n    def m(self): ...", names, names, modules),
    st.builds(lambda m, name, other: f"from {m} import {name} as {other}", modules, names, names),
    st.builds(lambda m: f"from {m} import *", modules),
    st.builds(lambda m: f"import {m}", modules),
    st.sampled_from(
        ["from . import *", "from .sub import *", "from . import A", "from .. import B", "import pkg as A"]
    ),
)
texts = st.lists(lines, max_size=7).map("\n".join)
repositories = st.fixed_dictionaries(
    dict.fromkeys(("one.py", "two.py", "pkg/__init__.py", "pkg/sub.py", "pkg/deep/__init__.py"), texts)
)


@settings(max_examples=150 * EFFORT, deadline=None)
@given(repositories)
def test_any_hierarchy_is_followed_to_an_end(files: dict[str, str]) -> None:
    look_through(api_of(files))


def layers(count: int, width: int) -> str:
    """Each class derives from all of the layer below: as many ways to the bottom as width to the power of count."""
    found = [f"class L0_{n}: pass" for n in range(width)]
    for layer, n in itertools.product(range(1, count), range(width)):
        found.append(f"class L{layer}_{n}({', '.join(f'L{layer - 1}_{m}' for m in range(width))}): pass")
    return "\n".join(found)


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": layers(28, 3)},
        {"a.py": "class A(B): ...\nclass B(C): ...\nclass C(A): ...\n"},
        {"a.py": "from b import A\nclass A(A): ...\n", "b.py": "from a import A\nclass A(A): ...\n"},
        {"a.py": "class C0: pass\n" + "\n".join(f"class C{n}(C{n - 1}): pass" for n in range(1, 400))},
        {f"m{n}.py": "".join(f"from m{k} import *\n" for k in range(12)) for n in range(12)},
        {f"m{n}.py": f"try:\n from m{n + 1} import X\nexcept E:\n from m{n + 2} import X\n" for n in range(28)},
        {"p/__init__.py": "\n".join(f"from .m{n} import *" for n in range(30))},
    ],
    ids=["diamonds", "circle", "own name", "deep", "star circle", "either import", "missing stars"],
)
def test_what_branches_without_end_is_cut(files: dict[str, str]) -> None:
    look_through(api_of(files))


def test_a_class_may_have_the_name_of_its_imported_base() -> None:
    api = api_of({"a.py": "from b import A\nclass A(A): ...\n", "b.py": "class A:\n    def __init__(self, x): ...\n"})
    found = api.resolve("a.A")
    assert isinstance(found, ApiObject) and [p.name for p in found.parameters] == ["x"]


def test_a_class_that_is_its_own_base_is_not_sure() -> None:
    api = api_of({"a.py": "class A(A): ...\n"})
    found = api.resolve("a.A")
    assert isinstance(found, ApiObject) and not found.sure
    assert api.instances.has(found, "anything") is UNKNOWN


FIELDS = """
from dataclasses import dataclass, KW_ONLY
from elsewhere import Unknown
import torch.nn as nn
from sklearn.base import BaseEstimator

@dataclass
class Tab(BaseEstimator):
    width: int = 8
    _: KW_ONLY
    steps: int = 3

class Classifier(Tab):
    def __post_init__(self): ...

@dataclass
class Net(nn.Module):
    width: int

class Plain:
    def __init__(self, size): ...

@dataclass
class Above(Plain):
    width: int = 1

@dataclass
class Open(Unknown):
    width: int = 1

@dataclass
class Left:
    left: int = 1

@dataclass
class Both(Net, Left):
    both: int = 1

class Foreign(Unknown): ...

@dataclass
class Under(Foreign):
    width: int = 1
"""


@pytest.mark.parametrize(
    ("name", "parameters", "sure"),
    [
        ("Tab", ["width either", "steps keyword"], True), ("Classifier", ["width either", "steps keyword"], True),
        ("Net", ["width either"], True), ("Above", ["width either"], True), ("Open", ["width either"], False),
        ("Both", ["left either", "width either", "both either"], False), ("Under", ["width either"], False),
    ],
)  # fmt: skip
def test_what_the_constructor_of_a_dataclass_takes(name: str, parameters: list[str], sure: bool) -> None:
    found = api_of({"fields.py": FIELDS}).resolve(f"fields.{name}")
    assert isinstance(found, ApiObject) and found.sure is sure
    assert [f"{item.name} {item.kind}" for item in found.parameters] == parameters
