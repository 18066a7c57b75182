"""Python code is checked against the repository; what is certain is an error, and nothing else is."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.tools.check.python import check_python
from ml_agent.tools.findings import Finding
from ml_agent.tools.index import RepoIndex

EFFORT = int(os.environ.get("ML_AGENT_TEST_EFFORT", "1"))
"""Multiplies the number of examples."""

FILES = {
    "setup.py": "",
    "requirements.txt": "torch\ndatasets\n",
    "README.md": "```python\nimport skimage\n```\n",
    "net/__init__.py": "from net.models import load_model\nfrom net import zoo\n",
    "net/models/__init__.py": "import numpy as np\nfrom net.models.gcn import GCN\n\ndef load_model(name, kind='base', *, device='cpu'): ...\n",
    "net/models/gcn.py": "class GCN:\n    def __init__(self, hidden, layers=2): ...\n    def fit(self, data): ...\n",
    "net/zoo.py": "import torch\nfrom torch import *\nCARD = 1\n",
    "net/free.py": "def anything(*args, **kwargs): ...\n",
    "net/torches.py": (
        "import torch.nn as nn\nfrom torch import nn\nfrom net.elsewhere import Base\n"
        "class Net(nn.Module):\n    def __init__(self):\n        self.depth = 1\n        self.register_buffer('mean', 1)\n"
        "    def forward(self, x): ...\n"
        "class Deep(Net):\n    def grow(self): ...\n"
        "class Open(nn.Module):\n    def __getattr__(self, name): ...\n"
        "class Foreign(Base): ...\n"
        "def make(kind):\n    net = Deep()\n    return net\n"
        "def load():\n    return make('a')\n"
        "def either(x):\n    if x:\n        return Deep()\n    return Open()\n"
    ),
    "examples/arma/model.py": "class Arma:\n    def __init__(self, stacks): ...\n",
    "examples/arma/citation.py": "import model\n",
    "datasets/get.py": "",
    "logging.py": "def log(): ...\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> RepoIndex:
    root = tmp_path_factory.mktemp("repository")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return RepoIndex.open(root, "1")


def one(text: str, index: RepoIndex, workdir: str = ".") -> Finding:
    (finding,) = check_python(text, index, workdir)
    return finding


class TestSound:
    @pytest.mark.parametrize(
        "text",
        [
            "",
            "import os, sys\nprint(os.sep, sys.argv, __file__, __name__)",
            "from net import load_model\nload_model('a', device='cuda').fit(1)",
            "import net\nmodel = net.load_model('a', 'b')\nnet.models.gcn.GCN(1)",
            "import net.models as m\nm.GCN(hidden=1, layers=3)\nm.np.ones(1)",
            "from net.zoo import softmax, CARD\nsoftmax(CARD)",
            "from net.models import *\nGCN(1)",
            "from net import load_model\nargs = ['a']\nload_model(*args)\nload_model(**{'name': 1})",
            "from net.free import anything\nanything(1, 2, x=3)",
            "import torch, skimage\nfrom datasets import load_dataset\ntorch.x(skimage, load_dataset)",
            "try:\n    import gone\nexcept ImportError:\n    gone = None\nprint(gone)",
            "try:\n    from net import gone\nexcept Exception:\n    pass",
            "import net\nnet.extra = 1\nprint(net.extra)",
            "def load_model(a, b, c, d, e): ...\nload_model(1, 2, 3, 4, 5)",
            "from net import load_model\nload_model = print\nload_model(1, 2, 3, 4, 5)",
            "from net.models import GCN\nGCN.fit(None, 1)\nGCN.unknown",
            "class A:\n    def f(self):\n        return later\nlater = 1\nprint(A().f())",
            "x = [y for y in range(3)]\nprint(*(z for z in x))",
            "global_name: int = 1\nmatch global_name:\n    case int(v): print(v)",
            "import sys\nsys.path.append('examples/arma')\nfrom model import Arma\nArma(stacks=1)",
            "import io\nio.BytesIO()",
        ],
    )
    def test_nothing_is_found(self, text: str, index: RepoIndex) -> None:
        assert check_python(text, index) == []


class TestSyntax:
    def test_what_python_cannot_read(self, index: RepoIndex) -> None:
        finding = one("x = 1\nNote that this is text\n", index)
        assert (finding.code, finding.severity, finding.subject) == ("syntax", "error", "Note that this is text")
        assert finding.message.startswith("line 2: ")

    @pytest.mark.parametrize("text", ["return 1", "x = \0", "(" * 1000, "await x", "def f(a, a): ..."])
    def test_what_does_not_compile(self, text: str, index: RepoIndex) -> None:
        assert one(text, index).code == "syntax"


class TestImports:
    def test_a_missing_module(self, index: RepoIndex) -> None:
        finding = one("import os\nfrom net.model import load_model\nload_model(1)", index)
        assert (finding.code, finding.severity, finding.subject, finding.suggestion) == (
            "no-such-module", "error", "net.model", "net.models",
        )  # fmt: skip
        assert finding.message == "line 2: net has no module 'model'; did you mean net.models?"

    def test_a_missing_name(self, index: RepoIndex) -> None:
        finding = one("from net.models import GNC", index)
        assert (finding.code, finding.severity, finding.subject, finding.suggestion, finding.path) == (
            "no-such-name", "error", "net.models.GNC", "GCN", "net/models/__init__.py",
        )  # fmt: skip

    def test_a_missing_attribute(self, index: RepoIndex) -> None:
        finding = one("import net\nnet.models.load_modell('a')", index)
        assert (finding.code, finding.subject, finding.suggestion) == (
            "no-such-name",
            "net.models.load_modell",
            "load_model",
        )

    def test_a_function_is_no_module(self, index: RepoIndex) -> None:
        finding = one("import net.models.load_model", index)
        assert (finding.code, finding.suggestion) == ("no-such-module", "from net.models import load_model")

    def test_relative_imports_need_a_package(self, index: RepoIndex) -> None:
        assert one("from .models import GCN", index).subject == ".models"

    def test_a_module_that_stands_elsewhere(self, index: RepoIndex) -> None:
        finding = one("from gcn import GCN\nGCN(1)", index)
        assert (finding.code, finding.severity, finding.suggestion) == (
            "no-such-module", "error", "from net.models.gcn import GCN",
        )  # fmt: skip

    def test_an_unknown_package_is_a_doubt(self, index: RepoIndex) -> None:
        finding = one("import transformers", index)
        assert (finding.code, finding.severity) == ("no-such-module", "warning")

    def test_a_local_module_hides_the_standard_one(self, index: RepoIndex) -> None:
        assert one("import logging\nlogging.getLogger()", index).subject == "logging.getLogger"


class TestNames:
    def test_an_undefined_name(self, index: RepoIndex) -> None:
        finding = one("x = 1\nprint(device)", index)
        assert (finding.code, finding.severity, finding.subject) == ("undefined-name", "error", "device")

    def test_the_usual_import_is_suggested(self, index: RepoIndex) -> None:
        assert one("np.ones(1)", index).suggestion == "import numpy as np"

    def test_a_near_name_is_suggested(self, index: RepoIndex) -> None:
        assert one("learning_rate = 1\nprint(learnin_rate)", index).suggestion == "learning_rate"

    def test_a_function_that_nobody_calls_is_a_doubt(self, index: RepoIndex) -> None:
        assert one("def f():\n    return device\nprint()", index).severity == "warning"
        assert one("def f():\n    return device\nf()", index).severity == "error"

    def test_star_imports_of_the_repository_are_known(self, index: RepoIndex) -> None:
        assert one("from net.models import *\nGNC(1)", index).subject == "GNC"


class TestCalls:
    @pytest.mark.parametrize(
        ("call", "reason", "suggestion"),
        [
            ("load_model(model='a')", "has no parameter 'model'", ""),
            ("load_model('a', knd='b')", "has no parameter 'knd'", "kind"),
            ("load_model('a', 'b', 'c')", "takes at most 2 positional arguments, 3 are given", ""),
            ("load_model(kind='b')", "needs name", "name"),
            ("load_model('a', name='b')", "gets 'name' twice", "name"),
            ("load_model('a', **{}, xyz=1)", "has no parameter 'xyz'", ""),
        ],
    )
    def test_functions(self, call: str, reason: str, suggestion: str, index: RepoIndex) -> None:
        finding = one(f"from net import load_model\n{call}", index)
        assert (finding.code, finding.severity, finding.suggestion) == ("bad-call", "error", suggestion)
        assert reason in finding.message
        assert (finding.path, finding.line) == ("net/models/__init__.py", 4)

    def test_classes(self, index: RepoIndex) -> None:
        finding = one("import net.models.gcn as g\ng.GCN(hiden=1, layers=2)", index)
        assert (finding.subject, finding.suggestion) == ("g.GCN.hiden", "hidden")

    def test_methods_of_objects_that_the_code_makes(self, index: RepoIndex) -> None:
        finding = one("from net.models import GCN\nmodel = GCN(1)\nmodel.fit(1, epochs=2)", index)
        assert (finding.code, finding.subject, finding.line) == ("bad-call", "model.fit.epochs", 3)
        assert check_python("from net.models import GCN\nmodel = GCN(1)\nmodel.fit(data=1)", index) == []
        finding = one("from net.models import GCN\nmodel = GCN(1)\nmodel.other(2)", index)
        assert (finding.code, finding.subject) == ("no-such-name", "model.other")


LINES = st.lists(
    st.sampled_from(
        [
            "import net", "from net import *", "from . import a", "import sys", "sys.path.append(1)", "sys.path.insert()", "sys.path = []",
            "net.models.x.y = 1", "net()", "net.load_model(*a, **b)", "def f(net): net.x", "class A(net.B): x = y", "lambda: net.x(q=1)",
            "try:\n    import q\nexcept: pass", "del net", "global z", "with net as n: n.x", "f'{net.models!r}'", "[net for net in net]", "x: 'net.Y' = 1",
            "match net:\n    case {'a': b, **c}: pass", "async def g():\n    await net.x()", "import net.models.gcn as net", "exec('a')", "\0", "(",
        ]
    ),
    max_size=8,
).map("\n".join)  # fmt: skip


@given(text=st.one_of(LINES, st.text()), workdir=st.sampled_from([".", "examples/arma", "missing", "net", "../x"]))
@settings(max_examples=200 * EFFORT)
def test_any_text_is_checked(index: RepoIndex, text: str, workdir: str) -> None:
    for finding in check_python(text, index, workdir):
        assert finding.message


class TestObjects:
    @pytest.mark.parametrize(
        "text",
        [
            "net = Net()\nnet.depth, net.mean, net.forward, net.train, net.state_dict, net.__class__",
            "net = Deep()\nnet.depth, net.grow, net.parameters",
            "net = Open()\nnet.anything",
            "net = Foreign()\nnet.anything",
            "net = either(1)\nnet.anything",
            "net = Net()\nnet.extra = 1\nprint(net.extra)",
            "net = Net()\nnet = 3\nnet.anything",
            "def use(net):\n    net.anything\nnet = Net()",
        ],
    )
    def test_what_is_there_or_may_be(self, text: str, index: RepoIndex) -> None:
        assert check_python(f"from net.torches import *\n{text}", index) == []
        names = "Net, Deep, Open, Foreign, either, load"
        assert check_python(f"from net.torches import {names}\n{text}", index) == []

    @pytest.mark.parametrize(
        ("made", "owner"),
        [("Net()", "Net"), ("Deep()", "Deep")],
    )
    def test_what_is_not(self, made: str, owner: str, index: RepoIndex) -> None:
        finding = one(f"from net.torches import Net, Deep\nnet = {made}\n\nnet.grwo(1)", index)
        assert (finding.code, finding.subject, finding.severity) == ("no-such-name", "net.grwo", "error")
        assert finding.message.startswith(f"line 4: {owner} has no attribute 'grwo'")
        assert finding.suggestion == ("grow" if owner == "Deep" else "")


class TestNothingRuns:
    @pytest.mark.parametrize(
        "text",
        [
            "def main(): ...",
            "import os\n'text'\nRATE = 0.1\nclass Net:\n    def go(self): ...\n",
            "RATE: float = 0.1\nasync def main(): ...",
        ],
    )
    def test_code_that_only_defines(self, text: str, index: RepoIndex) -> None:
        assert one(text, index).code == "nothing-runs"

    @pytest.mark.parametrize(
        "text",
        [
            "import os",
            "RATE = 0.1",
            "def main(): ...\nmain()",
            "def main(): ...\nif __name__ == '__main__':\n    main()",
            "def main(): ...\nfound = main()",
            "import atexit\n@atexit.register\ndef main(): ...",
        ],
    )
    def test_code_that_does_something(self, text: str, index: RepoIndex) -> None:
        assert check_python(text, index) == []
