"""A small repository for whole runs."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ml_agent.conversation.first_message import open_thread
from ml_agent.conversation.navigator import LlmNavigator, ModelOptions
from ml_agent.model.budget import Budget, Limits
from ml_agent.model.client import ModelClient
from ml_agent.model.endpoint import Endpoint
from ml_agent.model.memory import Memory
from ml_agent.model.sender import ClientParts
from ml_agent.model.thread import Thread
from ml_agent.navigator import Given, Workspace
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from ml_agent.understanding import understood
from tests.servers.model_server import Brain, Misbehaviour, ModelServer

SCRIPT = (
    "import argparse\n"
    "parser = argparse.ArgumentParser()\n"
    'parser.add_argument("--lr", type=float, default=0.1, help="learning rate")\n'
    "args = parser.parse_args()\n"
    'print("epoch 1 loss 0.5")\n'
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder with one script and a README."""
    root = tmp_path / "fitting"
    root.mkdir()
    (root / "fit.py").write_text(SCRIPT)
    (root / "README.md").write_text("# Fitting\n\nFit the linear model:\n\n```bash\npython fit.py --lr 0.5\n```\n")
    return root


README = """# Tiny nets

Train and evaluate tiny networks.

## Train

```bash
python train.py --dataset cora --epochs 10
```

## Evaluate

```bash
python evaluate.py --dataset cora --checkpoint model.pt
```

## Use it from Python

```python
from tinynets import load_model

model = load_model("gcn", pretrained="cora-small")
print(model.describe(verbose=1))
```
"""
TRAIN = '''"""Train a network."""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--dataset", choices=["cora", "citeseer"], default="cora", help="data to train on")
parser.add_argument("--epochs", type=int, default=10, help="passes over the data")
parser.add_argument("--lr", type=float, default=0.1, help="learning rate")
parser.add_argument("--name", default="run", help="name of the experiment")
args = parser.parse_args()
print(f"epoch {args.epochs} {args.lr}")
'''
EVALUATE = '''"""Evaluate a checkpoint."""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--dataset", choices=["cora", "citeseer"], required=True)
parser.add_argument("--checkpoint", required=True, help="file of the trained network")
args = parser.parse_args()
'''
PACKAGE = '''"""Tiny networks."""


class Model:
    def describe(self, verbose: int = 0) -> str:
        return "model"


def load_model(name: str, pretrained: str = "") -> Model:
    """A network by its name."""
    return Model()
'''


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Read once for all: nobody changes it."""
    root = tmp_path_factory.mktemp("nets") / "repository"
    (root / "tinynets").mkdir(parents=True)
    for path, text in {
        "README.md": README,
        "train.py": TRAIN,
        "evaluate.py": EVALUATE,
        "tinynets/__init__.py": PACKAGE,
    }.items():
        (root / path).write_text(text)
    index = RepoIndex.open(root, "v1")
    return Workspace(
        index=index, candidate=Candidate(full_name="me/tinynets", url=str(root)), path=".", path_given=True
    )


class Stage:
    """An llm navigator on a scripted server, with what it recorded."""

    def __init__(self, server: ModelServer, limits: Limits, **endpoint: Any) -> None:
        self.server, self.budget = server, Budget(limits)
        self.events: list[tuple[str, dict[str, Any]]] = []
        options = ModelOptions(environment=endpoint.pop("environment", None), stand_in=endpoint.pop("stand_in", None))
        parts = ClientParts(memory=Memory(), sleep=lambda _: None)
        settings = {"model": "m", "base_url": server.url, "timeout": 20.0, **endpoint}
        self.client = ModelClient(Endpoint(**settings), self.budget, self.emit, parts)
        self.navigator = LlmNavigator(self.client, self.emit, options)

    def emit(self, event: str, **fields: Any) -> None:
        self.events.append((event, fields))

    def of(self, event: str) -> list[dict[str, Any]]:
        return [fields for name, fields in self.events if name == event]


@pytest.fixture
def stage() -> Iterator[Callable[..., Stage]]:
    servers: list[ModelServer] = []

    def start(
        brain: Brain, misbehaviour: Misbehaviour | None = None, limits: Limits | None = None, **endpoint: Any
    ) -> Stage:
        servers.append(ModelServer(brain, misbehaviour).__enter__())
        return Stage(servers[-1], limits or Limits(), **endpoint)

    yield start
    for server in servers:
        server.__exit__(None, None, None)


@pytest.fixture
def told(tmp_path: Path) -> Callable[..., Thread]:
    def opened(files: Mapping[str, str], text: str) -> Thread:
        for path, content in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(content)
        workspace = Workspace(index=RepoIndex.open(tmp_path, "v"), candidate=Candidate(full_name="me/x", url="x"))
        return open_thread(understood(text, Given(repository="me/x")), workspace)

    return opened
