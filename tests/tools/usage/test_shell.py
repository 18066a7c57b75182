"""Commands of shell scripts."""

from ml_agent.tools.usage.shell import read_commands
from tests.processor_time import within


def test_heredocs_that_nothing_closes_are_looked_for_once() -> None:
    script = "".join(f"cat <<A{number}\n" for number in range(9000))
    assert len(within(0.8, lambda: list(read_commands(script)))) == 9000
