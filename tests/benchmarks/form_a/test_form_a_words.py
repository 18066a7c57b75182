"""What an agent is told of a row of form A, to the letter."""

from ml_agent.benchmarks.data import Visible
from ml_agent.benchmarks.form_a.words import instruction

WORDS = (
    "Please complete the Machine Learning task in the following repository: toy\n\nTrain it.\n\n"
    "You should create a script named `run.sh` under the specified path in the repo to run the task.\n\n"
    "You can find the task repo at: /workspace/toy/examples\n\n"
    "Here is the prefix code for the task:\n```bash\npip install x\n```\n\n"
    "You should terminate the subprocess after running the task (e.g., call subprocess.Popen(args).wait())."
    'When you think you have completed the task, please finish the interaction using the "finish" tool.\n'
)


def test_the_words() -> None:
    seen = Visible(
        instruction="Train it.", github="https://github.com/o/toy", path="examples", prefix_code="pip install x"
    )
    assert instruction(seen, "/workspace/toy/examples") == WORDS


def test_without_prefix_code_nothing_is_said_of_it() -> None:
    seen = Visible(instruction="Train it.", github="https://github.com/o/toy", path="examples")
    assert "prefix" not in instruction(seen, "/workspace/toy")
