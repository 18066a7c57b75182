"""Names are looked up as an import would, and what cannot be known is said to be unknown."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.index import ApiIndex
from ml_agent.tools.python_api.model import UNKNOWN, ApiObject
from ml_agent.tools.python_api.read import parse_module
from ml_agent.tools.python_api.requirements import read_requirements

EFFORT = int(os.environ.get("ML_AGENT_TEST_EFFORT", "1"))
"""Multiplies the number of examples."""

FILES = {
    "setup.py": "setup(install_requires=['torch>=1', 'opencv-python'])",
    "requirements.txt": "# comment\nscikit-learn==1.0\n-e .\ngit+https://x/y\n",
    "pkg/__init__.py": "from . import sub\nfrom .net import Net as Model, helper\nfrom .extra import *\n__version__ = '1'\n",
    "pkg/net.py": '''
"""Nets.

More."""
from torch import nn
from dataclasses import dataclass, field
from abc import ABC

class Base(ABC):
    def __init__(self, width, *, depth=2, **options):
        """Make it."""

class Net(Base):
    """A net."""
    @classmethod
    def load(cls, path, strict: bool = True): ...
    @staticmethod
    def size(net): ...
    def forward(self, x): ...
    @property
    def name(self): ...

class Foreign(nn.Module):
    pass

class Own(nn.Module):
    def __init__(self, a, /, b, *rest): super().__init__()

@dataclass
class Config:
    a: int
    b: str = "x"

@dataclass
class More(Config):
    c: list = field(default_factory=list)

@dataclass
class Fields:
    rate: float = field(default=0.1, metadata={"help": "rate"})
    names: list = field(default_factory=lambda: ["a"])
    needed: int = field(metadata={"help": "needed"})
    made: int = field(init=False, default=3)

class Meta(metaclass=type):
    def __init__(self, a): ...

@unknown_decorator
def wrapped(a): ...

@registry.register_model("x")
def registered(a): ...

def helper(a, b=1): ...

if True:
    def twice(a): ...
else:
    def twice(b): ...

CONSTANT = 1
for index in range(3):
    pass
''',
    "pkg/sub/__init__.py": "",
    "pkg/sub/deep.py": "from ..net import Net\nfrom pkg.sub import deep\nimport pkg.net\n",
    "pkg/extra.py": "__all__ = ['shown']\n__all__ += ['more']\ndef shown(): ...\ndef hidden(): ...\ndef more(): ...\n",
    "pkg/stars.py": "from numpy import *\n",
    "pkg/dynamic.py": "def __getattr__(name): return 1\n",
    "pkg/named.py": "import logging\nlog = logging.getLogger(__name__)\nif __name__ == '__main__': pass\n",
    "pkg/made.py": "_make('pkg.made', __name__)\n",
    "pkg/broken.py": "def (:\n",
    "pkg/circle_a.py": "from .circle_b import x\n",
    "pkg/circle_b.py": "from .circle_a import x\n",
    "pkg/fast.pyx": "",
    "examples/arma/model.py": "class Arma: ...\n",
    "code/lone/__init__.py": "def f(): ...\n",
    "scripts/tool.py": "",
}  # fmt: skip


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> ApiIndex:
    root = tmp_path_factory.mktemp("repository")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return RepoIndex.open(root, "1").api


def found(api: ApiIndex, dotted: str, workdir: str = ".") -> ApiObject:
    answer = api.resolve(dotted, workdir)
    assert isinstance(answer, ApiObject), answer
    return answer


class TestResolve:
    @pytest.mark.parametrize(
        ("dotted", "name"),
        [
            ("pkg", "pkg"),
            ("pkg.Model", "pkg.net.Net"),
            ("pkg.sub", "pkg.sub"),
            ("pkg.sub.deep.Net", "pkg.net.Net"),
            ("pkg.sub.deep.deep", "pkg.sub.deep"),
            ("pkg.sub.deep.pkg.net.helper", "pkg.net.helper"),
            ("pkg.shown", "pkg.extra.shown"),
            ("pkg.more", "pkg.extra.more"),
            ("pkg.net.CONSTANT", "pkg.net.CONSTANT"),
            ("pkg.net.index", "pkg.net.index"),
            ("pkg.__version__", "pkg.__version__"),
            ("pkg.net.__file__", "pkg.net.__file__"),
            ("pkg.Model.load", "pkg.net.Net.load"),
            ("lone.f", "code.lone.f"),
        ],
    )
    def test_what_is_there(self, api: ApiIndex, dotted: str, name: str) -> None:
        assert found(api, dotted).name == name

    @pytest.mark.parametrize(
        "dotted",
        [
            "pkg.missing",
            "pkg.net.Missing",
            "pkg.hidden",
            "pkg.sub.missing",
            "pkg.sub.deep.pkg.none",
            "pkg.named.missing",
            "examples.none",
        ],
    )
    def test_what_is_not_there(self, api: ApiIndex, dotted: str) -> None:
        assert api.resolve(dotted) is None

    @pytest.mark.parametrize(
        "dotted",
        [
            "numpy.array", "pkg.stars.array", "pkg.dynamic.x", "pkg.made.x", "pkg.broken.x", "pkg.circle_a.x", "pkg.fast",
            "pkg.net.nn", "pkg.net.Net.attribute", "pkg.net.helper.x", "lone.missing", "pkg.net.CONSTANT.real",
        ],
    )  # fmt: skip
    def test_what_cannot_be_known(self, api: ApiIndex, dotted: str) -> None:
        assert api.resolve(dotted) is UNKNOWN

    def test_the_folder_of_the_program_counts(self, api: ApiIndex) -> None:
        assert found(api, "model.Arma", "examples/arma").path == "examples/arma/model.py"
        assert not api.claims("model")
        assert api.claims("model", "examples/arma")
        assert api.claims("pkg", "examples/arma")


class TestParameters:
    def names(self, api: ApiIndex, dotted: str) -> list[tuple[str, str]]:
        return [(item.name, item.kind) for item in found(api, dotted).parameters]

    def test_inherited_constructor(self, api: ApiIndex) -> None:
        net = found(api, "pkg.net.Net")
        assert (net.kind, net.sure, net.doc) == ("class", True, "A net.")
        assert self.names(api, "pkg.net.Net") == [("width", "either"), ("depth", "keyword"), ("options", "keywords")]
        assert [item.required for item in net.parameters] == [True, False, False]

    def test_methods_lose_self_and_cls(self, api: ApiIndex) -> None:
        assert [self.names(api, f"pkg.net.Net.{name}") for name in ("load", "size", "forward")] == [
            [("path", "either"), ("strict", "either")], [("net", "either")], [("x", "either")],
        ]  # fmt: skip
        assert [found(api, f"pkg.net.Net.{name}").kind for name in ("load", "size", "forward")] == [
            "function",
            "function",
            "method",
        ]
        strict = found(api, "pkg.net.Net.load").parameters[1]
        assert (strict.annotation, strict.default) == ("bool", "True")


class TestIndex:
    def test_search_finds_by_words(self, api: ApiIndex) -> None:
        assert api.search("arma model", 1)[0].name == "examples.arma.model.Arma"
        assert api.search("", 3) == []

    def test_names_of_a_module(self, api: ApiIndex) -> None:
        assert {"Model", "shown", "sub", "net"} <= set(api.names_in("pkg"))
        assert "hidden" not in api.names_in("pkg")
        assert api.names_in("numpy") == ()

    def test_third_party_names_come_from_requirements_and_imports(self, api: ApiIndex) -> None:
        assert {"torch", "cv2", "sklearn", "numpy"} <= api.third_party


def test_requirements_of_all_kinds(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[project]\ndependencies = ['pillow>=9', 'my-lib']\n[tool.poetry.dependencies]\nPyYAML = '*'\n"
    )
    (tmp_path / "environment.yml").write_text("dependencies:\n  - pytorch=1.9\n  - pip:\n    - einops==0.3\n")
    found = read_requirements(tmp_path, ["pyproject.toml", "environment.yml", "broken/pyproject.toml"])
    assert {"PIL", "my_lib", "yaml", "torch", "einops"} <= set(found)


@given(st.one_of(st.binary(), st.text().map(lambda text: text.encode("utf-8", "replace"))))
@settings(max_examples=120 * EFFORT)
def test_any_bytes_are_a_module(source: bytes) -> None:
    assert parse_module(source, "a.py").path == "a.py"


@pytest.mark.parametrize(
    "source",
    [
        "(" * 5000,
        "-" * 100_000 + "1",
        "a." * 20_000 + "b = 1",
        "x = " + "[" * 150 + "]" * 150,
        "if a:\n" * 100,
        "x=1;" * 50_000,
    ],
)
def test_hostile_source_is_a_module(source: str) -> None:
    parse_module(source.encode(), "a.py")
