"""Which environments are kept for later runs."""

import pytest

from sandbox.contract import Command, OnOutput, Policy, Response
from sandbox.setup.executor import Setup
from sandbox.setup.plan import SetupStep
from tests.ml_agent.test_wall_time import Bench as Made


class Bench(Made):
    """One in which pip says that there is no version but of `there`, and which notes what it is asked to keep."""

    policy = Policy(network="install")

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[str] = []

    def run(self, command: Command, on_output: OnOutput | None = None) -> Response:
        missing = "lost" in command.text
        said = "ERROR: Could not find a version that satisfies the requirement lost (from versions: none)"
        return Response(ended="exited", exit_code=int(missing), stderr=said if missing else "")

    def keep_setup(self, key: str, note: str) -> None:
        self.kept.append(note)


@pytest.mark.parametrize(("asked", "kept"), [(("there",), 1), (("lost",), 0), (("lost", "there"), 1)])
def test_an_environment_without_anything_is_not_kept(asked: tuple[str, ...], kept: int) -> None:
    bench = Bench()
    step = SetupStep(kind="install", arguments=asked, why="requirements.txt")
    setup = Setup(bench, lambda line: None)
    setup.start([step])
    setup.do([step])
    assert len(bench.kept) == kept
