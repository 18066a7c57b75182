"""Class hierarchies and imports of any shape are followed to an end."""

import itertools
import os
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.tools.outline import outline_of
from ml_agent.tools.python_api.index import ApiIndex
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
