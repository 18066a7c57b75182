"""What an agent is told of a row of form A, word for word as OpenHands' evaluation tells it.

Sources: evaluation/benchmarks/ml_bench/run_infer.py at 156d068 ("2025-11") and evaluation/ml_bench/run_infer.py of pull request 2015
("2024-06", used for the paper). That version also had a sentence with the column `task`, which the dataset no longer has.
"""

from typing import Literal

from ml_agent.benchmarks.data import Visible

PromptVersion = Literal["2024-06", "2025-11"]
SUFFIXES: dict[PromptVersion, str] = {
    "2024-06": "When you think you have completed the task, please run the following command: <execute_bash> exit </execute_bash>.\n",
    "2025-11": 'When you think you have completed the task, please finish the interaction using the "finish" tool.\n',
}


def instruction(seen: Visible, task_path: str, version: PromptVersion) -> str:
    """The first message. The last two sentences are joined without a blank, as in the source.

    Args:
        seen: What may be known of the row.
        task_path: The task's folder in the sandbox.
        version: Whose wording.
    """
    name = seen.github.rstrip("/").rpartition("/")[2]
    prefix = f"Here is the prefix code for the task:\n```bash\n{seen.prefix_code}\n```\n\n" if seen.prefix_code else ""
    return (
        f"Please complete the Machine Learning task in the following repository: {name}\n\n"
        f"{seen.instruction}\n\n"
        "You should create a script named `run.sh` under the specified path in the repo to run the task.\n\n"
        f"You can find the task repo at: {task_path}\n\n"
        f"{prefix}"
        "You should terminate the subprocess after running the task (e.g., call subprocess.Popen(args).wait())."
        f"{SUFFIXES[version]}"
    )
