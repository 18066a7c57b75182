"""What an agent is told of a row of form A, to the letter."""

import pytest

from ml_agent.benchmarks.data import Visible
from ml_agent.benchmarks.form_a.words import PromptVersion, instruction

NEW = (
    "Please complete the Machine Learning task in the following repository: toy\n\nTrain it.\n\n"
    "You should create a script named `run.sh` under the specified path in the repo to run the task.\n\n"
    "You can find the task repo at: /workspace/toy/examples\n\n"
    "Here is the prefix code for the task:\n```bash\npip install x\n```\n\n"
    "You should terminate the subprocess after running the task (e.g., call subprocess.Popen(args).wait())."
    'When you think you have completed the task, please finish the interaction using the "finish" tool.\n'
)
OLD = NEW.partition("When you think")[0] + (
    "When you think you have completed the task, please run the following command: <execute_bash> exit </execute_bash>.\n"
)


@pytest.mark.parametrize(("version", "words"), [("2025-11", NEW), ("2024-06", OLD)])
def test_both_versions(version: PromptVersion, words: str) -> None:
    seen = Visible(
        instruction="Train it.", github="https://github.com/o/toy", path="examples", prefix_code="pip install x"
    )
    assert instruction(seen, "/workspace/toy/examples", version) == words


def test_without_prefix_code_nothing_is_said_of_it() -> None:
    seen = Visible(instruction="Train it.", github="https://github.com/o/toy", path="examples")
    assert "prefix" not in instruction(seen, "/workspace/toy", "2025-11")
