"""The least agent, installed once, in a sandbox with a small repository; models are scripted servers."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ml_agent.benchmarks.subjects.agents import LeastAgent
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.places import Place, lay, open_place
from ml_agent.sandbox.contract import Sandbox

Open = Callable[[Place], Sandbox]


@pytest.fixture(scope="session")
def least(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return LeastAgent().install(tmp_path_factory.mktemp("agents"))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "toy"
    (root / "examples").mkdir(parents=True)
    (root / "README.md").write_text("# Toy\nRun `python main.py --epochs 3`.\n")
    (root / "examples/main.py").write_text("import argparse\nargparse.ArgumentParser().parse_args()\n")
    return root


@pytest.fixture
def opened(tmp_path: Path, least: Installed, repository: Path) -> Iterator[Open]:
    """Opens a sandbox that holds the repository as `toy`; it is stopped at the end."""
    made: list[Sandbox] = []

    def open_(place: Place) -> Sandbox:
        sandbox = open_place(place, tmp_path / "logs", least.mounts())
        made.append(sandbox)
        sandbox.start()
        lay(sandbox, repository, "toy")
        return sandbox

    yield open_
    for sandbox in made:
        sandbox.stop()
